"""The source of a rate: the device, a cache, or something that this host cannot observe.

Each rate of a trial gets a source with the reason and its evidence in a sentence. A rate served by
a cache cannot meet a criterion; one of unknown source is inconclusive.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from assay.analysis.contention import ContentionState
from assay.base.worded import Words, say
from assay.base.words import capital, percent, size

CLAIM_SHARE = 0.9
"""Minimum share of the claimed bytes that the device moved."""

RESIDENT_SHARE = 0.1
"""From this share of resident pages on, direct I/O was buffered, or a read was not cold."""

ARRAY_CACHE_FACTOR = 2
"""An array's cache may serve a working set below this multiple of its size."""

WHOLE = 1.05
"""Up to this share, what exceeds the data is the file system's own, and is not mentioned."""

AMPLIFIED = 1.5
"""An excess is reported from this number of device bytes per claimed byte on.

It is called amplification only if contention is ruled out.
"""

Source = Literal["device", "unknown", "array_cache", "page_cache"]
_GRAVITY: tuple[Source, ...] = ("device", "unknown", "array_cache", "page_cache")

CounterSource = Literal["none", "device", "members", "paths", "server"]

CounterReason = Literal[
    "no_device",
    "iostats_off",
    "members_unknown",
    "mixed_profiles",
    "too_many_members",
    "unreadable",
]
"""Why there is no counter, or why it may not move."""

Reason = Literal[
    "device_bytes",
    "amplified",
    "others_or_amplification",
    "array_cache",
    "resident",
    "server_bytes",
    "shared_device",
    "interrupted",
    "bytes_not_counted",
    CounterReason,
]
"""The rule that decided; those from `bytes_not_counted` on explain why no counter can."""


@dataclass(frozen=True)
class ServedBy:
    """The source of a rate; `reason` names the rule that decided.

    `figures` are the numbers that the rules use, without unknown ones; their names contain their
    units. `evidence` is the same as a sentence; programs need not parse it. With several
    participants it is that of `participant_id`.
    """

    source: Source
    reason: Reason
    evidence: Words
    figures: Mapping[str, float] = field(default_factory=dict[str, float])
    participant_id: int | None = None


@dataclass(frozen=True)
class Counter:
    """The counter of the bytes below the file system, as the probe found it.

    `names` are devices, or the file system's type for `server` (bytes that an NFS server received
    or sent). `copies` is how many times the devices store each byte.
    """

    source: CounterSource = "device"
    names: Sequence[str] = ()
    copies: int = 1
    reason: CounterReason | None = None
    disks: Sequence[str] = ()
    """The physical disks below."""

    @property
    def devices(self) -> Sequence[str]:
        """What others on the same host share with it: its disks, or its devices if unknown."""
        return self.disks or self.names


@dataclass(frozen=True)
class Evidence:
    """What is known of one trial, in bytes; `device_*` are null if no counter measures them.

    `sync` is how the final sync ended. `resident_*` were pages in the page cache before a read, or
    after a direct write; `resident_after_*` those after a direct read. `first_read` are the bytes
    of a read that had not been read since they were written.
    """

    kind: Literal["write", "read"]
    cache: str
    fs_type: str | None
    claimed: int
    device_app: int | None
    device_durable: int | None
    working_set: int
    mem_limit_bytes: int
    array_cache: int | None
    resident_checked: int | None
    resident_pages: int | None
    resident_after_checked: int | None = None
    resident_after_pages: int | None = None
    first_read: int | None = None
    counter: Counter = Counter()
    sync: Literal["complete", "bounded", "none"] = "complete"
    contention: ContentionState | None = None
    siblings_bytes: int | None = None
    """Bytes of other participants of the run on the device; None if there are none."""


def application(evidence: Evidence) -> ServedBy:
    """Return the source of the rate up to the return of the last operation."""
    read = evidence.kind == "read"
    moved = evidence.device_app
    resident = _resident(evidence)
    if not read and _device_took_all(evidence, moved):
        resident = None
    found = resident or _judge(evidence, moved, "" if read else "When the last write returned, ")
    found = _reread(evidence, found) if read else found
    return replace(found, figures=_figures(evidence, moved))


def durable(evidence: Evidence) -> ServedBy:
    """Return the source of the rate up to the return of the final sync.

    Pages in memory say nothing about it: they may stay there after they were written.
    """
    timed_out = evidence.sync == "bounded"
    when = "When the sync timed out, " if timed_out else "After the sync, "
    moved = evidence.device_durable
    return replace(_judge(evidence, moved, when), figures=_figures(evidence, moved))


def _figures(e: Evidence, moved: int | None) -> dict[str, float]:
    """Return the numbers that the rules use, without unknown ones."""
    known: dict[str, float | None] = {
        "claimed_bytes": e.claimed,
        "device_bytes": moved,
        "device_after_sync_bytes": e.device_durable,
        "copies": e.counter.copies,
        "siblings_bytes": e.siblings_bytes,
        "working_set_bytes": e.working_set,
        "memory_limit_bytes": e.mem_limit_bytes,
        "array_cache_bytes": e.array_cache,
        "resident_share": _part(e.resident_pages, e.resident_checked),
        "resident_after_share": _part(e.resident_after_pages, e.resident_after_checked),
        "first_read_bytes": e.first_read,
    }
    return {name: float(value) for name, value in known.items() if value is not None}


