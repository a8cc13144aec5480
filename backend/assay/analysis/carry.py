"""Whether storage carries a constant rate: yes, with a buffer, or no.

A rate is carried if the storage's capacity at last exceeds it: that of the last lasting level, or
without levels that of the trial and of its end. Then the queue of arriving data empties after each
stall or slower level, and its largest backlog is the buffer.
Capacity is bytes ÷ service time, so pauses of a paced trial do not count. It is that of all
streams: one may be slower than its part of the rate, and its queue is then not empty at the end.

The buffer is the memory that bridges the storage's stalls: the backlog of a queue that is fed at a
constant rate. The probe keeps a running backlog (Lindley's recursion over the recorded service
times) for a list of rates. The largest backlog grows with the rate, so that between two of them it
is bounded by theirs. Peak write time × rate is the usual rule of thumb. It misses stalls that
follow each other before the queue is empty, so it may be too small.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal


@dataclass(frozen=True)
class Backlog:
    """The queue at one rate: its largest backlog, when that was, and the backlog at the end."""

    bytes_per_s: int
    most_bytes: int
    end_bytes: int
    most_at_ns: int


@dataclass(frozen=True)
class Buffer:
    """Memory needed at a rate: between two bounds, which are equal if the rate was simulated.

    `most_bytes` is null above the highest simulated rate. `by_peak_bytes` is the longest operation
    × the rate. `at_ns` is when the backlog was largest; null if the rate was not simulated.
    """

    least_bytes: int
    most_bytes: int | None
    by_peak_bytes: int
    at_ns: int | None

    @property
    def exact(self) -> bool:
        """Whether this rate was simulated."""
        return self.least_bytes == self.most_bytes


def backlogs(rows: Sequence[Sequence[int]]) -> list[Backlog]:
    """Return the probe's rows `[rate, max_bytes, end_bytes, max_at_ns]`, sorted by rate."""
    found = [Backlog(rate, most, end, at) for rate, most, end, at in rows]
    return sorted(found, key=lambda one: one.bytes_per_s)


def buffer_at(simulated: Sequence[Backlog], bytes_per_s: float, peak_ns: int) -> Buffer | None:
    """Return the memory needed at a rate; None if no rate was simulated.

    `simulated` is sorted by rate; `peak_ns` is the longest operation.
    """
    if not simulated:
        return None
    by_peak = round(peak_ns * bytes_per_s / 1e9)
    at = bisect_left(simulated, bytes_per_s, key=lambda one: one.bytes_per_s)
    above = simulated[at] if at < len(simulated) else None
    if above and above.bytes_per_s == bytes_per_s:
        return Buffer(above.most_bytes, above.most_bytes, by_peak, above.most_at_ns)
    least = simulated[at - 1].most_bytes if at else 0
    # sums of streams with different stalls may differ by rounding
    most = max(least, above.most_bytes) if above else None
    return Buffer(least, most, by_peak, None)


PARTS = 10
"""The last of so many parts of the data must have the capacity, too."""

TOLERANCE = 1e-6
"""Rounding of an offered rate to whole bytes per second."""

DRAINED_BLOCKS = 2
"""A backlog has drained if at the end it is at most a block of each stream and so many more."""

FULL_OVERLAP = 0.9
"""Minimum share of a recording within the common window for what its backlogs show at the end."""

Carried = Literal["yes", "buffered", "undecided", "no", "not_tested"]

Reason = Literal[
    "above_offered", "page_cache", "interrupted", "short_overlap", "not_recorded", "not_drained"
]
"""Why a rate was not tested; `not_drained`: why it is undecided."""

WHY: dict[Reason, str] = {
    "above_offered": "above the offered rate",
    "page_cache": "the page cache served it",
    "interrupted": "the trial was interrupted",
    "short_overlap": "the participants overlapped too little",
    "not_recorded": "no simulated queue",
    "not_drained": "a stream's queue was not empty at the end",
}
"""The reasons as clauses."""

GRAVITY: tuple[Carried, ...] = ("yes", "buffered", "undecided", "no")
"""The answers of tested rates, the gravest last."""


@dataclass(frozen=True)
class Stretch:
    """Neighboring marks: their place in time and data, and the storage's capacity meanwhile.

    `busy_ns` is the service time of all operations of all streams, without those of the bytes that
    were left out because of a gap.
    """

    begin_ns: int
    end_ns: int
    begin_bytes: int
    end_bytes: int
    busy_ns: int
    streams: int
    left_out_bytes: int = 0

    @property
    def bytes(self) -> int:
        """The bytes that were moved in `busy_ns`."""
        return self.end_bytes - self.begin_bytes - self.left_out_bytes

    @property
    def capacity_bytes_per_s(self) -> float:
        """Bytes per second of service; infinite if it took no time."""
        moved = self.bytes * self.streams
        return moved * 1e9 / self.busy_ns if self.busy_ns else float("inf")


