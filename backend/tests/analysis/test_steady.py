import pytest
from assay.analysis.steady import steady, window

LENGTHS = [5, 1024, 3600]


def line(length: int, change: float) -> list[float]:
    """Return a line with mean 1 whose last value is `change` above its first."""
    return [1 + change * (at / (length - 1) - 0.5) for at in range(length)]


def pulse(length: int, spread: float) -> list[float]:
    """Return values of mean 1 without a slope, whose largest is `spread` above the smallest.

    In the middle, one value is higher by spread × (n − 1) ÷ n, and all others lower by spread ÷ n.
    """
    values = [1 - spread / length] * length
    values[length // 2] += spread
    return values


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize(("change", "steady"), [(0.0999, True), (0.1001, False), (-0.1001, False)])
def test_the_slope_limit_is_10_percent_of_the_mean(
    length: int, change: float, steady: bool
) -> None:
    found = window(line(length, change))
    assert found
    assert found.slope_share == pytest.approx(change, rel=1e-9)
    assert found.spread_share == pytest.approx(abs(change), rel=1e-9)
    assert found.steady is steady


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize(("spread", "steady"), [(0.1999, True), (0.2001, False)])
def test_the_spread_limit_is_20_percent_of_the_mean(
    length: int, spread: float, steady: bool
) -> None:
    found = window(pulse(length, spread))
    assert found
    assert found.mean == pytest.approx(1, rel=1e-12)
    assert found.spread_share == pytest.approx(spread, rel=1e-9)
    # the middle of an even number of values is half a step off, which makes a slope of 6 s ÷ n²
    assert abs(found.slope_share) < 1e-5
    assert found.steady is steady


TABLE = [
    # rounds, mean, spread ÷ mean, change of the line ÷ mean, steady; computed by hand
    ([100, 100, 100, 100, 100], 100.0, 0.0, 0.0, True),
    ([90, 110, 100, 90, 110], 100.0, 0.2, 0.08, True),  # slope (−2·90−110+90+2·110)/10 = 2
    ([90, 111, 100, 90, 109], 100.0, 0.21, 0.068, False),  # slope 1.7; the spread is too large
    ([95, 97.5, 100, 102.5, 105], 100.0, 0.1, 0.1, True),  # slope 2.5
    ([94, 97, 100, 103, 106], 100.0, 0.12, 0.12, False),  # slope 3
    ([110, 105, 100, 95, 90], 100.0, 0.2, -0.2, False),  # slope −5
]


@pytest.mark.parametrize(("rounds", "mean", "spread", "slope", "is_steady"), TABLE)
def test_windows_of_five_rounds_agree_with_a_table_by_hand(
    rounds: list[float], mean: float, spread: float, slope: float, is_steady: bool
) -> None:
    found = window(rounds)
    assert found
    assert (found.mean, found.spread_share) == pytest.approx((mean, spread))
    assert found.slope_share == pytest.approx(slope, abs=1e-12)
    assert found.steady is is_steady


def test_large_samples_do_not_overflow() -> None:
    found = window([1e12 * one for one in line(3600, 0.0999)])
    assert found
    assert found.slope_share == pytest.approx(0.0999, rel=1e-9)


def test_the_first_steady_window_is_found() -> None:
    found = steady([200, 150, 120, 101, 100, 100, 99, 100, 100])
    assert found
    assert (found.reached, found.first_round, found.rounds) == (True, 4, 8)


def test_a_device_that_is_not_steady_after_25_rounds_is_not_steady() -> None:
    found = steady([100, 200] * 12 + [100] * 50)
    assert found
    assert (found.reached, found.rounds, found.first_round) == (False, 25, 21)


def test_fewer_rounds_than_a_window_are_not_judged() -> None:
    assert steady([100, 100, 100, 100]) is None
    assert window([0, 0]) is None
