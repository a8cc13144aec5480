from math import sqrt
from statistics import fmean, median, stdev

import pytest
from assay.analysis.repeats import describe, student
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as students_t


@pytest.mark.parametrize("freedom", [1, 2, 4, 18, 99, 300])
def test_the_quantile_is_that_of_scipy(freedom: int) -> None:
    assert student(freedom) == pytest.approx(students_t.ppf(0.975, freedom), rel=1e-9)


@given(st.lists(st.floats(1e3, 1e10), min_size=2, max_size=20))
def test_repeats_have_the_figures_of_the_textbook(values: list[float]) -> None:
    found = describe(values)
    assert (found.mean, found.median) == (fmean(values), median(values))
    assert found.worst == min(values)
    assert found.cv == pytest.approx(stdev(values) / fmean(values), abs=1e-9)
    assert found.interval
    half = students_t.ppf(0.975, len(values) - 1) * stdev(values) / sqrt(len(values))
    assert found.interval.high - found.interval.low == pytest.approx(2 * half, abs=1e-3)


def test_a_single_repeat_has_neither_variation_nor_interval() -> None:
    found = describe([5.0])
    assert (found.mean, found.worst, found.cv, found.interval) == (5.0, 5.0, None, None)
