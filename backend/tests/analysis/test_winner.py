"""The interval of the true mean of the best of several cells, over simulated matrices."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, sqrt

import pytest
from assay.analysis.repeats import Repeats, describe, student
from assay.analysis.winner import SelectedMean, selected_mean

CELLS = 35
NOISE = 0.03
FIRST = 8 * 10**7
"""The first seed; the rules were chosen with others."""

BAR = 0.935

True_ = Callable[[int], float]
"""The true mean of a cell, by its number."""


def equal(_: int) -> float:
    return 1.0


def leader(number: int) -> float:
    return 1.0 if number == 0 else 0.9


def near_leader(number: int) -> float:
    return 1.0 if number == 0 else 0.97


def graded(number: int) -> float:
    return 1 - 0.01 * number


def few_close(number: int) -> float:
    return 1 - 0.005 * number if number < 5 else 0.85 - 0.015 * (number - 5)


CONFIGURATIONS = (equal, leader, near_leader, graded, few_close)


def same(_: random.Random) -> float:
    return NOISE


def different(chance: random.Random) -> float:
    """Up to a factor of seven between cells."""
    return NOISE * exp(chance.uniform(-1, 1))


@dataclass
class Count:
    """Simulated matrices with an interval, and those of them whose interval covers the truth."""

    spoken: int = 0
    covered: int = 0
    silent: int = 0
    widths: float = 0.0

    @property
    def coverage(self) -> float:
        """The share of the intervals that cover the truth; silent matrices do not count."""
        return self.covered / max(1, self.spoken)


def simulated(
    means: True_,
    repeats: int,
    seeds: range,
    noise: Callable[[random.Random], float] = same,
    cells: int = CELLS,
) -> Count:
    count = Count()
    for seed in seeds:
        chance = random.Random(seed)
        measured: list[Repeats] = []
        for number in range(cells):
            true, cv = means(number), noise(chance)
            measured.append(describe([true * chance.gauss(1, cv) for _ in range(repeats)]))
        found = selected_mean(measured)
        if found is None:
            count.silent += 1
            continue
        true = means(measured.index(max(measured, key=lambda cell: cell.mean)))
        count.spoken += 1
        count.covered += found.low <= true <= found.high
        count.widths += found.high - found.low
    return count


Seeds = pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(FIRST, FIRST + 300), id="300"),
        pytest.param(range(FIRST, FIRST + 4000), id="4000", marks=pytest.mark.nightly),
    ],
)


@Seeds
@pytest.mark.parametrize("repeats", [2, 3, 5, 10])
@pytest.mark.parametrize("means", CONFIGURATIONS)
def test_with_equal_noise_the_interval_covers_the_true_mean(
    means: True_, repeats: int, seeds: range
) -> None:
    found = simulated(means, repeats, seeds)
    assert found.spoken >= 0.8 * len(seeds)
    assert found.coverage >= BAR
    assert found.widths / found.spoken < 7 * NOISE / sqrt(repeats)


@Seeds
@pytest.mark.parametrize("means", CONFIGURATIONS)
def test_where_noise_differs_it_is_silent_or_covers_the_true_mean(
    means: True_, seeds: range
) -> None:
    """With two repeats a difference by a factor of seven cannot always be seen."""
    found = {repeats: simulated(means, repeats, seeds, different) for repeats in (2, 3, 5, 10)}
    silent = [count.silent / len(seeds) for count in found.values()]
    assert all(share >= least for share, least in zip(silent, (0.5, 0.93, 0.99, 1), strict=True))
    spoken = sum(count.spoken for count in found.values())
    assert sum(count.covered for count in found.values()) >= BAR * spoken


@Seeds
@pytest.mark.parametrize(("cells", "repeats"), [(2, 5), (4, 2), (9, 3)])
@pytest.mark.parametrize("means", [equal, leader])
def test_so_it_does_for_few_cells(means: True_, cells: int, repeats: int, seeds: range) -> None:
    found = simulated(means, repeats, seeds, cells=cells)
    assert found.spoken >= 0.8 * len(seeds)
    assert found.coverage >= BAR


def interval(*cells: tuple[float, ...]) -> SelectedMean:
    found = selected_mean([describe(rates) for rates in cells])
    assert found is not None
    return found


FIVE = (0.97, 1.03, 0.98, 1.02, 1.0)


def rates(mean: float) -> tuple[float, ...]:
    return tuple(mean * one for one in FIVE)


def test_a_clear_leader_has_the_interval_of_its_own_mean() -> None:
    found = interval(rates(100), rates(50), rates(40))
    half = student(12) * found.noise * 100 / sqrt(5)
    assert found.low == pytest.approx(100 - half, rel=0.005)
    assert found.high == pytest.approx(100 + half, rel=0.005)


def test_a_close_second_moves_the_interval_down_and_never_makes_it_narrower() -> None:
    clear = interval(rates(100), rates(50), rates(40))
    close = interval(rates(100), rates(99.9), rates(40))
    assert close.low < clear.low
    assert close.high <= clear.high
    assert close.high - close.low >= 2 * student(12) * clear.noise * 100 / sqrt(5) * 0.99


def test_the_unit_and_the_order_of_the_cells_do_not_matter() -> None:
    one, other = interval(rates(100), rates(95), rates(40)), interval(*map(rates, (4, 9.5, 10)))
    assert (one.low, one.high) == pytest.approx((10 * other.low, 10 * other.high))


@pytest.mark.parametrize(
    "cells",
    [
        [rates(100)],
        [(100.0,), (90.0,)],
        [(100.0, 101.0), (90.0, 91.0)],
        [(100.0,) * 5, (90.0,) * 5],
        [rates(100), (90.0, 180.0, 20.0, 150.0, 60.0)],
        [rates(100), (97.0, 103.0, 98.0, 102.0, 40.0), rates(60), rates(50)],
        [rates(100), (0.0,) * 5],
    ],
    ids=["one cell", "no repeats", "few repeats", "no noise", "noise", "outlier", "no rate"],
)
def test_nothing_is_claimed_without_a_choice_or_known_equal_noise(
    cells: list[tuple[float, ...]],
) -> None:
    assert selected_mean([describe(one) for one in cells]) is None
