"""The shape of throughput over time that is not a cliff: a steady decline or rise, or a sawtooth.

Storage that throttles by temperature declines; storage whose cache fills and drains alternates. The
mean of both is a rate that is hardly ever reached.

Also how much slower storage became: the last tenth of a trial against its first, and the trend.
"""

from cmath import exp
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, pi, sqrt
from statistics import fmean, median
from typing import Literal

from assay.analysis.repeats import CONFIDENCE, student
from assay.analysis.throughput import Intervals, rates

TENTHS = 10
BATCHES = 20
"""Parts of the trial through whose means the line is fitted; fewer intervals have no trend."""

MOST_CORRELATION = 0.9


@dataclass(frozen=True)
class Trend:
    """The change of the line through the trial from its start to its end, as a share of the mean.

    `low` and `high` are the limits of its confidence interval.
    """

    change: float
    low: float
    high: float
    confidence: float = CONFIDENCE

    @property
    def certain(self) -> bool:
        """Whether the interval excludes a level line."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class SlowDown:
    """Rates in bytes per second of the first and the last tenth of the time.

    `share` is how much slower the last one was; negative if it was faster.
    """

    first_bytes_per_s: float
    last_bytes_per_s: float
    share: float
    trend: Trend | None


def slow_down(seen: Intervals) -> SlowDown | None:
    """Return the slow-down of a trial; None with under ten intervals or a first tenth of zero."""
    if len(seen.dt_ns) < TENTHS:
        return None
    tenths = rates(seen, TENTHS)
    if not tenths or not tenths[0]:
        return None
    found = trend(rates(seen, BATCHES)) if len(seen.dt_ns) >= BATCHES else None
    return SlowDown(tenths[0], tenths[-1], 1 - tenths[-1] / tenths[0], found)


def trend(means: Sequence[float]) -> Trend | None:
    """Return the trend of batch means; None if there are under four or they are all zero.

    The standard error of the slope is widened by √((1 + r) ÷ (1 − r)), where r is the correlation
    of neighboring residuals, because neighbors of a slow drift are not independent.
    """
    count = len(means)
    mean = fmean(means) if means else 0.0
    if count < 4 or mean <= 0:
        return None
    middle = (count - 1) / 2
    squares = fsum((at - middle) ** 2 for at in range(count))
    slope = fsum((at - middle) * (value - mean) for at, value in enumerate(means)) / squares
    rest = [value - mean - slope * (at - middle) for at, value in enumerate(means)]
    error = sqrt(fsum(one * one for one in rest) / (count - 2) / squares) * _widening(rest)
    half = student(count - 2) * error
    return Trend(*(one * count / mean for one in (slope, slope - half, slope + half)))


def _widening(rest: Sequence[float]) -> float:
    power = fsum(one * one for one in rest)
    if not power:
        return 1.0
    together = fsum(one * other for one, other in pairwise(rest)) / power
    kept = min(MOST_CORRELATION, max(0.0, together))
    return sqrt((1 + kept) / (1 - kept))


Shape = Literal["decline", "rise", "sawtooth"]

FADED = 0.8
"""A last third below this part of the first one fades: something took in data faster at first."""

FEWEST_INTERVALS = 6
"""Intervals from which the thirds of a trial can be compared."""

PARTS_OF_THIRD = 10
"""Parts of a third whose median tells a lasting rate from that of a single stall or burst."""

LEAST_CHANGE = 0.15
"""Minimum change of the line over the trial, as a share of the mean."""

BY_LINE = 0.7
"""Minimum share of the variance of the batch means that the line explains."""

LEAST_SWING = 0.15
"""Minimum difference between high and low rates of a sawtooth, as a share of the mean."""

FEWEST_PERIODS, SHORTEST_PERIOD = 4, 4
"""Minimum number of periods in a trial, and of intervals in a period."""

CORRELATED, AGAIN = 0.5, 0.4
"""Minimum correlation of the rates with themselves one period, and two periods, later."""

FIRST = 0.6
"""Minimum correlation one period later, as a share of the largest, which may be several later."""

FINEST = 400
"""Maximum number of intervals in which a sawtooth is searched."""

OTHER_WIDTHS, ALIKE = (0.83, 0.71), 0.12
"""Other numbers of intervals, as shares of the first one, and by how much their period may differ.

