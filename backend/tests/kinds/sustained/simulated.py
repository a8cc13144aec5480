"""Sustained runs of a simulated storage: what the probe would report, and where."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any

from assay.analysis import histogram
from assay.analysis.histogram import Latency
from assay.analysis.throughput import Marks
from assay.kinds.planning import Place
from assay.kinds.run_record import AttemptRecord, RunRecord, Site, TrialRecord
from assay.kinds.sustained.estimate import PlannedSustained, plan
from assay.kinds.sustained.parameters import SustainedParameters, SustainedTest
from assay.kinds.sustained.sustained import SustainedKind
from testing.spools import COUNTER

KIND = SustainedKind()
SECOND = 10**9
MB = 10**6


def place(**known: Any) -> Place:
    given: dict[str, Any] = {
        "target_id": 1,
        "host_id": 1,
        "host_name": "web-1",
        "path": "/mnt/a",
        "fs_type": "xfs",
        "provable": True,
        "free_bytes": 10**15,
        "free_at": datetime(2026, 11, 1, tzinfo=UTC),
        "reserve_bytes": 0,
        "ram": 64 * 10**9,
        "cpus": 8,
        "direct": "real",
        "alignment": 512,
    }
    return Place(**(given | known))


def sustained(**given: Any) -> SustainedTest:
    return SustainedTest.model_validate(
        {"kind": "sustained", "title": "Long write", "length": 10 * 10**9, **given}
    )


def planned(test: SustainedTest, where: Place | None = None) -> PlannedSustained:
    run, problems = plan(0, test, where or place(), lambda _, field: field)
    assert not problems
    assert run
    return run


def backlog(service: Sequence[int], block: int, rate: int) -> list[int]:
    """Return the row of a rate: what arrives during a write waits until the write returns."""
    queue, most, most_at, now = 0.0, 0.0, 0, 0
    for one in service:
        arrived = queue + rate * one / SECOND
        now += one
        if arrived > most:
            most, most_at = arrived, now
        queue = max(0.0, arrived - block)
    return [rate, round(most), round(queue), most_at]


def attempt(
    parameters: Mapping[str, Any],
    service: Sequence[int],
    *,
    rates: Sequence[int] = (),
    sync_ns: int = 0,
    ramp: int = 0,
    detail: Mapping[str, Any] | None = None,
    device: bool = True,
    status: str = "complete",
    delay_ns: int = 0,
) -> AttemptRecord:
    """Return the attempt of one unpaced stream; `service` has the time of each write.

    The first `ramp` writes are its ramp-up.
    """
    block, per_mark = parameters["block"], parameters["mark_bytes"] // parameters["block"]
    kept, ramp_ns = service[ramp:], sum(service[:ramp])
    columns: dict[str, list[int | None]] = {name: [] for name in Marks.__dataclass_fields__}
    now = ramp_ns
    for at in range(0, len(kept), per_mark):
        part = kept[at : at + per_mark]
        now += sum(part)
        row = (
            now,
            sum(part),
            len(part) * block,
            len(part),
            sum(part),
            max(part),
            max(part),
            sum(part),
        )
        for name, value in zip(columns, (*row, None, None), strict=True):
            columns[name].append(value)
    counts = Counter(map(histogram.index, kept))
    slowest = sorted(((ns, at) for at, ns in enumerate(kept)), reverse=True)[:100]
    ends = [ramp_ns + end for end in accumulate(kept)]
    moved, app = len(service) * block, sum(service)
    result: dict[str, Any] = {
        "counter": COUNTER | {"names": []},
        "dev_app_bytes": moved if device else 0,
        "dev_durable_bytes": moved,
        "working_set_bytes": moved,
        "mem_limit_bytes": 64 * 10**9,
        "resident_checked": None,
        "resident_pages": None,
        "sync": "complete",
        "start_delay_ns": delay_ns,
        "detail": {
            "block": block,
            "mark_bytes": parameters["mark_bytes"],
            "footprint_bytes": moved,
            "ramp_ns": ramp_ns,
            "ramp_bytes": ramp * block,
            "ramp_ops": ramp,
            "asleep_ns": 0,
            "stood_still_ns": 0,
            "hist": sorted(counts.items()),
            "due_hist": None,
            "due_max_ns": None,
            "due_unfinished": None,
            "backlog_max_bytes": None,
            "backlog_end_bytes": None,
            "backlogs": [backlog(kept, block, rate) for rate in sorted(rates)],
            "slowest": [[ns, ends[at], (at + ramp) * block, 0] for ns, at in slowest],
            "files": {
                "create": {"count": 1, "sum_ns": 1, "max_ns": 1},
                "close": {"count": 1, "sum_ns": 1, "max_ns": 1},
            },
            "syncs": {"count": 0, "sum_ns": 0, "max_ns": 0, "hist": []},
            **(detail or {}),
        },
    }
    return AttemptRecord(
        status=status,
        reason=None,
        bytes=moved,
        ops=len(service),
        app_ns=app,
        durable_ns=app + sync_ns,
        result=result,
        disturbance={},
        latency=Latency(counts, min(kept), max(kept), sum(kept)),
        course=None,
        marks=Marks(**columns),  # pyright: ignore
    )


def doubled(one: AttemptRecord, most: int) -> AttemptRecord:
    """Return the attempt with at most `most` marks: their size doubles as the probe doubles it."""
    assert one.marks
    marks = one.marks
    groups, doubles, width, at = list[slice](), most // 2, 1, 0
    while at < len(marks):
        is_last = len(groups) + 1 == most
        groups.append(slice(at, len(marks) if is_last else at + width))
        at += len(marks) if is_last else width
        if len(groups) >= doubles:
            doubles += (most - len(groups)) // 2
            width *= 2
    wide = Marks(
        [marks.end_ns[group][-1] for group in groups],
        *(
            [sum(column[group]) for group in groups]
            for column in (marks.dt_ns, marks.bytes, marks.ops, marks.lat_sum_ns)
        ),
        [max(marks.lat_max_ns[group]) for group in groups],
        [max(marks.lat_p99_ns[group]) for group in groups],
        [sum(marks.busy_ns[group]) for group in groups],
        [None] * len(groups),
        [None] * len(groups),
    )
    return replace(one, marks=wide)


def read_attempt(
    parameters: Mapping[str, Any],
    service: Sequence[int],
    *,
    rates: Sequence[int] = (),
    footprint: int | None = None,
    device_bytes: int | None = None,
    verify_errors: int = 0,
) -> AttemptRecord:
    """Return the attempt of a stream that reads files of `footprint` bytes."""
    done = attempt(parameters, service, rates=rates)
    assert done.result
    size = footprint or done.bytes
    changed = {
        "sync": "none",
        "first_read_bytes": size,
        "working_set_bytes": size,
        "resident_checked": 1000,
        "resident_pages": 0,
        "verify_errors": verify_errors,
        "counter": COUNTER | {"names": []},
        "dev_app_bytes": done.bytes if device_bytes is None else device_bytes,
        "detail": done.result["detail"] | {"footprint_bytes": size},
    }
    return replace(done, durable_ns=None, result=dict(done.result) | changed)


def site(number: int = 1) -> Site:
    return Site(number, f"web-{number}", "/mnt/a", f"boot-{number}", "xfs", None, None)


def run_of(
    test: PlannedSustained,
    attempts: Mapping[str, Sequence[Sequence[AttemptRecord | None]]],
    sites: Sequence[Site] = (),
) -> RunRecord:
    """Return the run with these attempts: by cell, repeat and participant."""
    cells = {cell.key: cell for cell in test.planned_cells}
    trials = [
        TrialRecord(
            id=100 * number + repeat,
            repeat=repeat,
            cell=key,
            parameters=trial_parameters(cells[key]),
            attempts=1,
            again=False,
            deciding=list(deciding),
        )
        for number, (key, repeats) in enumerate(attempts.items())
        for repeat, deciding in enumerate(repeats, 1)
    ]
    return RunRecord(42, test.parameters, trials, list(sites) or [site()], None)


def trial_parameters(cell: SustainedParameters) -> dict[str, Any]:
    return cell.model_dump(exclude={"kind"})
