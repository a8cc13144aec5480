import statistics
from fractions import Fraction

import pytest
from assay.analysis.noise import difference, variance, welch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

RATES = st.lists(st.floats(1e3, 1e10), min_size=2, max_size=10)


WHOLE = st.lists(st.integers(1, 10**6).map(float), min_size=2, max_size=10)


@pytest.mark.filterwarnings("ignore:Precision loss")
@given(WHOLE, WHOLE)
def test_welch_agrees_with_scipy(a: list[float], b: list[float]) -> None:
    if len(set(a)) == 1 and len(set(b)) == 1:
        return  # no variance at all: scipy answers NaN
    # whole numbers: scipy's own variance loses digits where floats are nearly the same
    theirs = stats.ttest_ind(a, b, equal_var=False).pvalue
    assert welch(a, b) == pytest.approx(theirs, rel=1e-6, abs=1e-12)


@given(RATES, RATES)
def test_the_order_changes_the_ratio_but_not_the_significance(
    a: list[float], b: list[float]
) -> None:
    ab, ba = difference(a, b), difference(b, a)
    assert ab.significant == ba.significant
    assert ab.ratio * ba.ratio == pytest.approx(1)


@given(st.lists(st.floats(1e3, 1e10), min_size=1, max_size=10))
def test_equal_repeats_are_within_noise(a: list[float]) -> None:
    assert not difference(a, a).significant


def test_repeats_that_overlap_are_noise_and_those_that_do_not_are_a_difference() -> None:
    assert not difference([100, 104, 96], [101, 105, 98]).significant
    assert difference([100, 101, 99], [110, 111, 109]).significant


def test_without_repeats_three_percent_is_tolerated() -> None:
    near, far = difference([100], [97.5]), difference([100], [96.5])
    assert (near.significant, near.p) == (False, None)
    assert (far.significant, far.p) == (True, None)


def test_a_rate_of_zero_is_compared_too() -> None:
    assert difference([0.0], [0.0]).ratio == 1
    assert difference([5.0], [0.0]).significant


@given(RATES)
def test_the_variance_agrees_with_that_of_exact_fractions(rates: list[float]) -> None:
    exact = statistics.variance(map(Fraction, rates))
    assert variance(rates) == pytest.approx(float(exact), rel=1e-9, abs=1e-6)


def test_two_repeats_with_a_large_difference_are_too_few() -> None:
    """Means of 39.7 and 208 MB/s, which Welch's test on two repeats calls noise."""
    found = difference([38.0, 41.4], [130.0, 286.0])
    assert found.p is not None and found.p > 0.05
    assert (found.significant, found.too_few, found.within_noise) == (False, True, False)


def test_two_repeats_close_together_are_within_noise() -> None:
    found = difference([100.0, 103.0], [101.0, 106.0])
    assert (found.significant, found.too_few, found.within_noise) == (False, False, True)


def test_five_noisy_repeats_are_enough_for_noise() -> None:
    found = difference([50.0, 150.0, 90.0, 30.0, 200.0], [120.0, 20.0, 260.0, 40.0, 180.0])
    assert (found.significant, found.too_few, found.within_noise) == (False, False, True)
