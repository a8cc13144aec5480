"""The search for the lasting levels of a trial's rate: as many as the evidence supports.

The rate is modeled as piecewise constant, with relative and stationary noise that may be correlated
from one interval to the next. `staircase` finds the places; here is what makes a level. The choice
of the method is in decision 104.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from math import log
from statistics import NormalDist, fmean, median

from assay.analysis.levels import LEAST_CHANGE, LEAST_NS, Level
from assay.analysis.shape import sawtooth, squares_by_line, squares_by_step
from assay.analysis.staircase import (
    LEAST_NOISE,
    Fit,
    Series,
    Splits,
    fits,
    fitted,
    smooth_deviance,
)
from assay.analysis.throughput import Intervals

FEWEST = 5
"""Minimum number of intervals of a level."""

LEAST_SHARE = 0.05
"""In intervals of equal bytes, a first level with this share of the data may be shorter if it is
`BRIEF_CHANGE` faster: memory takes in its part of the data within moments."""

BRIEF_CHANGE = 0.5
"""Minimum difference of a shorter first level: the start of a trial is often somewhat faster."""

FIRST_STEP = 16.5
"""What the first step must improve the fit by, in units of −2 log likelihood, beyond what each step
must: twice the logarithm of the number of shortest levels that have room in the trial."""

SMOOTH = 20.0
"""A smooth curve that fits better by so much less is a decline or rise, and no staircase."""

LEVEL_DECLINES = 0.25
"""Minimum difference of the halves of each level of a decline, as a share of its smallest step; of
an even decline it is a half."""

COLLAPSE_SHARE = 0.15
"""Minimum share of the intervals before and after a fall by degrees."""

CONSISTENT = 0.75
"""Minimum share of a level's intervals on its side of the midpoint to each neighbor: bursts that
alternate are no levels."""

MOST_STALLED = 0.1
"""If nothing was moved in more of the intervals, and mostly in the neighbors of each in which
something was, blocks take longer than an interval: wider ones are tried. Otherwise an interval in
which nothing was moved is a stall, which is no level."""

AROUND, FAR = FEWEST - 1, 4.0
"""A rate further from the median of so many neighbors on each side than so many deviations counts
only as so far: a single stall or burst."""

NORMAL_MEDIAN = NormalDist().inv_cdf(0.75)
"""Median of the absolute values of normal noise, in deviations."""

SLICES_NS = 2 * 10**8
"""Marks that are shorter are joined for a second search: two of the slices of a kernel's throttle,
within which some marks pass at once and one waits."""

FEWEST_TEETH = 2
"""Minimum duration of a level beside rates that alternate, in their periods."""

FRAGMENT = 0.2
"""An interval below this share of the usual length is joined with the one before it."""


def find(seen: Intervals, *, by_bytes: bool = False) -> list[Level]:
    """Return the levels in order; one if the rate never changed for good, none without time.

    Together they are all intervals. `by_bytes`: the intervals have equal bytes, so that short ones
    are fast and not fragments.
    """
    course = _Course(seen.dt_ns, seen.bytes, seen.device_bytes)
    course = course.without_empty() if by_bytes else course.without_fragments()
    if not course.dt_ns:
        return []
    begin = seen.end_ns[0] - seen.dt_ns[0]
    found = _search(course, begin, by_bytes=by_bytes)
    wider = course.lasting(SLICES_NS) if by_bytes else course
    if len(wider.dt_ns) < len(course.dt_ns):
        return max(found, _search(wider, begin, by_bytes=False), key=len)
    return found


def _search(course: "_Course", begin: int, *, by_bytes: bool) -> list[Level]:
    while _is_by_blocks(course.bytes):
        course = course.widened()
    moving = [at for at, size in enumerate(course.bytes) if size]
    part = course.part(moving)
    found, step = _splits(part, by_bytes=by_bytes)
    splits = tuple(moving[at] for at in found)
    if step is not None and _differs_by_more_than_teeth(part, step):
        return _levels(course, (moving[step],), begin)
    if splits and sawtooth(course.intervals()):
        return _levels(course, (), begin)
    return _far_apart_levels(course, splits, begin)


def _differs_by_more_than_teeth(course: "_Course", place: int) -> bool:
    """Return whether the mean rates before and after a place are levels, although rates alternate.

    A side may begin or end within a period, which moves its mean by up to a part of the swing.
    """
    sides = [course.part(range(place)), course.part(range(place, len(course.dt_ns)))]
    teeth = [sawtooth(side.intervals()) for side in sides]
    if not any(teeth):
        return False
    periods = [one.period_ns or 0 for one in teeth if one]
    if min(sum(side.dt_ns) for side in sides) < FEWEST_TEETH * max(periods):
        return False
    unknown = [
        one.change * (one.period_ns or 0) / (2 * sum(side.dt_ns))
        for one, side in zip(teeth, sides, strict=True)
        if one
    ]
    low, high = sorted(sum(side.bytes) / sum(side.dt_ns) for side in sides)
    return low <= (1 - LEAST_CHANGE - max(unknown)) * high


def _is_by_blocks(sizes: Sequence[int]) -> bool:
    """Return whether most intervals in which data was moved are alone between empty ones."""
    moving = sum(size > 0 for size in sizes)
    if not moving or moving >= (1 - MOST_STALLED) * len(sizes):
        return False
    runs = [len(list(run)) for moved, run in groupby(sizes, bool) if moved]
    return median(runs) == 1


def _far_apart(one: float, other: float) -> bool:
    low, high = sorted((one, other))
    return low < high and low <= (1 - LEAST_CHANGE) * high


@dataclass(frozen=True)
class _Course:
    """Columns of neighboring intervals."""

    dt_ns: Sequence[int]
    bytes: Sequence[int]
    device_bytes: Sequence[int | None]

    def part(self, places: Sequence[int]) -> "_Course":
        return self._grouped([[at] for at in places])

    def intervals(self) -> Intervals:
        return Intervals(list(accumulate(self.dt_ns)), self.dt_ns, self.bytes, self.device_bytes)

    def without_empty(self) -> "_Course":
        return self.part([at for at, ns in enumerate(self.dt_ns) if ns])

    def without_fragments(self) -> "_Course":
        """Join each fragment with its predecessor."""
        usual, groups = median(self.dt_ns or [0]), list[list[int]]()
        for at, ns in enumerate(self.dt_ns):
            if groups and ns < FRAGMENT * usual:
                groups[-1].append(at)
            else:
                groups.append([at])
        return self._grouped(groups).without_empty()

    def lasting(self, least_ns: int) -> "_Course":
        """Join neighbors until each lasts so long; the last one may be shorter."""
        groups, length = list[list[int]](), least_ns
        for at, ns in enumerate(self.dt_ns):
            if length >= least_ns:
                groups.append([])
                length = 0
            groups[-1].append(at)
            length += ns
        return self._grouped(groups)

    def widened(self) -> "_Course":
        """Join neighbors by twos."""
        count = len(self.dt_ns)
        return self._grouped([range(at, min(count, at + 2)) for at in range(0, count, 2)])

    def _grouped(self, groups: Sequence[Sequence[int]]) -> "_Course":
        return _Course(
            [sum(self.dt_ns[at] for at in group) for group in groups],
            [sum(self.bytes[at] for at in group) for group in groups],
            [_sum(self.device_bytes[at] for at in group) for group in groups],
        )


def _sum(sizes: Iterable[int | None]) -> int | None:
    known = list(sizes)
    return None if None in known else sum(one or 0 for one in known)


def _splits(course: _Course, *, by_bytes: bool) -> tuple[Splits, int | None]:
    """Return where the rate changes for good, and its clearest single step.

    Both are indices of the interval that follows. Without a step it fits better with none.
    """
    rates = [size / ns for size, ns in zip(course.bytes, course.dt_ns, strict=True)]
    if len(rates) < 2 * FEWEST or not _far_apart(min(rates), max(rates)):
        return (), None
    ends = [0, *accumulate(course.dt_ns)]
    total = len(rates)

    def allowed(begin: int, end: int) -> bool:
        if end - begin < FEWEST:
            return False
        is_brief = by_bytes and begin == 0 and end >= LEAST_SHARE * total
        return is_brief or ends[end] - ends[begin] >= LEAST_NS

    logs = _clipped([log(rate) for rate in rates])
    series = Series(logs)
    each = 2 * log(total / FEWEST)

    def penalized(fit: Fit) -> float:
        return fit.deviance + (FIRST_STEP if fit.splits else 0) + each * len(fit.splits)

    level, *staircases = fits(series, allowed)
    step = next((one.splits[0] for one in staircases if len(one.splits) == 1), None)
    if step is not None and penalized(staircases[0]) >= penalized(level):
        step = None
    for fit in sorted([level, *staircases], key=penalized):
        if not fit.splits:
            break
        brief = ends[fit.splits[0]] < LEAST_NS
        if _holds(fit, logs, brief=brief):
            is_smooth = smooth_deviance(series) + SMOOTH < penalized(fit)
            if not is_smooth or _is_collapse(fit, rates):
                return _without_declines(fit, logs, each), step
    return (), step


def _without_declines(fit: Fit, logs: Sequence[float], each: float) -> Splits:
    """Return the splits without those in a decline before a fall, which is one level.

    Such a part has three levels or more, each below the one before it, as is the one after them.
    Each declines itself, and a line fits the logarithms of all better. The end of the trial is
    never in such a part, because it says how low the rate was at last.
    """
    edges, last = (0, *fit.splits, len(logs)), len(fit.means) - 1
    drops = [before - after for before, after in pairwise(fit.means)]
    sides = [logs[begin:end] for begin, end in pairwise(edges)]
    parts = [(begin, end) for begin in range(last) for end in range(begin + 2, last)]
    for begin, end in sorted(parts, key=lambda part: part[0] - part[1]):
        least = LEVEL_DECLINES * min(drops[begin:end])
        if min(drops[begin : end + 1]) <= 0:
            continue
        if any(_drop_within(side) < least for side in sides[begin : end + 1]):
            continue
        place = edges[begin]
        series = Series(logs[place : edges[end + 1]])
        inner = tuple(split - place for split in edges[begin + 1 : end + 1])
        stairs = fitted(series, inner).deviance + FIRST_STEP + each * len(inner)
        if smooth_deviance(series, 1) + SMOOTH < stairs:
            return (*edges[1 : begin + 1], *edges[end + 1 : -1])
    return fit.splits


def _drop_within(side: Sequence[float]) -> float:
    """Return by how much the second half of a level is below the first one."""
    middle = len(side) // 2
    return fmean(side[:middle]) - fmean(side[middle:])


def _is_collapse(fit: Fit, rates: Sequence[float]) -> bool:
    """Return whether a rate fell by degrees, but at once compared with the trial.

    It lost half, the first and the last level have their share of the intervals, and two levels at
    one of the steps explain more of the variance than a line.
    """
    ends = min(fit.splits[0], len(rates) - fit.splits[-1])
    if fit.means[-1] - fit.means[0] > log(BRIEF_CHANGE) or ends < COLLAPSE_SHARE * len(rates):
        return False
    by_step = max(squares_by_step(rates, split) for split in fit.splits)
    return by_step > squares_by_line(rates)


def _clipped(logs: Sequence[float]) -> list[float]:
    """Return the values, single stalls and bursts as far from their neighbors as noise goes."""
    total = len(logs)
    usual = [median(logs[max(0, at - AROUND) : at + AROUND + 1]) for at in range(total)]
    off = [one - middle for one, middle in zip(logs, usual, strict=True)]
    most = FAR * max(LEAST_NOISE, median(map(abs, off)) / NORMAL_MEDIAN)
    return [middle + min(most, max(-most, one)) for one, middle in zip(off, usual, strict=True)]


def _holds(fit: Fit, logs: Sequence[float], *, brief: bool) -> bool:
    """Return whether neighboring levels are far apart, and most of each is closer to its own."""
    least = -log(1 - LEAST_CHANGE)
    if any(abs(after - before) < least for before, after in pairwise(fit.means)):
        return False
    if brief and fit.means[1] - fit.means[0] > log(BRIEF_CHANGE):
        return False
    edges = (0, *fit.splits, len(logs))
    sides = [logs[begin:end] for begin, end in pairwise(edges)]
    middles = [median(side) for side in sides]
    return all(
        _is_consistent(sides[at], middles[at], middles[other])
        for at in range(len(sides))
        for other in (at - 1, at + 1)
        if 0 <= other < len(sides)
    )


def _is_consistent(side: Sequence[float], own: float, other: float) -> bool:
    border = (own + other) / 2
    held = sum((one > border) == (own > other) for one in side)
    return own != other and held >= CONSISTENT * len(side)


def _levels(course: _Course, splits: Splits, begin_ns: int) -> list[Level]:
    """Return the levels between splits; an interval in which the rate changed fits both sides."""
    cuts = [_cut(course, splits, place) for place in range(len(splits))]
    whole = (sum(course.dt_ns), sum(course.bytes), _sum(course.device_bytes))
    return [
        Level(
            begin_ns + before[0],
            begin_ns + after[0],
            after[1] - before[1],
            None if after[2] is None or before[2] is None else after[2] - before[2],
        )
        for before, after in pairwise([(0, 0, 0), *cuts, whole])
    ]


def _far_apart_levels(course: _Course, splits: Splits, begin_ns: int) -> list[Level]:
    """Return the levels; those that their stalls bring close together are one."""
    found = _levels(course, splits, begin_ns)
    rates = [level.bytes_per_s for level in found]
    closeness = [min(pair) / max(pair) for pair in pairwise(rates)]
    if not closeness or max(closeness) <= 1 - LEAST_CHANGE:
        return found
    place = closeness.index(max(closeness))
    return _far_apart_levels(course, (*splits[:place], *splits[place + 1 :]), begin_ns)


def _cut(course: _Course, splits: Splits, place: int) -> tuple[int, int, int | None]:
    """Return the time, the bytes and the device's bytes up to a change.

    Of the two intervals beside it, the one closer to the other level is divided.
    """
    edges = (0, *splits, len(course.dt_ns))
    start, split, end = edges[place : place + 3]
    rates = [size / ns for size, ns in zip(course.bytes, course.dt_ns, strict=True)]
    before, after = _rate(course, start, split - 1), _rate(course, split + 1, end)
    towards = 1 if after > before else -1
    off_before = (rates[split - 1] - before) * towards
    off_after = (after - rates[split]) * towards
    mixed = split - 1 if off_before > off_after else split
    share = (rates[mixed] - after) / (before - after) if before != after else 0.0
    part = min(1.0, max(0.0, share)) * course.dt_ns[mixed]
    device = _sum(course.device_bytes[:mixed])
    own = course.device_bytes[mixed] or 0
    return (
        sum(course.dt_ns[:mixed]) + round(part),
        sum(course.bytes[:mixed]) + min(course.bytes[mixed], round(part * before)),
        None if device is None else device + round(own * part / course.dt_ns[mixed]),
    )


def _rate(course: _Course, begin: int, end: int) -> float:
    return sum(course.bytes[begin:end]) / sum(course.dt_ns[begin:end])