def _part(pages: int | None, checked: int | None) -> float | None:
    return pages / checked if checked and pages is not None else None


def weakest(trials: Iterable[ServedBy]) -> ServedBy | None:
    """Return the gravest source of several trials."""
    return max(trials, key=lambda each: _GRAVITY.index(each.source), default=None)


def _device_took_all(e: Evidence, moved: int | None) -> bool:
    """Return whether the device had taken all that it had to when the last write returned.

    Pages may remain in memory that were written as well, as with a journal of data. What the sync
    still had to write is not the amplification of what had been written.
    """
    if moved is None or e.contention == "contended" or e.siblings_bytes is not None:
        return False
    due = max(_counted(e, e.claimed), e.device_durable or 0)
    return bool(due) and moved >= CLAIM_SHARE * due


def _judge(e: Evidence, moved: int | None, when: str) -> ServedBy:
    """Return what the counter says; a write that was synced is not only in memory."""
    found = None if moved is None else _missing(e, moved, when)
    return found or _array_cache(e) or (_no_counter(e) if moved is None else _moved(e, moved, when))


def _missing(e: Evidence, moved: int, when: str) -> ServedBy | None:
    """Describe bytes that the counter does not show: in memory, or not counted."""
    share = _share(e, moved)
    if not _counts(e):
        return _not_counted(e)
    if share >= CLAIM_SHARE:
        return None
    settled = e.sync == "complete" and moved == e.device_durable and _reuses(e)
    rest = "the rest was overwritten in memory" if settled else "the rest was in memory"
    said = capital(f"{when}{_reached(e, percent(share))}; {rest}.")
    return ServedBy("page_cache", "device_bytes", said)


def _array_cache(e: Evidence) -> ServedBy | None:
    if e.array_cache is not None and e.working_set < ARRAY_CACHE_FACTOR * e.array_cache:
        return ServedBy(
            "array_cache",
            "array_cache",
            f"The working set of {size(e.working_set)} is under twice the array's declared cache "
            f"of {size(e.array_cache)}.",
        )
    return None


def _moved(e: Evidence, moved: int, when: str) -> ServedBy:
    """Describe a trial whose bytes were all seen below the file system."""
    share = _share(e, moved)
    said = capital(f"{when}{_took(e, share)}")
    if e.counter.source == "server":
        said += "; whether its storage or its memory served them is not visible from this host."
        return ServedBy("unknown", "server_bytes", said)
    if e.siblings_bytes is not None:
        said += "; its counter includes other participants of the run on the same device."
        return ServedBy("unknown", "shared_device", said)
    if e.kind == "write" and share >= AMPLIFIED:
        said = capital(f"{when}{_device(e)} had received {share:.1f} times the data written")
        return _excess(e, said)
    if share > WHOLE:
        said += f": {_cause(e)}"
    return ServedBy("device", "device_bytes", say("{}.", said))


_OWN = {"write": "the file system's own writes", "read": "read-ahead"}


def _cause(e: Evidence) -> str:
    """Return why the device moved somewhat more than the data."""
    match e.contention:
        case "none":
            return _OWN[e.kind]
        case "contended":
            return "other I/O"
        case _:
            return f"other I/O or {_OWN[e.kind]}"


def _share(e: Evidence, moved: int) -> float:
    """Return the bytes moved per byte claimed, divided by the number of copies."""
    claimed = _counted(e, e.claimed)
    return moved / claimed if claimed else 1.0


def _counted(e: Evidence, size: int) -> int:
    """Return what the counter shows for bytes that left the page cache, or came from elsewhere."""
    return size * (e.counter.copies if e.kind == "write" else 1)


def _counts(e: Evidence) -> bool:
    """Return whether the counter demonstrably counts bytes that left the page cache.

    After a completed sync no byte is only in memory. A counter that misses some even then counts
    something else or nothing, and its earlier value is meaningless too. Data that was overwritten
    in memory never had to leave it, nor does data that is read again have to come from elsewhere.
    """
    final = e.device_app if e.kind == "read" else e.device_durable
    if final is None:
        return True
    if _share(e, final) >= CLAIM_SHARE:
        return True
    if _reuses(e) and final >= CLAIM_SHARE * _counted(e, e.working_set):
        return True
    if e.counter.reason is not None or _bypassed(e):
        return False
    return e.kind == "read" or (e.sync != "complete" and final > 0)


def _reuses(e: Evidence) -> bool:
    """Return whether a buffered trial overwrote or reread its own data, as a ring of files does."""
    return e.cache != "direct" and e.working_set < e.claimed


def _bypassed(e: Evidence) -> bool:
    """Return whether the page cache was checked and held almost none of the bytes."""
    if e.kind == "write":
        return e.cache == "direct" and _resident_share(e.resident_checked, e.resident_pages) == 0
    return _resident_share(e.resident_checked, e.resident_pages) == 0


