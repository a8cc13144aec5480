from collections.abc import Collection, Mapping
from dataclasses import replace

import pytest
from assay.analysis.flags import Flag
from assay.kinds.matrix.cells import Measured, gather
from assay.kinds.matrix.ranking import Setting
from assay.kinds.matrix.ratio import Named, answer, ratios
from kinds.matrix.test_matrix import CACHED, CLIFF_FLAG, SHORT, measured

MB = 1e6
ONE, TWO, FOUR, EIGHT = SETTINGS = [Setting(65536, threads) for threads in (1, 2, 4, 8)]
LEVELS = "350 MB/s for 12.0 s, then 41.0 MB/s"


def side(
    name: str,
    rates: Mapping[Setting, Collection[float]],
    flags: Mapping[Setting, Flag] | None = None,
    cached: Collection[Setting] = (),
) -> Named:
    """A run with these rates in MB/s; a flag of a setting applies to all its trials."""

    def trial(setting: Setting, repeat: int, rate: float) -> Measured:
        found = measured(setting.block, setting.threads, rate * MB, repeat)
        flag = (flags or {}).get(setting)
        if setting in cached:
            found = replace(found, durable_served_by=CACHED)
        return replace(found, flags=[flag] if flag else [])

    cells = [
        gather([trial(setting, repeat, rate) for repeat, rate in enumerate(repeats)])
        for setting, repeats in rates.items()
    ]
    return Named.of(name, cells, "durable")


def once(name: str, *rates: int) -> Named:
    """Each setting measured once."""
    return side(name, {setting: [rate] for setting, rate in zip(SETTINGS, rates, strict=True)})


def test_only_common_cells_are_divided() -> None:
    found = ratios({ONE: {1: 200.0}, TWO: {1: 100.0}}, {ONE: {1: 100.0}, FOUR: {1: 1.0}})
    assert list(found) == [ONE]
    assert found[ONE].ratio == 2 and found[ONE].significant


def test_the_answer_names_the_faster_at_its_best_and_counts_the_cells() -> None:
    a, b = once("alpha", 980, 1390, 500, 500), once("beta", 980, 700, 600, 700)
    assert answer(a, b, "durable") == (
        "At its best, alpha is 1.42 × as fast as beta: 1.39 GB/s against 980 MB/s durable. "
        "Cell by cell, alpha is faster in 1, slower in 2, and within noise in 1 of four common "
        "cells."
    )
    assert "alpha reaches 70 % of beta" not in answer(b, a, "durable")
    assert answer(b, a, "durable").startswith("At its best, beta reaches 71 % of alpha")


def test_equal_arrays_do_not_differ() -> None:
    a, b = side("alpha", {ONE: [100]}), side("beta", {ONE: [101]})
    assert answer(a, b, "durable").startswith(
        "At their best, alpha and beta do not differ: 100 MB/s against 101 MB/s durable."
    )


def test_missing_rates_and_missing_common_cells_are_reported() -> None:
    one = side("beta", {ONE: [1]})
    assert answer(side("alpha", {}), one, "durable") == (
        "Nothing to compare yet: alpha measured no durable rate."
    )
    assert answer(side("alpha", {ONE: [100]}, {ONE: SHORT}), one, "durable") == (
        "Nothing to compare yet: alpha has no durable rate to rely on."
    )
    assert answer(side("alpha", {TWO: [0.0]}), one, "durable") == (
        "alpha transferred nothing: 0.00 B/s against 1.00 MB/s durable. "
        "They have no cell in common."
    )


def test_means_over_a_cliff_are_not_compared() -> None:
    a = side("alpha", {ONE: [48, 47]}, {ONE: CLIFF_FLAG})
    b = side("beta", {ONE: [39.7, 39.8]})
    reached = {a.name: LEVELS, b.name: "39.8 MB/s"}
    for one, other in ((a, b), (b, a)):
        assert answer(one, other, "durable") == (
            f"At its best, {one.name} reaches {reached[one.name]}, "
            f"and {other.name} reaches {reached[other.name]} durable. "
            "Their means are not compared, because a rate changed permanently during a trial. "
            "The rate changed permanently in one common cell: none can be compared."
        )


def test_cells_with_a_cliff_are_counted_separately() -> None:
    a = side("alpha", {ONE: [90], TWO: [100], FOUR: [50]}, {FOUR: CLIFF_FLAG})
    b = side("beta", {ONE: [80], TWO: [100], FOUR: [90]}, {ONE: CLIFF_FLAG})
    said = answer(a, b, "durable")
    assert said.startswith("At their best, alpha and beta do not differ: 100 MB/s")
    assert said.endswith(
        "Cell by cell, alpha is faster in 0, slower in 0, and within noise in 1 of three common "
        "cells; the rate changed permanently in 2."
    )


@pytest.mark.parametrize(("left_out", "told"), [(99, True), (101, False)])
def test_a_best_slower_than_excluded_cells_is_not_compared(left_out: int, told: bool) -> None:
    short = dict.fromkeys((TWO, FOUR), SHORT)
    a = side("alpha", {ONE: [100], TWO: [left_out], FOUR: [1]}, short)
    b = side("beta", {ONE: [80]})
    for one, other in ((a, b), (b, a)):
        said = answer(one, other, "durable")
        assert ("At its best" in said) == told
        assert told or said.startswith(
            "Cannot compare the best rates: on alpha, one cell excluded as unreliable "
            "was faster than the best of the others. Cell by cell, "
        )


def test_a_cached_cell_is_not_the_best_in_a_comparison() -> None:
    a = side("alpha", {ONE: [100], TWO: [10_000]}, cached=[TWO])
    assert answer(a, side("beta", {ONE: [100]}), "durable").startswith(
        "At their best, alpha and beta do not differ: 100 MB/s against 100 MB/s durable."
    )


def test_a_lead_from_selection_bias_does_not_count() -> None:
    lucky = {ONE: [110, 80, 110.2], TWO: [90, 110.1, 79]}
    a, b = side("alpha", lucky), side("beta", {ONE: [95, 95, 95]})
    assert a.best is not None and a.best.mean > 95 * MB > a.best.rate
    assert answer(a, b, "durable").startswith("At their best, alpha and beta do not differ")
