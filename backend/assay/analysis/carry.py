"""Whether storage carries a constant rate: yes, with a buffer, or no.

A rate is carried if the storage's capacity, over the trial and where it is least at last, exceeds
it; then the queue of arriving data empties after each stall, and its largest backlog is the buffer.
Capacity is bytes ÷ service time, so pauses of a paced trial do not count.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assay.analysis.backlog import Backlog, Buffer, buffer_at

PARTS = 10
"""The last of so many parts of the data must have the capacity, too."""

TOLERANCE = 1e-6
"""Rounding of an offered rate to whole bytes per second."""

Carried = Literal["yes", "buffered", "no", "not_tested"]


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
    storage never rests. `settled` is the first stretch after a cliff; 0 without one.
    """

    stretches: Sequence[Stretch]
    backlogs: Sequence[Backlog]
    peak_ns: int
    block: int
    streams: int
    offered_bytes_per_s: float | None
    settled: int = 0


@dataclass(frozen=True)
class Carry:
    """The answer for one rate. `margin` is capacity ÷ rate − 1; null if the rate was not tested.

    `decides` is the stretch with the capacity that decides, or in which the backlog was largest.
    """

    bytes_per_s: float
    carried: Carried
    margin: float | None
    buffer: Buffer | None
    decides: Stretch | None


def carry(seen: Recording, bytes_per_s: float) -> Carry:
    """Return whether the storage of this recording carries the rate."""
    offered = seen.offered_bytes_per_s
    if not seen.stretches or (offered is not None and bytes_per_s > offered * (1 + TOLERANCE)):
        return Carry(bytes_per_s, "not_tested", None, None, None)
    whole, last = _sum(seen.stretches), _last(seen)
    least = min(whole, last, key=lambda one: one.capacity_bytes_per_s)
    margin = least.capacity_bytes_per_s / bytes_per_s - 1
    if margin < 0:
        return Carry(bytes_per_s, "no", margin, None, least)
    buffer = buffer_at(seen.backlogs, bytes_per_s, seen.peak_ns)
    if buffer is None:
        return Carry(bytes_per_s, "not_tested", None, None, None)
    # a block that is being written is not yet a buffer
    free = buffer.most_bytes is not None and buffer.most_bytes <= seen.block * seen.streams
    return Carry(
        bytes_per_s,
        "yes" if free else "buffered",
        margin,
        buffer,
        least if free else _at(seen.stretches, buffer.at_ns) or _slowest(seen.stretches),
    )


def _last(seen: Recording) -> Stretch:
    """Return the level after a cliff, or the last tenth of the data."""
    if seen.settled:
        return _sum(seen.stretches[seen.settled :])
    *others, last = seen.stretches
    tenth = (last.end_bytes - seen.stretches[0].begin_bytes) // PARTS
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
