from collections.abc import Collection, Mapping
from dataclasses import replace

import pytest
from assay.analysis.flags import Flag
from assay.kinds.matrix.best import ratios
from assay.kinds.matrix.cells import MeasuredSetting, Setting, gather
from assay.kinds.matrix.comparison import (
    BestsCompared,
    BestsNotCompared,
    CellCounts,
    ComparedSide,
    MatrixAnswer,
    NotComparable,
    Side,
    answer,
)
from assay.kinds.matrix.headline import CellLevels
from hypothesis import given
from hypothesis import strategies as st
from kinds.matrix.test_matrix import CACHED, CLIFF_FLAG, SHORT, changed, measured

MB = 1e6
ONE, TWO, FOUR, EIGHT = SETTINGS = [Setting(65536, threads) for threads in (1, 2, 4, 8)]
RATES = st.lists(
    st.lists(st.floats(1.0, 1e4), min_size=1, max_size=4), min_size=4, max_size=4
).filter(lambda cells: len({len(rates) > 1 for rates in cells}) == 1)
"""Rates of the repeats of four cells in MB/s; either all of them have several or none has."""

NO_CELLS = CellCounts(
    common=0, faster=0, slower=0, within_noise=0, too_few_repeats=0, cliff=0, unreliable=0
)


def side(
    run_id: int,
    rates: Mapping[Setting, Collection[float]],
    flags: Mapping[Setting, Flag] | None = None,
    cached: Collection[Setting] = (),
) -> Side:
    """A run with these rates in MB/s; a flag of a setting applies to all its trials."""

    def trial(setting: Setting, repeat: int, rate: float) -> MeasuredSetting:
        found = measured(setting.block, setting.threads, rate * MB, repeat)
        flag = (flags or {}).get(setting)
        if setting in cached:
            found = changed(found, durable_served_by=CACHED)
        return changed(found, flags=[flag] if flag else [])

    cells = [
        gather([trial(setting, repeat, rate) for repeat, rate in enumerate(repeats)])
        for setting, repeats in rates.items()
    ]
    return Side.of(run_id, cells, "durable")


def once(run_id: int, *rates: int) -> Side:
    """Each setting measured once."""
    return side(run_id, {setting: [rate] for setting, rate in zip(SETTINGS, rates, strict=True)})


def counts(**numbers: int) -> CellCounts:
    """Counts that are 0 where none is given."""
    return replace(NO_CELLS, **numbers)


def reasons(found: MatrixAnswer) -> list[NotComparable]:
    assert isinstance(found.best, BestsNotCompared)
    return found.best.reasons


def best_code(a: Side, b: Side) -> str:
    return answer(a, b, "durable").best.code


def test_only_common_cells_are_divided() -> None:
    found = ratios({ONE: {1: 200.0}, TWO: {1: 100.0}}, {ONE: {1: 100.0}, FOUR: {1: 1.0}})
    assert list(found) == [ONE]
    assert found[ONE].ratio == 2 and found[ONE].significant


def test_the_answer_has_the_ratio_at_their_best_and_counts_the_cells() -> None:
    a, b = once(1, 980, 1390, 500, 500), once(2, 980, 700, 600, 700)
    found = answer(a, b, "durable")
    assert found.a.best is not None and found.b.best is not None
    assert (found.a.run_id, found.a.best.threads, found.a.best.bytes_per_s) == (1, 2, 1390 * MB)
    assert (found.b.run_id, found.b.best.threads, found.b.best.bytes_per_s) == (2, 1, 980 * MB)
    assert found.best == BestsCompared(code="faster", ratio=1390 / 980, p=None)
    assert found.cells == counts(common=4, faster=1, slower=2, within_noise=1)
    reverse = answer(b, a, "durable")
    assert reverse.best == BestsCompared(code="slower", ratio=980 / 1390, p=None)
    assert reverse.cells == counts(common=4, faster=2, slower=1, within_noise=1)


def test_equal_arrays_do_not_differ() -> None:
    assert best_code(side(1, {ONE: [100]}), side(2, {ONE: [101]})) == "no_difference"