@dataclass(frozen=True)
class Recording:
    """What a trial shows of its storage: the stretches in order, and the simulated queues.

    `offered_bytes_per_s` is null for unpaced trials, which test any rate, and pessimistically: the
    storage never rests. `levels` are the first stretches of the lasting levels after the first one;
    none if the rate never changed for good. `doubt`: the recording shows only which rates are not
    carried, for this reason.
    """

    stretches: Sequence[Stretch]
    backlogs: Sequence[Backlog]
    peak_ns: int
    block: int
    streams: int
    offered_bytes_per_s: float | None
    levels: Sequence[int] = ()
    doubt: Reason | None = None

    def within(self, since_ns: int, until_ns: int, begins_ns: Sequence[int]) -> "Recording":
        """Return the part from `since_ns` to `until_ns`, with levels that begin at `begins_ns`."""
        kept = [
            one for one in self.stretches if since_ns <= one.begin_ns and one.end_ns <= until_ns
        ]
        part = sum(one.end_ns - one.begin_ns for one in kept)
        whole = sum(one.end_ns - one.begin_ns for one in self.stretches)
        # after the others have ended, a slow stream's queue may have become empty
        alone = self.streams > 1 and part < FULL_OVERLAP * whole
        return replace(
            self,
            stretches=kept,
            levels=starts(kept, begins_ns),
            doubt=self.doubt or ("short_overlap" if alone else None),
        )

    @property
    def whole(self) -> Stretch:
        """All stretches together."""
        return _sum(self.stretches)

    @property
    def deciding(self) -> Stretch:
        """The last level; without levels the whole recording or its end, whichever has less."""
        if self.levels:
            return _sum(self.stretches[self.levels[-1] :])
        return min(self.whole, _last(self.stretches), key=lambda one: one.capacity_bytes_per_s)

    @property
    def lowest(self) -> Stretch:
        """The level of the least capacity; without levels, what decides."""
        edges = [0, *self.levels, len(self.stretches)]
        levels = [_sum(self.stretches[begin:end]) for begin, end in pairwise(edges)]
        least = min(levels, key=lambda one: one.capacity_bytes_per_s)
        return least if self.levels else self.deciding


def starts(stretches: Sequence[Stretch], begins_ns: Sequence[int]) -> list[int]:
    """Return the first stretches of levels that begin at these times, but for the first level."""
    found = (
        next((n for n, one in enumerate(stretches) if one.begin_ns >= begin), 0)
        for begin in begins_ns[1:]
    )
    return sorted({one for one in found if one})


@dataclass(frozen=True)
class Carry:
    """The answer for one rate. `margin` is capacity ÷ rate − 1; null if the rate was not tested.

    `decides` is the stretch with the capacity that decides, or in which the backlog was largest.
    Of several participants, `margin` is that of the slowest one, `place` the one that decides, and
    `aggregate_margin` that of all their capacities together.
    """

    bytes_per_s: float
    carried: Carried
    margin: float | None
    buffer: Buffer | None
    decides: Stretch | None
    reason: Reason | None = None
    place: int = 0
    aggregate_margin: float | None = None


def carry(seen: Recording, bytes_per_s: float) -> Carry:
    """Return whether the storage of this recording carries the rate."""
    offered = seen.offered_bytes_per_s
    if not seen.stretches:
        return untested(bytes_per_s, "not_recorded")
    last = seen.deciding
    margin = _margin(last, bytes_per_s)
    # what fell behind the offered rate does not keep up with a higher one, either
    if (
        offered is not None
        and bytes_per_s > offered * (1 + TOLERANCE)
        and last.capacity_bytes_per_s >= offered * (1 - TOLERANCE)
    ):
        return untested(bytes_per_s, "above_offered")
    if margin < 0:
        return Carry(bytes_per_s, "no", margin, None, last)
    buffer = buffer_at(seen.backlogs, bytes_per_s, seen.peak_ns)
    if buffer is None or seen.doubt:
        return untested(bytes_per_s, seen.doubt or "not_recorded")
    if not _is_drained(seen, bytes_per_s):
        return Carry(bytes_per_s, "undecided", margin, buffer, last, "not_drained")
    return _drained(seen, bytes_per_s, margin, buffer)


def _drained(seen: Recording, bytes_per_s: float, margin: float, buffer: Buffer) -> Carry:
    """Return that a rate is carried, with this buffer unless it is no more than the blocks."""
    lowest = seen.lowest
    at_lowest = _margin(lowest, bytes_per_s)
    # a block that is being written is not yet a buffer
    free = buffer.most_bytes is not None and buffer.most_bytes <= seen.block * seen.streams
    if free and at_lowest >= 0:
        return Carry(bytes_per_s, "yes", at_lowest, buffer, lowest)
    decides = _at(seen.stretches, buffer.at_ns) or _slowest(seen.stretches)
    return Carry(bytes_per_s, "buffered", margin, buffer, lowest if at_lowest < 0 else decides)


