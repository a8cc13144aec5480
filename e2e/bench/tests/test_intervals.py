"""Ratios with their intervals, and their verdicts."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from probe.intervals import (
    NOISE_CEILING,
    Interval,
    of_geometric_mean,
    of_median,
    pair_ratio,
    reaches,
    single_ratio,
    stays_under,
)

STEADY = Interval(1.0, 0.99, 1.01)
NOISY = Interval(0.959, 0.868, 1.004)
rates = st.floats(0.5, 2.0)


def test_a_cell_below_the_bar_is_a_no() -> None:
    assert reaches(Interval(0.91, 0.90, 0.92), 0.97, STEADY) == "no"


def test_a_cell_above_the_bar_is_a_yes() -> None:
    assert reaches(Interval(1.1, 1.05, 1.2), 0.97, STEADY) == "yes"


def test_a_cell_whose_interval_straddles_the_bar_is_inconclusive() -> None:
    assert reaches(Interval(0.98, 0.95, 1.01), 0.97, STEADY) == "inconclusive"


def test_noise_does_not_turn_a_low_ratio_into_a_yes() -> None:
    assert reaches(Interval(0.911, 0.873, 0.944), 0.97, NOISY) == "inconclusive"


@given(rates, st.floats(0, 0.3), st.floats(0, 0.3), st.floats(NOISE_CEILING + 1e-6, 0.5))
def test_there_is_no_verdict_above_the_noise_ceiling(
    middle: float, below: float, above: float, noise: float
) -> None:
    figure = Interval(middle, middle - below, middle + above)
    assert reaches(figure, 0.97, Interval(1.0, 1 - noise, 1.0)) == "inconclusive"


@given(rates, st.floats(0, 0.3), st.floats(0, 0.3), st.floats(0.8, 1.2), st.floats(0, 0.2))
def test_a_wider_interval_never_turns_a_no_into_a_yes(
    middle: float, below: float, above: float, bar: float, wider: float
) -> None:
    narrow = reaches(Interval(middle, middle - below, middle + above), bar)
    wide = reaches(Interval(middle, middle - below - wider, middle + above + wider), bar)
    assert wide in (narrow, "inconclusive")


def test_a_duration_is_compared_with_its_lower_bound() -> None:
    assert stays_under(Interval(0.7, 0.6, 0.9), 1.0) == "yes"
    assert stays_under(Interval(1.2, 1.1, 1.3), 1.0) == "no"
    assert stays_under(Interval(0.9, 0.8, 1.1), 1.0) == "inconclusive"


def test_slow_drift_cancels_in_a_quad() -> None:
    assert pair_ratio((100.0, 121.0), (110.0, 110.0)) == pytest.approx(1.0)


@given(st.lists(rates, min_size=1, max_size=20))
def test_the_median_lies_in_its_own_interval(ratios: list[float]) -> None:
    found = of_median(ratios)
    assert found.low <= found.median <= found.high


def test_a_tool_against_itself_spreads_alike_in_pairs_and_in_single_runs() -> None:
    chance = random.Random(7)

    def run() -> float:
        return chance.lognormvariate(0, 0.05)

    pairs = of_spread([pair_ratio((run(), run()), (run(), run())) for _ in range(2000)])
    singles = of_spread([single_ratio(run(), run()) for _ in range(2000)])
    assert pairs == pytest.approx(singles, rel=0.1)


def of_spread(ratios: list[float]) -> float:
    mean = sum(ratios) / len(ratios)
    return (sum((ratio - mean) ** 2 for ratio in ratios) / len(ratios)) ** 0.5


def test_the_geometric_mean_of_cells_is_as_far_above_one_as_below() -> None:
    assert of_geometric_mean([[2.0], [0.5]]).median == pytest.approx(1.0)
