"""The moment at which the receiver's rate changed for good, and whether its cache was exhausted."""

from assay.analysis import cliff as rules
from assay.analysis import course, words
from assay.analysis.cliff import Cliff
from assay.analysis.flags import Flag
from assay.analysis.served_by import CLAIM_SHARE
from assay.kinds.records.ends import Received
from assay.kinds.records.figures import CliffCause, RecordsCliff
from assay.kinds.run_record import AttemptRecord, MemoryCourse, RunRecord

LEVEL = 0.75
"""A disk that takes this part of the data has become the limit: the kernel slows writers down by
degrees, so that memory still takes in a little."""

FEWEST_INTERVALS = 20
"""With fewer intervals, no cliff can be excluded."""


def cliff_of(
    run: RunRecord, receiver: AttemptRecord | None, arrived: Received | None, copies: int
) -> RecordsCliff | None:
    """Return the permanent change of the rate at which the receiver took in payload.

    `copies` is how many times the sink's devices store each byte.
    """
    if receiver is None or arrived is None or receiver.course is None:
        return None
    found = rules.find(receiver.course)
    if found is None:
        return None
    cause = _cause(found, arrived.expansion * copies)
    dirty, available = _at(receiver.memory, found.at_ns)
    return RecordsCliff(
        at_ns=found.at_ns,
        at_records=found.before.bytes // arrived.record_bytes,
        at_bytes=found.before.bytes,
        before_bytes_per_s=found.before.bytes_per_s,
        before_ns=found.before.duration_ns,
        after_bytes_per_s=found.after.bytes_per_s,
        after_ns=found.after.duration_ns,
        change=1 - found.after.bytes_per_s / found.before.bytes_per_s,
        changed_again=found.again,
        in_window=found.at_ns > run.parameters["warm_up_ms"] * 10**6,
        cause=cause,
        dirty_bytes=dirty,
        available_bytes=available,
        message=_message(found, cause, dirty),
    )


def _cause(found: Cliff, per_byte: float) -> CliffCause:
    """Return whether the disk took a part of the data before the rate fell, and most of it after.

    `per_byte` is how many bytes the devices store for each byte of payload.
    """
    before, after = found.before, found.after
    if before.device_bytes is None or after.device_bytes is None:
        return "unknown"
    fell = after.bytes_per_s < before.bytes_per_s
    ahead = before.device_bytes < CLAIM_SHARE * per_byte * before.bytes
    level = after.device_bytes >= LEVEL * per_byte * after.bytes
    return "cache_exhausted" if fell and ahead and level else "unknown"


def _message(found: Cliff, cause: CliffCause, dirty: int | None) -> str:
    if cause == "unknown":
        return found.sentence()
    held = f", with {words.size(dirty)} of unwritten data in memory" if dirty is not None else ""
    return f"{found.sentence()} The cache of the sink was exhausted{held}."


def _at(memory: MemoryCourse | None, at_ns: int) -> tuple[int | None, int | None]:
    """Return the unwritten and the available bytes of the host at a time."""
    if memory is None:
        return None, None
    places = range(len(memory.end_ns))
    place = next((one for one in places if memory.end_ns[one] >= at_ns), len(memory.end_ns) - 1)
    return memory.dirty_bytes[place], memory.available_bytes[place]


def faded_in_window(
    run: RunRecord, receiver: AttemptRecord | None, arrived: Received | None
) -> Flag | None:
    """Return that the rate fell within the window, at no moment that a cliff would name.

    A short window may be too short for a level, and a kernel slows writers down by degrees.
    """
    if receiver is None or arrived is None or receiver.course is None:
        return None
    ramp_ns = run.parameters["warm_up_ms"] * 10**6
    window = course.first_part(course.without_start(receiver.course, ramp_ns), arrived.window_ns)
    thirds = course.fading(window)
    if thirds is None:
        return None
    first, last = thirds
    return Flag(
        "cliff",
        f"The last third of the window reached {words.rate(last)}, the first {words.rate(first)}: "
        "a cache may have taken in the data at first. When the rate fell is not clear.",
        {"first_bytes_per_s": first, "last_bytes_per_s": last, "change": 1 - last / first},
        ("application",),
    )


def no_cliff_within(run: RunRecord, receiver: AttemptRecord | None) -> int | None:
    """Return the payload within which a change of the rate is excluded; None if it is not.

    A paced trial shows only that its rate was held.
    """
    seen = receiver.course if receiver else None
    if receiver is None or seen is None or run.parameters["rate_records_per_s"]:
        return None
    long_enough = sum(seen.dt_ns) >= 2 * rules.LEAST_NS
    return receiver.bytes if long_enough and len(seen.dt_ns) >= FEWEST_INTERVALS else None
