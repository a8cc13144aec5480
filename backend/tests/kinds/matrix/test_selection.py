import random
from statistics import fmean

import pytest
from assay.kinds.matrix.ranking import Setting
from assay.kinds.matrix.selection import corrected_best
from hypothesis import given
from hypothesis import strategies as st

RATE = st.floats(1.0, 1e10)


def cells(*rates: list[float]) -> dict[Setting, dict[int, float]]:
    return {
        Setting(4096, threads): dict(enumerate(values, start=1))
        for threads, values in enumerate(rates, start=1)
    }


def test_a_cell_that_always_wins_keeps_its_mean() -> None:
    assert corrected_best(cells([10, 11, 12], [100, 101, 102])) == pytest.approx(101)


def test_one_lucky_repeat_does_not_make_the_headline() -> None:
    found = corrected_best(cells([100, 101, 99], [98, 367, 97]))
    assert found is not None and found < 105


def test_without_repeats_nothing_can_be_corrected() -> None:
    assert corrected_best(cells([100], [200])) is None
    assert corrected_best({}) is None


@given(
    st.integers(2, 6).flatmap(
        lambda n: st.lists(st.lists(RATE, min_size=n, max_size=n), min_size=1, max_size=12)
    )
)
def test_the_correction_never_raises_the_figure(rates: list[list[float]]) -> None:
    found = corrected_best(cells(*rates))
    assert found is not None
    assert found <= max(fmean(values) for values in rates)


@pytest.mark.parametrize(("number", "repeats"), [(24, 2), (24, 3), (35, 5)])
def test_the_bias_of_choosing_among_equal_cells_vanishes(number: int, repeats: int) -> None:
    """The true rate of all cells is 100 with a noise of 5 %: the plain best is several % high."""
    chance = random.Random(number * repeats)
    plain: list[float] = []
    corrected: list[float] = []
    for _ in range(400):
        rates = [[chance.gauss(100, 5) for _ in range(repeats)] for _ in range(number)]
        plain.append(max(fmean(values) for values in rates))
        found = corrected_best(cells(*rates))
        assert found is not None
        corrected.append(found)
    assert fmean(plain) > 103.5
    assert fmean(corrected) == pytest.approx(100, abs=0.7)


def test_the_bias_shrinks_even_if_a_few_cells_stand_out() -> None:
    chance = random.Random(7)
    truth = [40.0] * 12 + [100.0, 100.0, 100.0, 99.0, 98.0]
    plain: list[float] = []
    corrected: list[float] = []
    for _ in range(400):
        rates = [[chance.gauss(rate, rate * 0.05) for _ in range(3)] for rate in truth]
        plain.append(max(fmean(values) for values in rates))
        corrected.append(corrected_best(cells(*rates)) or 0)
    assert fmean(plain) > 102
    assert abs(fmean(corrected) - 100) < (fmean(plain) - 100) / 3
