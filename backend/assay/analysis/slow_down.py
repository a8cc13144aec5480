"""How much slower storage became: the last tenth of a trial against its first, and the trend."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, sqrt
from statistics import fmean

from assay.analysis.course import Intervals, rates
from assay.analysis.repeats import CONFIDENCE, student

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