def test_means_far_apart_with_two_repeats_are_too_few() -> None:
    found = answer(side(1, {ONE: [38, 41.4]}), side(2, {ONE: [130, 286]}), "durable")
    assert found.best.code == "too_few_repeats"
    assert found.cells == counts(common=1, too_few_repeats=1)


def test_missing_and_unreliable_rates_are_told_apart() -> None:
    one = side(2, {ONE: [1]})
    found = answer(side(1, {}), one, "durable")
    assert reasons(found) == [NotComparable(1, "not_measured")]
    assert found.a == ComparedSide(1, measured=False, best=None)
    found = answer(side(1, {ONE: [100]}, {ONE: SHORT}), one, "durable")
    assert reasons(found) == [NotComparable(1, "unreliable")]
    assert found.a == ComparedSide(1, measured=True, best=None)
    assert found.cells == counts(common=1, unreliable=1)


def test_a_run_that_transferred_nothing_has_a_ratio_of_zero_or_none() -> None:
    nothing, some = side(1, {TWO: [0.0]}), side(2, {ONE: [1]})
    found = answer(nothing, some, "durable")
    assert found.best == BestsCompared(code="slower", ratio=0, p=None)
    assert found.cells == counts()
    assert answer(some, nothing, "durable").best == BestsCompared(code="faster", ratio=None, p=None)


def test_means_over_a_cliff_are_not_compared() -> None:
    a = side(1, {ONE: [48, 47]}, {ONE: CLIFF_FLAG})
    b = side(2, {ONE: [39.7, 39.8]})
    for one, other in ((a, b), (b, a)):
        found = answer(one, other, "durable")
        assert reasons(found) == [NotComparable(1, "cliff")]
        assert found.cells == counts(common=1, cliff=1)
    best = answer(a, b, "durable").a.best
    assert best is not None and best.bytes_per_s is None and best.flags == ["cliff"]
    assert best.levels == CellLevels(list(CLIFF_FLAG.levels), flagged_trials=2, trials=2)


def test_cells_with_a_cliff_are_counted_separately() -> None:
    a = side(1, {ONE: [90], TWO: [100], FOUR: [50]}, {FOUR: CLIFF_FLAG})
    b = side(2, {ONE: [80], TWO: [100], FOUR: [90]}, {ONE: CLIFF_FLAG})
    found = answer(a, b, "durable")
    assert found.best.code == "no_difference"
    assert found.cells == counts(common=3, within_noise=1, cliff=2)


@pytest.mark.parametrize(("left_out", "told"), [(102, True), (104, False)])
def test_a_best_slower_than_excluded_cells_is_not_compared(left_out: int, told: bool) -> None:
    short = dict.fromkeys((TWO, FOUR), SHORT)
    a = side(1, {ONE: [100], TWO: [left_out], FOUR: [1]}, short)
    b = side(2, {ONE: [80]})
    for one, other, code in ((a, b, "faster"), (b, a, "slower")):
        found = answer(one, other, "durable")
        assert (found.best.code == code) == told
        assert told or reasons(found) == [NotComparable(1, "left_out_faster", 1)]


def test_a_cached_cell_is_not_the_best_in_a_comparison() -> None:
    a = side(1, {ONE: [100], TWO: [10_000]}, cached=[TWO])
    found = answer(a, side(2, {ONE: [100]}), "durable")
    assert found.best.code == "no_difference"
    assert found.a.best is not None and found.a.best.served_by == "device"


@given(RATES, RATES)
def test_the_ratio_of_the_bests_is_within_those_of_the_cells(
    a: list[list[float]], b: list[list[float]]
) -> None:
    """Both bests are means, so no ratio of theirs is above or below all ratios in the table."""
    sides = [side(n, dict(zip(SETTINGS, rates, strict=True))) for n, rates in enumerate((a, b))]
    found = answer(*sides, "durable").best
    assert isinstance(found, BestsCompared) and found.ratio is not None
    cells = [one.ratio for one in ratios(sides[0].repeats, sides[1].repeats).values()]
    assert min(cells) * (1 - 1e-9) <= found.ratio <= max(cells) * (1 + 1e-9)
