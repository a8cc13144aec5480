"""Fits of a series by constant levels or by a smooth curve, with correlated noise.

A fit is judged by its deviance: −2 log likelihood with Gaussian noise whose neighbors are
correlated (AR(1)), profiled over the correlation and the deviation. Plain Python, because importing
NumPy takes longer than the time budget of a page.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import fsum, inf, log

CORRELATIONS = (0.0, 0.15, 0.3, 0.45, 0.6, 0.7, 0.75)
"""Tried correlations of neighbors. They are capped: with more, every step would pass for noise."""

PROPOSING = (0.0, 0.7)
"""Correlations with which splits are proposed before the fits are compared."""

LEAST_NOISE = 0.005
"""Deviation below which a fit is not rewarded for being closer: clocks and blocks round."""

MOST_STEPS = 5
"""Maximum number of steps."""

NARROWEST = 5
"""Intervals on each side of a split in the finest search for candidates."""

PEAKS = 6
"""Candidates of each width."""

EVERY_PLACE = 64
"""Up to this many values, each place is a candidate."""

REACH = 4
"""By how many intervals a split is moved to where the fit is best."""

DEGREE = 3
"""Of the smooth curve: with it a decline that is linear in rate or in its logarithm fits."""

Splits = tuple[int, ...]
"""Indices of the first value after each step, ascending."""

Allowed = Callable[[int, int], bool]
"""Whether the values from one index up to another may be a level."""


@dataclass(frozen=True)
class Fit:
    """A staircase: where it steps, and how well it fits (less is better)."""

    splits: Splits
    means: tuple[float, ...]
    deviance: float


class Series:
    """Values around zero with their running sums."""

    def __init__(self, values: Sequence[float]) -> None:
        """Keep the values without their mean."""
        middle = fsum(values) / len(values)
        self.values = [one - middle for one in values]
        self.sums = [0.0, *accumulate(self.values)]
        squares = [one * one for one in self.values]
        self.squares = [0.0, *accumulate(squares)]
        products = (one * other for one, other in pairwise(self.values))
        self.products = [0.0, 0.0, *accumulate(products)]

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self.values)

    def solved(self, splits: Splits, correlation: float) -> tuple[float, list[float]]:
        """Return the squares of the innovations left by the best levels, and these levels."""
        values, sums = self.values, self.sums
        rest, share = 1 - correlation, correlation * correlation
        total = len(values)
        left = self.squares[total] * (1 + share) - 2 * correlation * self.products[total]
        left -= share * (values[0] ** 2 + values[-1] ** 2)
        diagonal, right = list[float](), list[float]()
        for begin, end in pairwise((0, *splits, total)):
            weight = (end - begin - 1) * rest * rest
            inner = sums[end] - sums[begin + 1] - correlation * (sums[end - 1] - sums[begin])
            moved = rest * inner
            if begin:
                jump = values[begin] - correlation * values[begin - 1]
                diagonal[-1] += share
                right[-1] -= correlation * jump
                weight, moved = weight + 1, moved + jump
            else:
                weight, moved = weight + 1 - share, moved + (1 - share) * values[0]
            diagonal.append(weight)
            right.append(moved)
        for at in range(1, len(diagonal)):  # off the diagonal is always −correlation
            factor = correlation / diagonal[at - 1]
            diagonal[at] -= factor * correlation
            right[at] += factor * right[at - 1]
        means = [0.0] * len(diagonal)
        after = 0.0
        for at in reversed(range(len(diagonal))):
            left -= right[at] ** 2 / diagonal[at]
            after = (right[at] + correlation * after) / diagonal[at]
            means[at] = after
        return left, means

    def cost(self, begin: int, end: int, correlation: float) -> float:
        """Return the squares left in a level by itself, as if its noise began anew."""
        values, sums = self.values, self.sums
        rest, share = 1 - correlation, correlation * correlation
        left = (self.squares[end] - self.squares[begin]) * (1 + share)
        left -= 2 * correlation * (self.products[end] - self.products[begin + 1])
        left -= share * (values[begin] ** 2 + values[end - 1] ** 2)
        inner = sums[end] - sums[begin + 1] - correlation * (sums[end - 1] - sums[begin])
        moved = rest * inner + (1 - share) * values[begin]
        return left - moved * moved / ((end - begin - 1) * rest * rest + 1 - share)


def _deviance(left: float, total: int, correlation: float) -> float:
    return total * log(max(left / total, LEAST_NOISE**2 * (1 - correlation**2))) - log(
        1 - correlation**2
    )


def fits(series: Series, allowed: Allowed) -> list[Fit]:
    """Return the best staircase of each number of steps from none on, as far as any is allowed."""
    found = [fitted(series, ())]
    places = _candidates(series)
    proposed = [_proposed(series, places, allowed, one) for one in PROPOSING]
    for steps in range(1, MOST_STEPS + 1):
        of_count = {way[steps] for way in proposed if steps in way}
        refined = [_refined(series, splits, allowed) for splits in of_count]
        if not refined:
            break
        found.append(min(refined, key=lambda fit: fit.deviance))
    return found


def fitted(series: Series, splits: Splits) -> Fit:
    """Return the fit of the levels between these splits."""
    best = Fit(splits, (), inf)
    for correlation in CORRELATIONS:
        left, means = series.solved(splits, correlation)
        deviance = _deviance(left, len(series), correlation)
        if deviance < best.deviance:
            best = Fit(splits, tuple(means), deviance)
    return best


def _candidates(series: Series) -> list[int]:
    """Return the places where the means of both sides differ most, for windows of many widths."""
    sums, total = series.sums, len(series)
    if total <= EVERY_PLACE:
        return list(range(NARROWEST, total - NARROWEST + 1))
    places, width = set[int](), NARROWEST
    while width <= max(NARROWEST, total // 4):
        strength = list[tuple[float, int]]()
        for at in range(NARROWEST, total - NARROWEST + 1):
            begin, end = max(0, at - width), min(total, at + width)
            apart = (sums[end] - sums[at]) / (end - at) - (sums[at] - sums[begin]) / (at - begin)
            strength.append((apart * apart * (end - at) * (at - begin) / (end - begin), at))
        strength = _peaks(strength)
        taken, gap = list[int](), max(2, width // 2)
        for _, at in strength:
            if all(abs(at - one) > gap for one in taken):
                taken.append(at)
                if len(taken) == PEAKS:
                    break
        beside = (-1, 0, 1) if width <= 2 * NARROWEST else (0,)
        places.update(at + off for at in taken for off in beside if 0 < at + off < total)
        width *= 2
    return sorted(places)


def _peaks(strength: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    """Return the local maxima, the highest first; the slopes of a large step hide no small one."""
    around = [(-inf, 0), *strength, (-inf, 0)]
    found = [
        one
        for before, one, after in zip(around, strength, around[2:], strict=False)
        if before[0] <= one[0] >= after[0]
    ]
    return sorted(found, reverse=True)


def _proposed(
    series: Series, places: Sequence[int], allowed: Allowed, correlation: float
) -> dict[int, Splits]:
    """Return the cheapest splits at these places for each number of steps, by that number."""
    nodes = [0, *places, len(series)]
    last = len(nodes) - 1
    costs = [
        [
            (at, series.cost(nodes[at], end, correlation))
            for at in range(to)
            if allowed(nodes[at], end)
        ]
        for to, end in enumerate(nodes)
    ]
    cheapest = [inf] * len(nodes)
    cheapest[0] = 0.0
    ways: list[list[int]] = []
    found = dict[int, Splits]()
    for steps in range(MOST_STEPS + 1):
        following, came = [inf] * len(nodes), [0] * len(nodes)
        for to, options in enumerate(costs):
            for at, cost in options:
                if cheapest[at] + cost < following[to]:
                    following[to], came[to] = cheapest[at] + cost, at
        ways.append(came)
        cheapest = following
        if steps and following[last] < inf:
            at, splits = last, list[int]()
            for back in range(steps, 0, -1):
                at = ways[back][at]
                splits.append(nodes[at])
            found[steps] = tuple(reversed(splits))
    return found


def _refined(series: Series, splits: Splits, allowed: Allowed) -> Fit:
    """Return the fit with each split moved to where it is best, given the others."""
    best = fitted(series, splits)
    for _ in range(3):
        before = best.splits
        for place in range(len(splits)):
            best = _moved(series, best, place, allowed)
        if best.splits == before:
            break
    return best


def _moved(series: Series, fit: Fit, place: int, allowed: Allowed) -> Fit:
    at, edges = fit.splits[place], (0, *fit.splits, len(series))
    begin, end = edges[place], edges[place + 2]
    correlation = min(
        CORRELATIONS,
        key=lambda one: _deviance(series.solved(fit.splits, one)[0], len(series), one),
    )
    lefts = {
        moved: series.solved((*fit.splits[:place], moved, *fit.splits[place + 1 :]), correlation)[0]
        for moved in range(at - REACH, at + REACH + 1)
        if begin < moved < end and allowed(begin, moved) and allowed(moved, end)
    }
    moved = min(lefts, key=lefts.__getitem__, default=at)
    if moved == at:
        return fit
    return fitted(series, (*fit.splits[:place], moved, *fit.splits[place + 1 :]))


def smooth_deviance(series: Series, degree: int = DEGREE) -> float:
    """Return the deviance of the best smooth curve; with degree 1, of the best line."""
    total = len(series)
    columns = [
        [((2 * at + 1) / total - 1) ** power for at in range(total)] for power in range(degree + 1)
    ]
    return min(_deviance(_left_by(series.values, columns, one), total, one) for one in CORRELATIONS)


def _left_by(
    values: Sequence[float], columns: Sequence[Sequence[float]], correlation: float
) -> float:
    """Return the squares of the innovations that least squares leaves, by Gram–Schmidt."""
    first = (1 - correlation**2) ** 0.5
    whitened = [
        [first * one[0], *(b - correlation * a for a, b in pairwise(one))]
        for one in (*columns, values)
    ]
    basis = list[list[float]]()
    for column in whitened:
        rest = column
        for other in basis:
            along = fsum(map(float.__mul__, rest, other))
            rest = [a - along * b for a, b in zip(rest, other, strict=True)]
        length = fsum(one * one for one in rest) ** 0.5
        if column is whitened[-1]:
            return length**2
        basis.append([one / length for one in rest])
    return inf
