"""The shape of throughput over time that is not a cliff: a steady decline or rise, or a sawtooth.

Storage that throttles by temperature declines; storage whose cache fills and drains alternates. The
mean of both is a rate that is hardly ever reached.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from statistics import fmean
from typing import Literal

from assay.analysis.cliff import Intervals
from assay.analysis.course import rates
from assay.analysis.slow_down import BATCHES, trend

Shape = Literal["decline", "rise", "sawtooth"]

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

FINEST = 400
"""Maximum number of intervals in which a sawtooth is searched."""


@dataclass(frozen=True)
class Shaped:
    """A shape with its extent: the line's change, or the swing, as a share of the mean rate.

    `period_ns` is the length of a tooth; None for a line.
    """

    shape: Shape
    change: float
    period_ns: int | None


def shape(seen: Intervals) -> Shaped | None:
    """Return the shape of a trial without a cliff; None if it has neither."""
    if len(seen.dt_ns) < BATCHES:
        return None
    return _sawtooth(seen) or _line(seen)


def _line(seen: Intervals) -> Shaped | None:
    batches = rates(seen, BATCHES)
    found = trend(batches)
    if found is None or not found.certain or abs(found.change) < LEAST_CHANGE:
        return None
    mean = fmean(batches)
    slope, middle = found.change * mean / BATCHES, (BATCHES - 1) / 2
    by_line = fsum((slope * (at - middle)) ** 2 for at in range(BATCHES))
    if by_line < BY_LINE * fsum((one - mean) ** 2 for one in batches):
        return None
    return Shaped("decline" if found.change < 0 else "rise", found.change, None)


def _sawtooth(seen: Intervals) -> Shaped | None:
    count = min(FINEST, len(seen.dt_ns))
    series = rates(seen, count)
    mean = fmean(series) if series else 0.0
    if mean <= 0:
        return None
    ordered = sorted(series)
    swing = (ordered[count * 9 // 10] - ordered[count // 10]) / mean
    if swing < LEAST_SWING:
        return None
    period = _period([one - mean for one in series])
    if period is None:
        return None
    return Shaped("sawtooth", swing, round(sum(seen.dt_ns) * period / count))


def _period(rest: Sequence[float]) -> int | None:
    """Return the lag, in intervals, at which the series repeats itself; None without one."""
    power = fsum(one * one for one in rest)
    if not power:
        return None
    longest = len(rest) // FEWEST_PERIODS
    found = [_correlation(rest, lag, power) for lag in range(2 * longest + 1)]
    crossed = next((lag for lag in range(1, longest) if found[lag] < 0), None)
    if crossed is None:
        return None
    lag = max(range(crossed, longest + 1), key=lambda one: found[one])
    twice = max(found[max(0, 2 * lag - 1) : 2 * lag + 2])
    if lag < SHORTEST_PERIOD or found[lag] < CORRELATED or twice < AGAIN:
        return None
    return lag


def _correlation(rest: Sequence[float], lag: int, power: float) -> float:
    """Return the correlation with the series `lag` later, without the bias of the shorter sum."""
    kept = len(rest) - lag
    moved = fsum(one * other for one, other in zip(rest, rest[lag:], strict=False))
    return moved * len(rest) / (kept * power)
