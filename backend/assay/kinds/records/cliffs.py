"""The lasting levels of the receiver's rate, and whether its cache was exhausted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from assay.analysis import levels as rules
from assay.analysis import throughput
from assay.analysis.contention import others_at
from assay.analysis.flags import Flag
from assay.analysis.level_search import find
from assay.analysis.levels import Held, HeldRate, Level, levels_words
from assay.analysis.served_by import CLAIM_SHARE
from assay.analysis.shape import fading
from assay.base import words
from assay.base.worded import say
from assay.kinds.evidence import Findings
from assay.kinds.levels import HeldLevels
from assay.kinds.records.figures import RecordsCliff
from assay.kinds.records.observations import Received
from assay.kinds.run_record import AttemptRecord, MemoryCourse, RunRecord

LEVEL = 0.75
"""A disk that takes this part of the data has become the limit: the kernel slows writers down by
degrees, so that memory still takes in a little."""

FEWEST_INTERVALS = 20
"""With fewer intervals, no cliff can be excluded."""


@dataclass(frozen=True)
class RateChanges:
    """How the rate at which a receiver took in payload changed for good.

    `levels` are those of the window, `faded` is a fall at no known moment, and `none_within` the
    payload within which a change is excluded; null if it is not.
    """

    cliff: RecordsCliff | None
    levels: HeldLevels
    faded: Flag | None
    none_within: int | None


def changes_of(
    run: RunRecord, receiver: AttemptRecord, arrived: Received, found: Findings | None
) -> RateChanges:
    """Return the changes of a trial's rate; those that others caused are none.

    `found` is who served the sink's disk, and who else used it.
    """
    seen = find(receiver.course) if receiver.course else []
    others = [(found.contention if found else None, 0)]
    held = rules.without(rules.held(seen), lambda at_ns: others_at(at_ns, others))
    copies = found.counter.copies if found else 1
    if held:
        cliff = _cliff(seen, held, receiver, arrived, copies)
        return RateChanges(cliff, in_window(held, warm_up_ns(run), arrived.window_ns), None, None)
    if len(seen) > 1:
        return RateChanges(None, [], None, None)
    faded = _faded(run, receiver, arrived)
    return RateChanges(None, [], faded, None if faded else _none_within(run, receiver))


def warm_up_ns(run: RunRecord) -> int:
    """Return the part of each trial that counts in no rate."""
    return run.parameters["warm_up_ms"] * 10**6


def _cliff(
    found: Sequence[Level],
    levels: Held,
    receiver: AttemptRecord,
    arrived: Received,
    copies: int,
) -> RecordsCliff:
    """Return the first lasting fall; of several, the first at which the cache was exhausted.

    `found` are the levels as the rate shows them, those of `levels` lasted. `copies` is how many
    times the sink's devices store each byte.
    """
    changes = {level.from_ns for level in levels[1:]}
    falls = [
        place
        for place, (before, after) in enumerate(pairwise(found), start=1)
        if after.bytes_per_s < before.bytes_per_s and after.from_ns in changes
    ]
    exhausted = [one for one in falls if _is_exhausted(found, one, arrived.expansion * copies)]
    changed = [found[place].from_ns for place in (*exhausted, *falls)] or [levels[1].from_ns]
    at = next(level for level in levels if level.from_ns == changed[0])
    dirty, available = _at(receiver.memory, at.from_ns)
    said = say("The rate changed for good: {}.", levels_words(levels))
    if exhausted:
        held = (
            f", with {words.size(dirty)} of unwritten data in memory" if dirty is not None else ""
        )
        after = f" after {words.duration(at.from_ns)}" if len(levels) > 2 else ""
        said += f" The cache of the sink was exhausted{after}{held}."
    return RecordsCliff(
        levels=[*levels],
        at_ns=at.from_ns,
        at_records=at.from_bytes // arrived.record_bytes,
        at_bytes=at.from_bytes,
        cause="cache_exhausted" if exhausted else "unknown",
        dirty_bytes=dirty,
        available_bytes=available,
        message=said,
    )


def _is_exhausted(found: Sequence[Level], place: int, per_byte: float) -> bool:
    """Return whether the disk took a part of the data before a level, and most of it during it.

    `per_byte` is how many bytes the devices store for each byte of payload.
    """
    before, after = found[:place], found[place]
    taken = [level.device_bytes for level in before]
    if None in taken or after.device_bytes is None:
        return False
    moved = sum(level.bytes for level in before)
    ahead = sum(one or 0 for one in taken) < CLAIM_SHARE * per_byte * moved
    return ahead and after.device_bytes >= LEVEL * per_byte * after.bytes


def in_window(levels: Held, warm_up_ns: int, window_ns: int) -> list[HeldRate]:
    """Return the levels in the window after the warm-up; none if the rate did not change there.

    Of a level that lasts into the window, or beyond it, less than `LEAST_NS` is none.
    """
    end_ns = warm_up_ns + window_ns
    parts = [_within(level, warm_up_ns, end_ns) for level in levels]
    kept = [one for one in parts if one.duration_ns >= rules.LEAST_NS]
    return kept if len(kept) > 1 else []


def _within(level: HeldRate, since_ns: int, until_ns: int) -> HeldRate:
    """Return the part of a level in a period, of no duration if there is none."""
    before_ns = max(0, since_ns - level.from_ns)
    after_ns = max(0, level.to_ns - until_ns)
    before, after = (round(ns * level.bytes_per_s / 1e9) for ns in (before_ns, after_ns))
    return replace(
        level,
        duration_ns=max(0, level.duration_ns - before_ns - after_ns),
        bytes=max(0, level.bytes - before - after),
        from_ns=level.from_ns + before_ns,
        from_bytes=level.from_bytes + before,
        to_ns=level.to_ns - after_ns,
        to_bytes=level.to_bytes - after,
    )


def _at(memory: MemoryCourse | None, at_ns: int) -> tuple[int | None, int | None]:
    """Return the unwritten and the available bytes of the host at a time."""
    if memory is None:
        return None, None
    places = range(len(memory.end_ns))
    place = next((one for one in places if memory.end_ns[one] >= at_ns), len(memory.end_ns) - 1)
    return memory.dirty_bytes[place], memory.available_bytes[place]


def _faded(run: RunRecord, receiver: AttemptRecord, arrived: Received) -> Flag | None:
    """Return that the rate fell within the window, at no moment that levels would name.

    A window may be too short for levels, and a kernel slows writers down by degrees.
    """
    if receiver.course is None:
        return None
    window = throughput.first_part(
        throughput.without_start(receiver.course, warm_up_ns(run)), arrived.window_ns
    )
    thirds = fading(window)
    if thirds is None:
        return None
    first, last = thirds
    return Flag(
        "cliff",
        say(
            "The last third of the window reached {}, the first {}: a cache may have taken "
            "in the data at first. When the rate fell is not clear.",
            {"bytes_per_s": last},
            {"bytes_per_s": first},
        ),
        {"first_bytes_per_s": first, "last_bytes_per_s": last, "change": 1 - last / first},
        ("application",),
    )


def _none_within(run: RunRecord, receiver: AttemptRecord) -> int | None:
    """Return the payload within which a change of the rate is excluded; None if it is not.

    A paced trial shows only that its rate was held.
    """
    seen = receiver.course
    if seen is None or run.parameters["rate_records_per_s"]:
        return None
    long_enough = sum(seen.dt_ns) >= 2 * rules.LEAST_NS
    return receiver.bytes if long_enough and len(seen.dt_ns) >= FEWEST_INTERVALS else None