What appears only because slices and intervals are out of step has another period there.
"""

SHORTEST_NS = 500_000_000
"""Minimum period: a throttle lets data through in slices of up to 100 ms."""

SURE_NS = 200_000_000
"""A sawtooth whose data is so far ahead of the mean rate and behind it is not caused by slices."""

AT_PERIOD = 0.2
"""Minimum amplitude of the sine with the period, as a share of the swing; a sawtooth has 0.4.

What repeats several times in the period has no such part.
"""

SHORT_SWING, SHORT_AT_PERIOD, SHORT_SPREAD = 0.25, 0.3, 0.4
"""What a shorter sawtooth needs: its swing, the amplitude at its period, and the distance of the
quartiles as a share of the swing, which a slice that is missing now and then does not have."""

SHORT_PERIOD = {"samples": 5.5, "marks": 20.0}
"""Minimum period of a shorter sawtooth, in intervals.

Marks are of equal bytes: slices move their ends, so that their rates alternate.
"""

EQUAL_TIMES, MOST_UNEQUAL = 0.05, 0.1
"""Intervals whose times differ by at most this share are samples, and no marks, but for some."""

WAVE, PERIODS = 2000, 5
"""Maximum number of intervals in which a sine is fitted, and its periods in each fit."""

AROUND = (0.92, 0.96, 1.0, 1.04, 1.08)
"""Periods that are tried around the one found, as shares of it."""


@dataclass(frozen=True)
class Shaped:
    """A shape with its extent: the line's change, or the swing, as a share of the mean rate.

    `period_ns` is the length of a tooth; None for a line.
    """

    shape: Shape
    change: float
    period_ns: int | None


def fading(seen: Intervals) -> tuple[float, float] | None:
    """Return the rates of the first and the last third of the time if the last is far lower.

    So are most parts of it, if there are enough: a stall or two make no lasting rate. The thirds of
    rates that alternate may differ by where a tooth ends.
    """
    if len(seen.bytes) < FEWEST_INTERVALS:
        return None
    thirds = rates(seen, 3)
    if not (thirds and thirds[0] and thirds[-1] < FADED * thirds[0]):
        return None
    if len(seen.bytes) >= 3 * PARTS_OF_THIRD:
        parts = rates(seen, 3 * PARTS_OF_THIRD)
        first, last = median(parts[:PARTS_OF_THIRD]), median(parts[-PARTS_OF_THIRD:])
        if last >= FADED * first:
            return None
    return None if sawtooth(seen) else (thirds[0], thirds[-1])


def shape(seen: Intervals, samples: Intervals | None = None) -> Shaped | None:
    """Return the shape of a trial without a cliff; None if it has neither.

    `samples` are those of a trial seen by marks, if they differ by several blocks: a sawtooth whose
    period has few marks may have many samples.
    """
    if len(seen.dt_ns) < BATCHES:
        return None
    return sawtooth(seen) or (samples and sawtooth(samples)) or _line(seen)


def _line(seen: Intervals) -> Shaped | None:
    batches = rates(seen, BATCHES)
    found = trend(batches)
    if found is None or not found.certain or abs(found.change) < LEAST_CHANGE:
        return None
    mean, by_line = fmean(batches), squares_by_line(batches)
    if by_line < BY_LINE * fsum((one - mean) ** 2 for one in batches):
        return None
    # a step, such as a long stall at the end, is no line
    if max(squares_by_step(batches, split) for split in range(1, BATCHES)) > by_line:
        return None
    return Shaped("decline" if found.change < 0 else "rise", found.change, None)


def squares_by_line(values: Sequence[float]) -> float:
    """Return the squares around the mean that the least-squares line explains."""
    total, mean = len(values), fmean(values)
    middle = (total - 1) / 2
    along = fsum((at - middle) * (one - mean) for at, one in enumerate(values))
    return along**2 / (total * (total**2 - 1) / 12)


def squares_by_step(values: Sequence[float], split: int) -> float:
    """Return the squares around the mean that the means before and from a place on explain."""
    before, after = values[:split], values[split:]
    apart = fmean(before) - fmean(after)
    return apart * apart * len(before) * len(after) / len(values)


def sawtooth(seen: Intervals) -> Shaped | None:
    """Return the swing and the period of rates that repeat; None if they do not.

    Neither do those of a steady device whose throttle lets data through in slices, which are out
    of step with marks or samples.
    """
    count = min(FINEST, len(seen.dt_ns))
    series = rates(seen, count)
    mean = fmean(series) if series else 0.0
    if mean <= 0:
        return None
    ordered = sorted(series)
    swing = (ordered[count * 9 // 10] - ordered[count // 10]) / mean
    spread = (ordered[count * 3 // 4] - ordered[count // 4]) / mean
    if swing < LEAST_SWING:
        return None
    period_ns = _period(seen, count)
    if period_ns is None or period_ns < SHORTEST_NS or not _at_other_widths(seen, count, period_ns):
        return None
    amplitude = _amplitude(seen, period_ns)
    if amplitude < AT_PERIOD * swing:
        return None
    # the integral of a sine from its lowest to its highest value
    ahead_ns = amplitude * period_ns / pi
    is_short = (
        swing < SHORT_SWING
        or amplitude < SHORT_AT_PERIOD * swing
        or spread < SHORT_SPREAD * swing
        or period_ns < SHORT_PERIOD[_of(seen)] * median(seen.dt_ns)
    )
    if ahead_ns < SURE_NS and is_short:
        return None
    return Shaped("sawtooth", swing, round(period_ns))


def _of(seen: Intervals) -> Literal["samples", "marks"]:
    """Return what the intervals are: almost all samples take about the same time."""
    middle = median(seen.dt_ns)
    unequal = sum(abs(one - middle) > EQUAL_TIMES * middle for one in seen.dt_ns)
    return "samples" if unequal <= MOST_UNEQUAL * len(seen.dt_ns) else "marks"


def _at_other_widths(seen: Intervals, count: int, period_ns: float) -> bool:
    """Return whether the rates repeat as well in intervals of another length."""
    others = (_period(seen, int(count * share)) for share in OTHER_WIDTHS)
    return any(one is not None and abs(one / period_ns - 1) <= ALIKE for one in others)


def _period(seen: Intervals, count: int) -> float | None:
    """Return the time in ns after which the rates in `count` parts repeat; None if they do not."""
    series = rates(seen, count)
    mean = fmean(series) if series else 0.0
    rest = [one - mean for one in series]
    power = fsum(one * one for one in rest)
    if not power:
        return None
    longest = len(rest) // FEWEST_PERIODS
    found = [_correlation(rest, lag, power) for lag in range(2 * longest + 1)]
    crossed = next((lag for lag in range(1, longest) if found[lag] < 0), None)
    if crossed is None:
        return None
    lags = range(crossed, longest + 1)
    least = FIRST * max(found[lag] for lag in lags)
    lag = next(
        (n for n in lags if found[n] >= max(least, found[n - 1], found[n + 1])),
        max(lags, key=lambda one: found[one]),
    )
    twice = max(found[max(0, 2 * lag - 1) : 2 * lag + 2])
    if lag < SHORTEST_PERIOD or found[lag] < CORRELATED or twice < AGAIN:
        return None
    return sum(seen.dt_ns) / count * (lag + _vertex(*found[lag - 1 : lag + 2]))


def _vertex(before: float, at: float, after: float) -> float:
    """Return where the parabola through three values is highest, from -0.5 to 0.5."""
    curvature = before - 2 * at + after
    return max(-0.5, min(0.5, (before - after) / (2 * curvature))) if curvature else 0.0


def _amplitude(seen: Intervals, period_ns: float) -> float:
    """Return the amplitude of the sine with a period, as a share of the mean rate.

    It is the mean of fits over a few periods each: the period may vary a little.
    """
    count = min(WAVE, len(seen.dt_ns))
    series, width = rates(seen, count), sum(seen.dt_ns) / count
    return max(_amplitude_at(series, share * period_ns / width) for share in AROUND)


def _amplitude_at(series: Sequence[float], period: float) -> float:
    """Return the mean amplitude at a period, in intervals, of its parts of a few periods."""
    length = period * PERIODS
    parts = max(1, int(len(series) / length))
    waves, total = [0j] * parts, 0.0
    for at, value in enumerate(series[: round(parts * length)]):
        place = min(int((at + 0.5) / length), parts - 1)
        waves[place] += value * exp(-2j * pi * (at + 0.5) / period)
        total += value
    return 2 * fsum(map(abs, waves)) / total if total else 0.0


def _correlation(rest: Sequence[float], lag: int, power: float) -> float:
    """Return the correlation with the series `lag` later, without the bias of the shorter sum."""
    kept = len(rest) - lag
    moved = fsum(one * other for one, other in zip(rest, rest[lag:], strict=False))
    return moved * len(rest) / (kept * power)
