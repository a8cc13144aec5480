"""What a rate may claim: whether storage, a cache or nobody knows what served it.

Each rate of a trial gets a mark with its evidence in a sentence. A marked rate can not pass a
criterion, an unprovable one is inconclusive. The rules have an edition, so that a result can be
judged again when they change.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from assay.analysis.words import percent, size

EDITION = "1"
"""Changes whenever the same measurement would be judged otherwise."""

CLAIM_SHARE = 0.9
"""Share of the claimed bytes that the device has to have moved."""

RESIDENT_SHARE = 0.1
"""Share of pages in the page cache from which direct I/O, or a cold read, was none."""

ARRAY_CACHE_FACTOR = 2
"""A working set under so many times the array's cache is possibly served by it."""

AMPLIFIED = 1.5
"""Bytes that the device wrote for each byte claimed, from which that is said."""

Kind = Literal["honest", "unprovable", "array", "cache"]
_GRAVITY: tuple[Kind, ...] = ("honest", "unprovable", "array", "cache")


@dataclass(frozen=True)
class Mark:
    """What served a rate; `code` names the rule that said so, `evidence` says why."""

    mark: Kind
    code: str
    evidence: str


@dataclass(frozen=True)
class Evidence:
    """What is known of one trial. Bytes; `device_*` are null where no local device is.

    `first_read` are those bytes of a read that nobody had read since they were written.
    """

    kind: Literal["write", "read"]
    cache: str
    fs_type: str | None
    claimed: int
    device_app: int | None
    device_durable: int | None
    working_set: int
    mem_limit: int
    array_cache: int | None
    resident_checked: int | None
    resident_pages: int | None
    first_read: int | None = None


def application(evidence: Evidence) -> Mark:
    """The mark of the rate until the last operation returned."""
    if evidence.kind == "read":
        return _reread(evidence, _mark(evidence, evidence.device_app, "The device gave", "read"))
    return _mark(
        evidence,
        evidence.device_app,
        "When the last write returned, the device had taken",
        "claimed",
    )


def durable(evidence: Evidence) -> Mark:
    """The mark of the rate until the final sync returned."""
    return _mark(
        evidence, evidence.device_durable, "After the sync, the device had taken", "claimed"
    )


def gravest(marks: Iterable[Mark]) -> Mark | None:
    """The mark that speaks for several trials: the one that allows least."""
    return max(marks, key=lambda mark: _GRAVITY.index(mark.mark), default=None)


def _mark(e: Evidence, moved: int | None, sentence: str, verb: str) -> Mark:
    share = None if moved is None else moved / e.claimed if e.claimed else 1.0
    resident = _resident(e)
    if resident is not None:
        return resident
    if share is not None and share < CLAIM_SHARE:
        said = f"{sentence} {percent(share)} of the bytes {verb}; the rest was in memory."
        return Mark("cache", "device_bytes", said)
    if e.array_cache is not None and e.working_set < ARRAY_CACHE_FACTOR * e.array_cache:
        return Mark(
            "array",
            "array_cache",
            f"The working set of {size(e.working_set)} is under twice the array's declared cache "
            f"of {size(e.array_cache)}: possibly served by the array.",
        )
    if share is None:
        return _no_device(e)
    if e.kind == "write" and share >= AMPLIFIED:
        said = f"{sentence} {share:.1f} times the bytes {verb}: small writes are amplified."
        return Mark("honest", "amplified", said)
    return Mark("honest", "device_bytes", f"{sentence} {percent(share)} of the bytes {verb}.")


def _reread(e: Evidence, mark: Mark) -> Mark:
    """Say of a later read of a region that it is one: a cache out of sight may have answered."""
    if e.first_read is None or e.first_read >= e.claimed:
        return mark
    said = (
        f"{percent(1 - e.first_read / e.claimed)} of the bytes had been read before in this run: "
        "a cache that this host does not see may hold them."
    )
    return replace(mark, evidence=f"{mark.evidence} {said}")


def _resident(e: Evidence) -> Mark | None:
    """Pages in this machine's page cache where there should be none."""
    if not e.resident_checked or e.resident_pages is None:
        return None
    share = e.resident_pages / e.resident_checked
    if share < RESIDENT_SHARE or (e.kind == "write" and e.cache != "direct"):
        return None
    why = (
        "before the trial began"
        if e.kind == "read"
        else "although O_DIRECT was accepted: the file system buffers it"
    )
    return Mark("cache", "resident", f"{percent(share)} of the pages were in the page cache {why}.")


def _no_device(e: Evidence) -> Mark:
    fits = e.cache != "direct" and e.working_set < e.mem_limit
    memory = (
        f" The working set of {size(e.working_set)} fits into the memory of "
        f"{size(e.mem_limit)} that may cache it."
        if fits
        else ""
    )
    return Mark(
        "unprovable",
        "no_device",
        f"No local block device stands behind this file system ({e.fs_type or 'unknown'}): "
        f"nothing on this host shows where the bytes were.{memory}",
    )
