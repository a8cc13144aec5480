"""Whether two settings differ by more than the noise of their repeats.

Welch's t-test on the repeats at 5 %; if a side has no repeats, a fixed tolerance of 3 %. Whether
one of several parts is the slowest is a stricter question, with an answer of its own (`distinct`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import fsum, log
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


PRIOR_CV, PRIOR_FREEDOM = 0.10, 3
"""The usual noise of rates, which counts like repeats with so many degrees of freedom: two repeats
alone do not tell it."""

STRICT = 0.01
"""Level at which one part is named as slower than another."""

FAR_FACTOR = 1.7
"""If each repeat of one is this many times each of the other, noise hardly explains it: of two
equal parts with a noise of 15 % and a single repeat each, 1.2 % differ so much."""


@dataclass(frozen=True)
class Difference:
    """The difference between `a` and `b`: the ratio of means, and whether noise explains it.

    `p` is Welch's, or null if the tolerance decided. `too_few`: the means differ much, but there
    are too few repeats to exclude noise.
    """

    ratio: float
    p: float | None
    significant: bool
    too_few: bool = False

    @property
    def within_noise(self) -> bool:
        """Whether noise explains the difference."""
        return not self.significant and not self.too_few


def welch(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the two-sided p-value that `a` and `b` have the same mean; both n ≥ 2.

    Variances may differ: t = (ā - b̄) / √(s²a/na + s²b/nb), with the degrees of freedom of Welch
    and Satterthwaite.
    """
    va, vb = variance(a) / len(a), variance(b) / len(b)
    gap = fmean(a) - fmean(b)
    if va + vb == 0:
        return 1.0 if gap == 0 else 0.0
    # shares of the variance, so that squares of tiny variances do not underflow
    share = va / (va + vb)
    freedom = 1 / (share**2 / (len(a) - 1) + (1 - share) ** 2 / (len(b) - 1))
    return _tails(freedom, gap**2 / (va + vb))


def _tails(freedom: float, square: float) -> float:
    """Return P(t² > square) of Student's distribution: I_x(ν/2, 1/2) with x = ν / (ν + t²)."""
    tails = incomplete_beta()(freedom / 2, 0.5, 0, freedom / (freedom + square))
    return min(1.0, max(0.0, tails))


def distinct(
    a: Sequence[float],
    b: Sequence[float],
    *,
    level: float = STRICT,
    factor: float = FAR_FACTOR,
    prior_freedom: int = PRIOR_FREEDOM,
) -> bool:
    """Return whether `a` and `b` are rates of parts of which one is slower; neither may be empty.

    They are if it is beyond the usual noise, or from three repeats on by Welch's test.
    """
    by_own = min(len(a), len(b)) > 2 and welch(a, b) < level
    return by_own or _beyond_usual_noise(a, b, level, factor, prior_freedom)


def _beyond_usual_noise(
    a: Sequence[float], b: Sequence[float], level: float, factor: float, prior_freedom: int
) -> bool:
    """Return whether neither their own nor the usual noise of rates explains a difference.

    By Student's test on the logarithms, whose variance is pooled over both and the usual noise; or
    all repeats of one are `factor` times those of the other.
    """
    if min(max(a), max(b)) * factor <= max(min(a), min(b)):
        return True
    if min([*a, *b]) <= 0:
        return False
    one, other = ([log(rate) for rate in rates] for rates in (a, b))
    squares = sum((len(of) - 1) * variance(of) for of in (one, other) if len(of) > 1)
    freedom = len(a) + len(b) - 2 + prior_freedom
    pooled = (squares + prior_freedom * PRIOR_CV**2) / freedom
    gap = fmean(one) - fmean(other)
    return _tails(freedom, gap**2 / (pooled * (1 / len(a) + 1 / len(b)))) < level


def variance(values: Sequence[float]) -> float:
    """Return the sample variance of at least two values.

    In floats and two passes: `statistics.variance` computes fractions, whose precision no rate has,
    and took a third of a matrix's time.
    """
    mean = fmean(values)
    return fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


@cache
def incomplete_beta() -> Callable[[float, float, float, float], float]:
    """Return the regularized incomplete beta function of a, b and the two limits.

    Imported late, because the import takes 0.2 s and most processes do not need it. The API calls
    this at its start so that no request waits for it.
    """
    from mpmath import fp  # pyright: ignore[reportMissingTypeStubs]

    betainc = cast(Callable[..., float], fp.betainc)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    return partial(betainc, regularized=True)


def difference(a: Sequence[float], b: Sequence[float]) -> Difference:
    """Compare the rates `a` of one setting with `b` of another; neither may be empty."""
    mean_a, mean_b = fmean(a), fmean(b)
    ratio = mean_a / mean_b if mean_b else (1.0 if mean_a == 0 else float("inf"))
    if len(a) > 1 and len(b) > 1:
        p = welch(a, b)
        far = abs(mean_a - mean_b) > FAR_APART * max(mean_a, mean_b)
        few = p >= LEVEL and far and min(len(a), len(b)) < ENOUGH
        return Difference(ratio, p, p < LEVEL, few)
    apart = abs(mean_a - mean_b) > TOLERANCE * max(mean_a, mean_b)
    return Difference(ratio, None, apart)
