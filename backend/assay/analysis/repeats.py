"""Several repeats of one measurement: mean, median, worst, variation and confidence interval."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from statistics import fmean, median

from assay.analysis.noise import incomplete_beta, variance

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A two-sided confidence interval of a mean, by Student's t distribution."""

    low: float
    high: float
    confidence: float = CONFIDENCE


@dataclass(frozen=True)
class Repeats:
    """The repeats of one figure, of which lower is worse.

    `cv` is the standard deviation (n − 1) ÷ mean. It and the interval need two repeats.
    """

    n: int
    mean: float
    median: float
    worst: float
    cv: float | None
    interval: Interval | None

    @property
    def sd(self) -> float | None:
        """The standard deviation of one repeat; None of a single one."""
        return (self.cv or 0.0) * self.mean if self.n > 1 else None


def describe(values: Sequence[float]) -> Repeats:
    """Return the figures of these repeats, which are not empty."""
    mean = fmean(values)
    if len(values) < 2:
        return Repeats(len(values), mean, mean, mean, None, None)
    sd = sqrt(variance(values))
    half = student(len(values) - 1) * sd / sqrt(len(values))
    return Repeats(
        n=len(values),
        mean=mean,
        median=median(values),
        worst=min(values),
        cv=sd / mean if mean else None,
        interval=Interval(mean - half, mean + half),
    )


@cache
def student(freedom: int, confidence: float = CONFIDENCE) -> float:
    """Return the two-sided quantile of Student's t: |T| stays below it with this probability."""
    beta, low, high = incomplete_beta(), 0.0, 1.0
    while _tails(beta, freedom, high) > 1 - confidence:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        if _tails(beta, freedom, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def _tails(beta: Callable[[float, float, float, float], float], freedom: int, t: float) -> float:
    """Return P(|T| > t): I_x(ν/2, 1/2) with x = ν / (ν + t²)."""
    return beta(freedom / 2, 0.5, 0, freedom / (freedom + t * t))
