"""A confidence interval of the true mean of the cell with the highest measured mean.

The highest of several noisy means is too high: it was partly selected for its luck. The figure
stays what was measured; this interval allows for the selection. It is the hybrid interval of
Andrews, Kitagawa and McCloskey, *Inference on Winners*, Quarterly Journal of Economics 139 (2024):
given that a cell was selected, its mean has a distribution that is truncated at the second highest
mean, and its true mean is within the simultaneous interval of all cells.

A cell has few repeats, so its noise is relative and pooled over the cells. Where noise clearly
differs between cells, or is unknown, there is no interval.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import copysign, erfc, exp, expm1, fsum, log, log1p, pi, sqrt
from statistics import NormalDist

from assay.analysis.repeats import CONFIDENCE, Repeats

SIMULTANEOUS = 0.1
"""The part of the permitted error that the simultaneous interval takes, as its authors propose."""

FEWEST_FREEDOM = 4
"""Degrees of freedom from which pooled noise is known well enough: two repeats of four cells."""

DIFFERS = 1.5
"""Noise clearly differs if Bartlett's statistic is this many standard deviations above its mean."""

NOISIER = 0.05
"""Noise clearly differs if that of the best cell is larger than the others' at this level."""

LEADING = 4, 8
"""Numbers of highest means whose noise counts if it is larger: noise selects the noisiest cells."""

UNSEEN = 1.5
"""How much of a difference in noise that is not clear widens the interval, as a power.

Two repeats hardly tell noise apart. Found by simulation, so that the interval also covers the true
mean where noise differs by a factor of seven and this is not noticed.
"""

_EULER = 0.5772156649015329
_STEPS = 50


@dataclass(frozen=True)
class SelectedMean:
    """The interval of the true mean of the best of `cells`; `noise` is a share of the mean."""

    low: float
    high: float
    mean: float
    cells: int
    noise: float
    confidence: float = CONFIDENCE


def selected_mean(cells: Sequence[Repeats]) -> SelectedMean | None:
    """Return the interval of the highest of these means; None where none can be claimed.

    That is without a choice, with too few repeats, if noise clearly differs between cells, or if
    the interval is as wide as the mean, which then says nothing.
    """
    if len(cells) < 2 or min(cell.mean for cell in cells) <= 0:
        return None
    ordered = sorted(cells, key=lambda cell: -cell.mean)
    repeated = [cell for cell in ordered if cell.n > 1]
    freedom = _freedom(repeated)
    if freedom < FEWEST_FREEDOM or not all(cell.cv for cell in repeated):
        return None
    best, second = ordered[:2]
    excess, deviations = _differences(repeated)
    if deviations > DIFFERS or _is_noisier(best, repeated):
        return None
    noise = max(_noise(repeated[:most]) for most in (len(repeated), *LEADING))
    noise *= exp(UNSEEN * max(0.0, excess) / 2)
    error = noise * best.mean / sqrt(best.n)
    low, high = _hybrid((best.mean - second.mean) / error, len(cells), freedom)
    if (high - low) * error >= best.mean or best.mean + low * error <= 0:
        return None
    return SelectedMean(
        low=best.mean + low * error,
        high=best.mean + high * error,
        mean=best.mean,
        cells=len(cells),
        noise=noise,
    )


def _differences(cells: Sequence[Repeats]) -> tuple[float, float]:
    """Return how much the noise of cells differs beyond chance, each of several repeats.

    The first is the logarithm of the arithmetic mean of the variances ÷ the geometric one, the
    second the same in standard deviations: Bartlett's statistic, N ln s² − Σ νᵢ ln sᵢ². Its usual
    χ² distribution does not hold for two or three repeats, so it is compared with its exact mean
    and variance under equal noise: the sᵢ² are then multiples of χ² with νᵢ degrees of freedom,
    whose shares of the sum do not depend on the sum. It also reacts to outliers, which the interval
    does not describe either.
    """
    total = _freedom(cells)
    mean, spread = _log_chi_square(total)
    found = total * log(_noise(cells) ** 2)
    expected, variance = total * (mean - log(total)), -(total**2) * spread
    for freedom, cv in ((cell.n - 1, cell.cv or 0.0) for cell in cells):
        mean, spread = _log_chi_square(freedom)
        found -= freedom * log(cv**2)
        expected -= freedom * (mean - log(freedom))
        variance += freedom**2 * spread
    excess = found - expected
    return excess / total, excess / sqrt(variance) if variance > 0 else 0.0


