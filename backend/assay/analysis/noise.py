"""Whether two settings differ by more than the noise of their repeats.

Welch's t-test on the repeats at 5 %; where one side has no repeats, a stated tolerance of 3 %.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import fsum
from statistics import fmean
from typing import cast

LEVEL = 0.05
TOLERANCE = 0.03

FAR_APART = 0.10
"""The share of the larger mean from which two means are far apart."""

ENOUGH = 5
"""Repeats from which noise, and not their small number, explains means that are far apart.

With two repeats on each side Welch's test misses a factor of five.
"""


@dataclass(frozen=True)
class Difference:
    """How `a` stands to `b`: the ratio of means, and whether noise explains it.

    `p` is Welch's, or null where the tolerance had to decide. `too_few`: the means are far apart,
    and there are too few repeats to tell whether that is noise.
    """

    ratio: float
    p: float | None
    significant: bool
    too_few: bool = False

    @property
    def within_noise(self) -> bool:
        """Whether nothing but noise is seen."""
        return not self.significant and not self.too_few


def welch(a: Sequence[float], b: Sequence[float]) -> float:
    """The two-sided p-value that `a` and `b` have one mean, variances unequal; both n ≥ 2.

    t = (ā - b̄) / √(s²a/na + s²b/nb), degrees of freedom by Welch and Satterthwaite.
    """
    va, vb = variance(a) / len(a), variance(b) / len(b)
    gap = fmean(a) - fmean(b)
    if va + vb == 0:
        return 1.0 if gap == 0 else 0.0
    # shares of the variance, so that tiny variances do not vanish when they are squared
    share = va / (va + vb)
    freedom = 1 / (share**2 / (len(a) - 1) + (1 - share) ** 2 / (len(b) - 1))
    # both tails of Student's distribution: I_x(ν/2, 1/2) with x = ν / (ν + t²)
    tails = incomplete_beta()(freedom / 2, 0.5, 0, freedom / (freedom + gap**2 / (va + vb)))
    return min(1.0, max(0.0, tails))


def variance(values: Sequence[float]) -> float:
    """The sample variance of at least two values.

    By floats, in two passes: `statistics.variance` computes in fractions, which is exact beyond
    what any rate is known to, and was a third of a matrix's time.
    """
    mean = fmean(values)
    return fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


@cache
def incomplete_beta() -> Callable[[float, float, float, float], float]:
    """Return the regularized incomplete beta function of a, b and the two limits.

    Imported late: a fifth of a second that most processes never need. The API calls this when it
    starts, so that no reader waits for it.
    """
    from mpmath import fp  # pyright: ignore[reportMissingTypeStubs]

    betainc = cast(Callable[..., float], fp.betainc)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    return partial(betainc, regularized=True)


def difference(a: Sequence[float], b: Sequence[float]) -> Difference:
    """Hold the rates `a` of one setting against `b` of another; neither may be empty."""
    mean_a, mean_b = fmean(a), fmean(b)
    ratio = mean_a / mean_b if mean_b else (1.0 if mean_a == 0 else float("inf"))
    if len(a) > 1 and len(b) > 1:
        p = welch(a, b)
        far = abs(mean_a - mean_b) > FAR_APART * max(mean_a, mean_b)
        few = p >= LEVEL and far and min(len(a), len(b)) < ENOUGH
        return Difference(ratio, p, p < LEVEL, few)
    apart = abs(mean_a - mean_b) > TOLERANCE * max(mean_a, mean_b)
    return Difference(ratio, None, apart)
