"""The directions of a test: what each participant does, and how fast it is known to be.

A test that writes and reads at the same time is a run of its own in each direction.

Written and read bytes never add up: every figure belongs to one direction.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.kinds.planning import Place
from assay.kinds.run_record import AttemptBeside, RunRecord, TrialRecord
from assay.kinds.sustained.fields import Operation

ROLES: dict[Operation, str] = {"write": "writer", "read": "reader", "mixed": "mixed"}


def operation_of(role: str) -> Operation:
    """Return what a participant does."""
    for operation, own in ROLES.items():
        if own == role:
            return operation
    return "write"


def operations_of(parameters: Mapping[str, Any]) -> tuple[Operation, ...]:
    """Return the operations that have cells of their own: both directions, or the only one."""
    if parameters["operation"] == "both":
        return ("write", "read")
    return (parameters["operation"],)


def parameters_of(parameters: Mapping[str, Any], operation: Operation) -> dict[str, Any]:
    """Return the parameters of one direction: its operation, its pacing, and no sync of a read."""
    own: dict[str, Any] = {"operation": operation}
    if parameters["operation"] == "both" and operation == "read":
        own |= {"sync_bytes": 0, "sync_ms": 0}
        if parameters["read_pace"] != "same":
            own["pace"] = parameters["read_pace"]
    return {**parameters, **own}


def offered_to(
    parameters: Mapping[str, Any], trial: Mapping[str, Any], operation: Operation
) -> int | None:
    """Return the rate that a trial offers in one direction, in bytes per second."""
    if parameters["operation"] == "both" and operation == "read":
        if parameters["read_pace"] == "none":
            return None
        if parameters["read_pace"] == "rate":
            return parameters["read_rate_bytes_per_s"]
    return trial["offered_bytes_per_s"]


def split(run: RunRecord) -> Iterator[tuple[Operation, RunRecord]]:
    """Yield each direction of a run with its participants; the others are beside it."""
    operations = operations_of(run.parameters)
    for operation in operations:
        if len(operations) == 1:
            yield operation, run
            continue
        places = [n for n, site in enumerate(run.sites) if site.role == ROLES[operation]]
        yield (
            operation,
            replace(
                run,
                parameters=parameters_of(run.parameters, operation),
                sites=[run.sites[place] for place in places],
                trials=[_trial_of(run, trial, operation, places) for trial in run.trials],
            ),
        )


def _trial_of(
    run: RunRecord, trial: TrialRecord, operation: Operation, places: Sequence[int]
) -> TrialRecord:
    offered = offered_to(run.parameters, trial.parameters, operation)
    return replace(
        trial,
        parameters={**trial.parameters, "offered_bytes_per_s": offered},
        deciding=[trial.deciding[place] for place in places],
        beside=[
            AttemptBeside(site.boot_id, attempt)
            for place, (site, attempt) in enumerate(zip(run.sites, trial.deciding, strict=True))
            if place not in places
        ],
    )


def written_share(read_percent: int, operation: Operation) -> float:
    """Return which part of what a trial moves is written."""
    return {"write": 1.0, "read": 0.0, "mixed": 1 - read_percent / 100}[operation]


def known_bytes_per_s(place: Place, operation: Operation) -> float | None:
    """Return the highest rate of an operation that was ever measured at a place.

    A mixture is at most as fast as both together.
    """
    write, read = place.best_write_bytes_per_s, place.best_read_bytes_per_s
    if operation == "mixed":
        return write + read if write and read else None
    return write if operation == "write" else read