def _resident_share(checked: int | None, pages: int | None) -> float | None:
    """Return the share of resident pages, 0 if below the limit; null if none was checked."""
    share = _part(pages, checked)
    return 0 if share is not None and share < RESIDENT_SHARE else share


def _took(e: Evidence, share: float) -> str:
    """Return a clause about bytes that were all seen; a share above all of them is none."""
    if share <= WHOLE:
        return _reached(e, percent(min(share, 1)))
    moved = "received" if e.kind == "write" else "delivered"
    data = "written" if e.kind == "write" else "read"
    return f"{_device(e)} had {moved} more than the data {data}"


def _reached(e: Evidence, amount: str) -> str:
    """Return a clause such as `40 % of the data had reached the device`."""
    verb = "had reached" if e.kind == "write" else "came from"
    return f"{amount} of the data {verb} {_device(e)}"


def _device(e: Evidence) -> str:
    match e.counter.source:
        case "server":
            return "the NFS server"
        case "members":
            return f"the devices {_and(e.counter.names)}"
        case "paths":
            return f"the paths {_and(e.counter.names)}"
        case _:
            return "the device"


def _excess(e: Evidence, said: str) -> ServedBy:
    """Describe a device that moved far more than the trial."""
    if e.contention == "none":
        return ServedBy("device", "amplified", say("{}: the writes are amplified.", said))
    if e.contention == "contended":
        return ServedBy("device", "device_bytes", say("{}, including other I/O.", said))
    return ServedBy(
        "device", "others_or_amplification", say("{}: other I/O or amplification.", said)
    )


def _reread(e: Evidence, found: ServedBy) -> ServedBy:
    """Add to a repeated read that an invisible cache may have served it."""
    if e.first_read is None or e.first_read >= e.claimed:
        return found
    said = (
        f"{percent(1 - e.first_read / e.claimed)} of the data had been read before in this run: "
        "a cache that is not visible from this host may hold it."
    )
    return replace(found, evidence=say("{} {}", found.evidence, said))


def _resident(e: Evidence) -> ServedBy | None:
    """Describe pages in this machine's page cache that should not be there."""
    if e.kind == "read":
        before = _resident_share(e.resident_checked, e.resident_pages)
        if before:
            said = f"{percent(before)} of the pages were in the page cache before the trial began."
            return ServedBy("page_cache", "resident", said)
        after = _resident_share(e.resident_after_checked, e.resident_after_pages)
    else:
        after = _resident_share(e.resident_checked, e.resident_pages)
    if not after or e.cache != "direct":
        return None
    said = (
        f"{percent(after)} of the pages were in the page cache although O_DIRECT was accepted: "
        "the file system buffers it."
    )
    return ServedBy("page_cache", "resident", said)


def _not_counted(e: Evidence) -> ServedBy:
    if e.counter.reason == "iostats_off":
        return _no_counter(e)
    final = e.device_app if e.kind == "read" else e.device_durable
    shown = percent(_share(e, final or 0))
    if e.kind == "write" and e.sync == "bounded":
        said = f"When the sync timed out, by its counter only {_reached(e, shown)}."
        return ServedBy("unknown", "bytes_not_counted", said)
    why = "The sync returned" if e.kind == "write" else "The page cache held none of the data"
    return ServedBy(
        "unknown",
        "bytes_not_counted",
        f"{why}, but by its counter only {_reached(e, shown)}: the counter does not count all "
        "data, or the data went elsewhere.",
    )


def _no_counter(e: Evidence) -> ServedBy:
    names = _and(e.counter.names)
    match e.counter.reason:
        case "iostats_off":
            said = (
                f"I/O statistics are switched off (queue/iostats=0) on {names}: "
                "its counter does not show the device's I/O."
            )
            return ServedBy("unknown", "iostats_off", said)
        case "members_unknown":
            said = f"The devices of this file system ({e.fs_type or 'unknown'}) cannot be listed."
            return ServedBy("unknown", "members_unknown", said)
        case "mixed_profiles":
            said = (
                f"{e.fs_type or 'The file system'} stores data with several profiles at once, as "
                "during a balance: the number of copies of each byte is unknown."
            )
            return ServedBy("unknown", "mixed_profiles", said)
        case "too_many_members":
            said = "The file system has more devices than the probe counts."
            return ServedBy("unknown", "too_many_members", said)
        case "unreadable":
            return ServedBy("unknown", "unreadable", f"The counter of {names} cannot be read.")
        case _:
            return _no_device(e)


def _no_device(e: Evidence) -> ServedBy:
    fits = e.cache != "direct" and e.working_set < e.mem_limit_bytes
    memory = (
        f" The working set of {size(e.working_set)} fits into the memory of "
        f"{size(e.mem_limit_bytes)} that may cache it."
        if fits
        else ""
    )
    return ServedBy(
        "unknown",
        "no_device",
        f"This file system ({e.fs_type or 'unknown'}) has no local block device: "
        f"nothing on this host shows where the data was.{memory}",
    )


def _and(names: Sequence[str]) -> str:
    if len(names) < 2:
        return names[0] if names else "the device"
    return f"{', '.join(names[:-1])} and {names[-1]}"
