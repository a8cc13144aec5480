"""Other I/O during a part of a trial, from what the device and the trial moved over time. Pure.

A file system's own writes (amplification) are proportional to the trial's bytes at every moment,
other I/O is not. The rule looks for the stretch in which the device moved the most beyond what the
rest of the trial predicts, as circular binary segmentation does (Olshen et al. 2004), and accepts
it if noise does not explain it. It is documented in `docs/measuring.md` (*Contention*).
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import log, sqrt
from statistics import fmean
from typing import Literal

LEAST_NS = 900_000_000
"""Minimum duration of a stretch and of the rest; a stretch of a second may miss two edges."""

FEWEST = 20
"""Minimum number of intervals."""

MOST = 120
"""More intervals are merged."""

LEAST_SHARE = 0.05
"""Minimum share of the excess in the device's bytes of the whole trial."""

REST = 0.2
"""Minimum share of the trial's own bytes outside of the stretch: they say what is normal."""

MARGIN = 2.0
"""By how much the excess exceeds the largest that noise gives in as many stretches, in deviations.

Simulation: `backend/tests/analysis/test_excess.py`.
"""

ALIKE = 0.8
"""Neighboring intervals are taken to be at most this much correlated."""

STEADY = 0.7
"""Minimum share of a stretch's intervals with an excess of their own."""

RECURS = 0.15
"""Maximum share of the rest's intervals that have half the stretch's excess, or more.

A file system that writes its journal back from time to time has such intervals everywhere.
"""


@dataclass(frozen=True)
class DeviceReadings:
    """The readings of a trial in neighboring intervals, its final sync included.

    `unwritten_bytes` is the host's data that is to be written at the end of each. The neighbors'
    bytes were moved on the same disks beside the device; null if unknown.
    """

    end_ns: Sequence[int]
    dt_ns: Sequence[int]
    bytes: Sequence[int]
    dev_read_bytes: Sequence[int]
    dev_write_bytes: Sequence[int]
    unwritten_bytes: Sequence[int]
    neighbor_bytes: Sequence[int] | None = None


@dataclass(frozen=True)
class DeviceCourse:
    """What a trial's device moved over time.

    `own` is what the trial itself moved there, `device` what the device moved in the trial's
    direction (of a mixed trial, both), `against` in the other one. `in_flight` is by how many
    bytes `own` may be early or late: the blocks of all threads.
    """

    end_ns: Sequence[int]
    dt_ns: Sequence[int]
    own: Sequence[int]
    device: Sequence[int]
    against: Sequence[int]
    neighbors: Sequence[int] | None = None
    in_flight: int = 0

    @property
    def elapsed_ns(self) -> int:
        """The time of all intervals."""
        return self.end_ns[-1] - (self.end_ns[0] - self.dt_ns[0])


def course_of(
    readings: DeviceReadings,
    kind: Literal["write", "read", "mixed"],
    *,
    buffered: bool,
    copies: int,
    in_flight: int,
) -> DeviceCourse:
    """Return a trial's readings by direction.

    The kernel writes buffered data later than the trial: what the host has not written yet is left
    out. What it had not written before the trial is taken for what it has not at the end.
    """
    own = list(readings.bytes)
    if buffered and kind != "read":
        last = readings.unwritten_bytes[-1]
        waiting = [max(one - last, 0) for one in readings.unwritten_bytes]
        written = (max(moved - one, 0) for moved, one in zip(accumulate(own), waiting, strict=True))
        own = [after - before for before, after in pairwise([0, *accumulate(written, max)])]
    both = readings.dev_read_bytes, readings.dev_write_bytes
    device, against = both if kind == "read" else both[::-1]
    if kind == "mixed":
        device = [read + written for read, written in zip(*both, strict=True)]
        against = [0] * len(device)
    return DeviceCourse(
        readings.end_ns,
        readings.dt_ns,
        own if kind == "read" else [one * copies for one in own],
        device,
        against,
        readings.neighbor_bytes,
        in_flight,
    )


@dataclass(frozen=True)
class BusyStretch:
    """A part of a trial in which other I/O moved so many bytes; `steady`: all through it.

    Without `steady` the excess comes and goes, as amplification may do.
    """

    from_ns: int
    until_ns: int
    bytes: int
    steady: bool = True


def found(course: DeviceCourse) -> BusyStretch | None:
    """Return the stretch in which the device moved more than is proportional to the trial."""
    own, device, seconds = (_merged(values) for values in (course.own, course.device, course.dt_ns))
    total = sum(device)
    if len(own) < FEWEST or sum(own) <= 0 or total - sum(own) < LEAST_SHARE * total:
        return None  # each byte of the trial moves at least one
    at = _widest(own, device, [one / 1e9 for one in seconds], course.in_flight)
    if at is None:
        return None
    first, after, excess = at
    if excess < LEAST_SHARE * total:
        return None
    begin = course.end_ns[0] - course.dt_ns[0]
    return BusyStretch(
        begin + round(sum(seconds[:first])),
        begin + round(sum(seconds[:after])),
        round(excess),
        _is_steady(own, device, first, after),
    )


