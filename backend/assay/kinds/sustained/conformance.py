"""Whether a trial conforms to SNIA's steady-state method, and what was done before it.

SNIA's Performance Test Specification wants the device purged, then preconditioned by writing it
twice, and its cache out of the way. Assay cannot purge a device, so an operator declares it. It
tests files, so conformance is claimed for their bytes and not for the whole device.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PASSES = 2
"""How often SNIA writes the working set before it measures."""


@dataclass(frozen=True)
class Prepared:
    """What was done before a trial, which is in none of its other figures.

    `fill_bytes` were added to fill the file system to `level_share`, which is null without a fill.
    """

    fill_bytes: int
    fill_ns: int
    level_share: float | None
    precondition_passes: int
    precondition_bytes: int
    precondition_ns: int
    idle_ns: int


@dataclass(frozen=True)
class Conformance:
    """Whether a trial that was judged by SNIA's rule conforms, and else why not.

    `purge_declared`: an operator said that the device was purged; Assay did not check it.
    """

    conformant: bool
    purge_declared: bool
    reasons: list[str]


def prepared(detail: Mapping[str, Any]) -> Prepared | None:
    """Return what was done before a trial; None if it was nothing."""
    found: Mapping[str, int | None] = detail.get("preparation") or {}
    if not any(found.values()):
        return None
    counts = {name: found[name] or 0 for name in found}
    size = counts["size_bytes"]
    return Prepared(
        fill_bytes=counts["fill_bytes"],
        fill_ns=counts["fill_ns"],
        level_share=counts["level_bytes"] / size if size else None,
        precondition_passes=counts["precondition_passes"],
        precondition_bytes=counts["precondition_bytes"],
        precondition_ns=counts["precondition_ns"],
        idle_ns=counts["idle_ns"],
    )


def merged(of_each: Sequence[Prepared | None]) -> Prepared | None:
    """Return the preparation of several participants: bytes add up, and the longest time counts."""
    found = [one for one in of_each if one]
    if not found:
        return None
    levels = [one.level_share for one in found if one.level_share is not None]
    return Prepared(
        fill_bytes=sum(one.fill_bytes for one in found),
        fill_ns=max(one.fill_ns for one in found),
        level_share=max(levels, default=None),
        precondition_passes=min(one.precondition_passes for one in found),
        precondition_bytes=sum(one.precondition_bytes for one in found),
        precondition_ns=max(one.precondition_ns for one in found),
        idle_ns=max(one.idle_ns for one in found),
    )


def conformance(
    parameters: Mapping[str, Any],
    done: Prepared | None,
    *,
    first: bool,
    alone: bool,
    reached: bool,
    whole: bool,
) -> Conformance | None:
    """Return whether a trial conforms; None for a read, whose files are written only once.

    `parameters` are those of the run, with the trial's own cache. `first`: it is the run's first
    trial, since nobody can purge between trials. `alone`: no other I/O disturbed it. `reached` is
    whether it became steady, `whole` whether nothing interrupted it.
    """
    if parameters["operation"] != "write":
        return None
    reasons = list(_reasons(parameters, done, reached=reached, whole=whole))
    if not first:
        reasons.append("the device was not purged again before this trial")
    if not alone:
        reasons.append("other I/O disturbed the trial")
    return Conformance(not reasons, _purged(parameters), reasons)


def _purged(parameters: Mapping[str, Any]) -> bool:
    return parameters["purge"] == "declared"


def _reasons(
    parameters: Mapping[str, Any], done: Prepared | None, *, reached: bool, whole: bool
) -> Iterator[str]:
    if not _purged(parameters):
        yield "no purge was declared"
    passes = done.precondition_passes if done else 0
    if passes < PASSES:
        yield f"preconditioned {passes} of {PASSES} times"
    if done and done.idle_ns:
        yield "the storage rested after it was preconditioned"
    if parameters.get("sync_bytes") or parameters.get("sync_ms"):
        yield "the writes were synced periodically"
    if parameters["cache"] != "direct":
        yield "the page cache was used"
    if parameters["pace"] != "none":
        yield "the writes were paced"
    if parameters.get("access") == "random":
        yield "random tests by SNIA cycle through block sizes and shares of reads"
    if not reached:
        yield "steady state was not reached"
    if not whole:
        yield "the trial has gaps"