def _margin(stretch: Stretch, bytes_per_s: float) -> float:
    return stretch.capacity_bytes_per_s / bytes_per_s - 1


def _is_drained(seen: Recording, bytes_per_s: float) -> bool:
    """Return whether nothing suggests that the queue was not empty at the end.

    A slower level before the last one may have filled it, and one of several streams may be slow.
    """
    if seen.levels and _margin(seen.whole, bytes_per_s) < 0:
        return False
    return seen.streams == 1 or drained(seen.backlogs, bytes_per_s, seen.block, seen.streams)


def carry_evenly(parts: Sequence[Recording], bytes_per_s: float) -> Carry:
    """Return whether participants carry a rate that is spread evenly over them."""
    answers = [carry(part, bytes_per_s / len(parts)) for part in parts]
    place = max(range(len(answers)), key=lambda one: _gravity_evenly(answers[one]))
    gravest = answers[place]
    if gravest.carried == "not_tested":
        return untested(bytes_per_s, gravest.reason or "not_recorded")
    margins = [one.margin for one in answers if one.margin is not None]
    capacities = [part.deciding.capacity_bytes_per_s for part in parts if part.stretches]
    known = len(capacities) == len(parts)
    return replace(
        gravest,
        bytes_per_s=bytes_per_s,
        margin=min(margins),
        buffer=_together([one.buffer for one in answers if one.buffer], len(parts)),
        place=place,
        aggregate_margin=sum(capacities) / bytes_per_s - 1 if known else None,
    )


def untested(bytes_per_s: float, reason: Reason) -> Carry:
    """Return that a rate was not tested."""
    return Carry(bytes_per_s, "not_tested", None, None, None, reason)


def gravity(answer: Carry) -> tuple[int, float]:
    """Order tested rates: no is graver than yes, then the larger buffer, or the smaller margin."""
    need = float(answer.buffer.least_bytes) if answer.buffer else -(answer.margin or 0.0)
    return GRAVITY.index(answer.carried), need


def _gravity_evenly(answer: Carry) -> tuple[int, float]:
    """Order participants: a single no decides, then a rate that one did not test."""
    order: tuple[Carried, ...] = ("yes", "buffered", "undecided", "not_tested", "no")
    if answer.carried == "buffered" and answer.buffer:
        return order.index("buffered"), float(answer.buffer.least_bytes)
    return order.index(answer.carried), -(answer.margin or 0.0)


def _together(buffers: Sequence[Buffer], of: int) -> Buffer | None:
    """Return the memory of all participants; None if one has none."""
    if len(buffers) < of:
        return None
    most = [one.most_bytes for one in buffers]
    return Buffer(
        sum(one.least_bytes for one in buffers),
        None if None in most else sum(one or 0 for one in most),
        sum(one.by_peak_bytes for one in buffers),
        None,
    )


def drained(simulated: Sequence[Backlog], bytes_per_s: float, block: int, streams: int) -> bool:
    """Return whether the backlog is small at the end, at this rate and at lower ones.

    It is not compared with the largest one: that is a sum over the streams, in which the growing
    queue of one of many is a small part.
    """
    most = (streams + DRAINED_BLOCKS) * block
    return all(
        one.end_bytes <= most
        for one in simulated
        if one.bytes_per_s <= bytes_per_s * (1 + TOLERANCE)
    )


def _last(stretches: Sequence[Stretch]) -> Stretch:
    """Return the last tenth of the data."""
    *others, last = stretches
    tenth = (last.end_bytes - stretches[0].begin_bytes) // PARTS
    return _sum([*(o for o in others if o.begin_bytes >= last.end_bytes - tenth), last])


def _sum(stretches: Sequence[Stretch]) -> Stretch:
    first, last = stretches[0], stretches[-1]
    busy = sum(one.busy_ns for one in stretches)
    left_out = last.end_bytes - first.begin_bytes - sum(one.bytes for one in stretches)
    return Stretch(
        first.begin_ns,
        last.end_ns,
        first.begin_bytes,
        last.end_bytes,
        busy,
        first.streams,
        left_out,
    )


def _at(stretches: Sequence[Stretch], at_ns: int | None) -> Stretch | None:
    if at_ns is None:
        return None
    return next((one for one in stretches if one.begin_ns <= at_ns <= one.end_ns), None)


def _slowest(stretches: Sequence[Stretch]) -> Stretch:
    return min(stretches, key=lambda one: one.capacity_bytes_per_s)