def span(course: DeviceCourse, values: Sequence[int]) -> BusyStretch | None:
    """Return where these bytes, which are others', were moved: all but a fortieth at either end."""
    moved = list(accumulate(values))
    if not moved or moved[-1] <= 0:
        return None
    first, last = (bisect_left(moved, part * moved[-1]) for part in (0.025, 0.975))
    begin = course.end_ns[first] - course.dt_ns[first]
    return BusyStretch(begin, course.end_ns[last], moved[-1])


def _merged(values: Sequence[int]) -> list[float]:
    width = -(-len(values) // MOST) or 1
    return [float(sum(values[at : at + width])) for at in range(0, len(values), width)]


def _widest(
    own: Sequence[float], device: Sequence[float], seconds: Sequence[float], in_flight: int
) -> tuple[int, int, float] | None:
    """Return the most significant stretch, as first interval, one after the last, and its excess.

    Of a stretch with D device and O own bytes and a rest with D' and O', the excess is D - a O,
    where a = D' / O'. Its deviation follows from that of single intervals about both ratios. The
    loop runs some thousand times for a trial, so it has no calls.
    """
    size, least = len(own), LEAST_NS / 1e9
    time, owns, moved = (list(accumulate(one, initial=0.0)) for one in (seconds, own, device))
    pairs = list(zip(device, own, strict=True))
    dd = list(accumulate((d * d for d, _ in pairs), initial=0.0))
    do = list(accumulate((d * o for d, o in pairs), initial=0.0))
    oo = list(accumulate((o * o for _, o in pairs), initial=0.0))
    floor = 1e-12 * dd[-1]  # the variance without any noise
    best = 0.0, 0, 0, 0.0
    for first in range(size):
        for after in range(first + 1, size + 1):
            length = time[after] - time[first]
            if length < least:
                continue
            o, d = owns[after] - owns[first], moved[after] - moved[first]
            rest = owns[-1] - o
            if time[-1] - length < least or rest < REST * owns[-1]:
                break  # a longer stretch leaves even less
            ratio = (moved[-1] - d) / rest
            certain = d - ratio * (o + 2 * in_flight)
            if certain <= 0:
                continue
            # inside, either the excess or the ratio is constant, whichever is closer: the device's
            # bytes may be constant everywhere, and do not tell where others began
            count, own_ratio = after - first, d / max(o, 1.0)
            d2, d1, o2 = dd[after] - dd[first], do[after] - do[first], oo[after] - oo[first]
            excess = d - ratio * o
            inside = d2 - ratio * (2 * d1 - ratio * o2) - excess * excess / count
            inside = min(inside, d2 - own_ratio * (2 * d1 - own_ratio * o2))
            outside = dd[-1] - d2 - ratio * (2 * (do[-1] - d1) - ratio * (oo[-1] - o2))
            # few intervals vary more than their squares say
            inside *= count / max(count - 2, 1)
            outside *= (size - count) / max(size - count - 2, 1) * (o / rest) ** 2
            score = certain / sqrt(max(inside, 0.0) + max(outside, 0.0) + floor)
            if score > best[0]:
                best = score, first, after, excess
    score, first, after, excess = best
    limit = sqrt(2 * log(size * size)) + MARGIN
    if not score or score < limit * _persistence(own, device, first, after):
        return None
    return first, after, excess


def _persistence(own: Sequence[float], device: Sequence[float], first: int, after: int) -> float:
    """Return by how much sums deviate more than their intervals say, because neighbors are alike.

    It follows from the correlation of neighboring intervals about the ratio of their side.
    """
    inside = range(first, after)
    rests = [0.0] * len(own)
    for side in (inside, [at for at in range(len(own)) if at not in inside]):
        ratio = sum(device[at] for at in side) / max(sum(own[at] for at in side), 1.0)
        for at in side:
            rests[at] = device[at] - ratio * own[at]
    squares = sum(one * one for one in rests)
    alike = sum(one * other for one, other in pairwise(rests)) / squares if squares else 0.0
    alike = min(max(alike, 0.0), ALIKE)
    return sqrt((1 + alike) / (1 - alike))


def _is_steady(own: Sequence[float], device: Sequence[float], first: int, after: int) -> bool:
    """Return whether the excess is all through the stretch, and nowhere else."""
    inside = range(first, after)
    outside = [at for at in range(len(own)) if at not in inside]
    ratio = sum(device[at] for at in outside) / sum(own[at] for at in outside)
    excess = [moved - ratio * of for moved, of in zip(device, own, strict=True)]
    half = fmean(excess[first:after]) / 2
    lasting = fmean(excess[at] > 0 for at in inside)
    elsewhere = fmean(excess[at] > half for at in outside)
    return lasting >= STEADY and elsewhere <= RECURS