def _is_noisier(best: Repeats, cells: Sequence[Repeats]) -> bool:
    """Return whether the best cell is noisier than the others, by the F test of both variances.

    F is transformed to a normal value as by Paulson, *An Approximate Normalization of the Analysis
    of Variance Distribution*, Annals of Mathematical Statistics 13 (1942).
    """
    own, others = best.n - 1, [cell for cell in cells if cell is not best]
    freedom = _freedom(others)
    if not own or not freedom:
        return False
    root = ((best.cv or 0.0) / _noise(others)) ** (2 / 3)
    few, many = 2 / (9 * own), 2 / (9 * freedom)
    normal = ((1 - many) * root - (1 - few)) / sqrt(many * root**2 + few)
    return normal > NormalDist().inv_cdf(1 - NOISIER)


def _freedom(cells: Sequence[Repeats]) -> int:
    return sum(cell.n - 1 for cell in cells)


def _noise(cells: Sequence[Repeats]) -> float:
    """Return the pooled relative standard deviation of one repeat."""
    squares = fsum((cell.n - 1) * (cell.cv or 0.0) ** 2 for cell in cells)
    return sqrt(squares / max(1, _freedom(cells)))


@cache
def _log_chi_square(freedom: int) -> tuple[float, float]:
    """Return mean and variance of ln χ² with ν degrees of freedom: ψ(ν/2) + ln 2, and ψ′(ν/2).

    From ψ and ψ′ of 1/2 and 1, by ψ(x + 1) = ψ(x) + 1/x and ψ′(x + 1) = ψ′(x) − 1/x².
    """
    half = freedom % 2 == 1
    x = 0.5 if half else 1.0
    mean, variance = (-_EULER - log(4), pi**2 / 2) if half else (-_EULER, pi**2 / 6)
    while x < freedom / 2:
        mean += 1 / x
        variance -= 1 / x**2
        x += 1
    return mean + log(2), variance


def _hybrid(lead: float, cells: int, freedom: int) -> tuple[float, float]:
    """Return both ends of the interval in standard errors from the measured mean.

    `lead` is how far the second highest mean is below. The true mean is where the measured one is
    at the upper or the lower quantile of its distribution: Student's t with the noise's degrees of
    freedom, truncated below at the second mean, and on both sides to the simultaneous interval
    around the true mean, which leaves the rest of the permitted error. Near a tie that interval
    degenerates, so it is never narrower than one without adjustment for selection.
    """
    error = 1 - CONFIDENCE
    reach = _quantile(1 - (1 - SIMULTANEOUS * error) ** (1 / cells), freedom)
    rest = error * (1 - SIMULTANEOUS) / (1 - SIMULTANEOUS * error)

    def above(shift: float) -> float:
        """Return the probability of a higher mean if the true one is `shift` errors above."""
        most = _tail(reach, freedom)
        total = _tail(max(-lead - shift, -reach), freedom) - most
        return (_tail(-shift, freedom) - most) / total if total > 0 else 0.0

    low = _solved(above, rest / 2, reach)
    high = _solved(above, 1 - rest / 2, reach)
    return low, min(reach, max(high, low + 2 * _quantile(error, freedom)))


def _solved(rising: Callable[[float], float], wanted: float, reach: float) -> float:
    low, high = -reach, reach
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if rising(middle) < wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _tail(t: float, freedom: int) -> float:
    """Return P(T > t) of Student's t.

    By the transformation to a normal value of Wallace, *Bounds on Normal Approximations*, Annals of
    Mathematical Statistics 30 (1959): its error is below 0.02 standard deviations.
    """
    normal = copysign(sqrt(freedom * log1p(t * t / freedom)), t) / _wallace(freedom)
    return erfc(normal / sqrt(2)) / 2


def _quantile(error: float, freedom: int) -> float:
    """Return the t that |T| exceeds with this probability: the inverse of both tails."""
    normal = NormalDist().inv_cdf(1 - error / 2) * _wallace(freedom)
    return sqrt(freedom * expm1(normal * normal / freedom))


def _wallace(freedom: int) -> float:
    return (8 * freedom + 3) / (8 * freedom + 1)
