"""Ratios of interleaved runs: medians with bootstrap intervals, and whether they reach a bar.

A quad of runs (A B B A) gives one ratio of A to B from which slow drift cancels, and one of B to
itself: the effect of noise alone.
"""

import math
import random
from dataclasses import dataclass
from typing import Literal

RESAMPLES = 4000
LEVEL = 0.95

NOISE_CEILING = 0.05
"""Above this noise of a tool against itself, its ratio to another tool is meaningless."""

Verdict = Literal["yes", "no", "inconclusive"]
"""Whether a figure reaches its bar. Only a yes counts: noise never makes one."""


@dataclass(frozen=True)
class Interval:
    """A median ratio with its 95 % bootstrap interval."""

    median: float
    low: float
    high: float

    @property
    def noise(self) -> float:
        """How far the interval is from 1: for a tool against itself, the noise."""
        return max(abs(self.high - 1), abs(1 - self.low))

    def __str__(self) -> str:
        return f"{self.median:.3f} ({self.low:.3f}…{self.high:.3f})"


def reaches(figure: Interval, bar: float, itself: Interval | None = None) -> Verdict:
    """Return whether a figure is at least `bar`: yes or no only if its whole interval agrees.

    `itself` is the same tool against itself in the same quads; above the noise ceiling there is no
    verdict.
    """
    if itself is not None and itself.noise > NOISE_CEILING:
        return "inconclusive"
    if figure.low >= bar:
        return "yes"
    return "no" if figure.high < bar else "inconclusive"


def stays_under(figure: Interval, limit: float) -> Verdict:
    """Return whether a figure is below `limit`, by the same rule."""
    if figure.high < limit:
        return "yes"
    return "no" if figure.low >= limit else "inconclusive"


def certain(holds: bool) -> Verdict:
    """Return the verdict on a figure without noise, such as a count of instructions."""
    return "yes" if holds else "no"


def median(values: list[float]) -> float:
    """Return the median of the values."""
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


def geometric_mean(values: list[float]) -> float:
    """Return the geometric mean, the appropriate mean for ratios."""
    return math.exp(sum(map(math.log, values)) / len(values))


def pair_ratio(outer: tuple[float, float], inner: tuple[float, float]) -> float:
    """Return the ratio of two runs to the two between them."""
    return geometric_mean(list(outer)) / geometric_mean(list(inner))


def single_ratio(one: float, other: float) -> float:
    """Return the ratio of two single runs, scaled to the spread of `pair_ratio`.

    The logarithm of a ratio of single runs has twice the variance of one of means of two.
    """
    return (one / other) ** math.sqrt(1 / 2)


def percentiles(values: list[float]) -> tuple[float, float]:
    ordered, cut = sorted(values), (1 - LEVEL) / 2
    return ordered[int(cut * len(ordered))], ordered[
        min(len(ordered) - 1, int((1 - cut) * len(ordered)))
    ]


def of_median(ratios: list[float], seed: int = 1) -> Interval:
    """Return the median of one cell's ratios, with its bootstrap interval."""
    chance = random.Random(seed)
    resampled = [median(chance.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES)]
    return Interval(median(ratios), *percentiles(resampled))


def of_geometric_mean(cells: list[list[float]], seed: int = 1) -> Interval:
    """Return the geometric mean of the cells' medians, each cell resampled separately."""
    chance = random.Random(seed)
    resampled = [
        geometric_mean([median(chance.choices(ratios, k=len(ratios))) for ratios in cells])
        for _ in range(RESAMPLES)
    ]
    return Interval(geometric_mean([median(ratios) for ratios in cells]), *percentiles(resampled))
