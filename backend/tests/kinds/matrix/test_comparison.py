"""The answer of a comparison of matrices in words."""

from dataclasses import replace
from typing import Any, Literal

import pytest
from assay.base.worded import plain
from assay.kinds.matrix.comparison import (
    BestsCompared,
    BestsNotCompared,
    ComparedSide,
    MatrixAnswer,
    NotComparable,
    answer_words,
)
from assay.kinds.matrix.headline import BestCell, CellLevels
from testing.levels import held_levels

from .test_answer import counts

Code = Literal["faster", "slower", "no_difference", "too_few_repeats"]
RATES = "1.39 GB/s durable (256 KiB × 2 threads) versus 980 MB/s (64 KiB × 1 thread)."
NONE_IN_COMMON = "The runs have no cell in common."
BEST = BestCell(
    block=262_144,
    threads=2,
    bytes_per_s=1.39e9,
    levels=None,
    served_by="device",
    flags=[],
    left_out_faster=0,
)
OTHER = replace(BEST, block=65_536, threads=1, bytes_per_s=980e6)
CACHED = replace(BEST, served_by="page_cache")


def compared(code: Code, ratio: float | None = 1) -> BestsCompared:
    return BestsCompared(code=code, ratio=ratio, p=None)


def refused(*reasons: NotComparable) -> BestsNotCompared:
    return BestsNotCompared(code="cannot_compare", reasons=[*reasons])


def said(
    best: BestsCompared | BestsNotCompared,
    a: BestCell | None = BEST,
    b: BestCell | None = OTHER,
    **cells: int,
) -> str:
    sides = [ComparedSide(number, True, cell) for number, cell in ((1, a), (2, b))]
    found = MatrixAnswer(rate="durable", a=sides[0], b=sides[1], best=best, cells=counts(**cells))
    return plain(answer_words(found))


@pytest.mark.parametrize(
    ("code", "ratio", "start"),
    [
        ("faster", 1.42, "At its best, run 1 is 42 % faster than run 2"),
        ("slower", 0.7, "At its best, run 1 is 30 % slower than run 2"),
        ("no_difference", 1.0, "At their best, run 1 and run 2 are equal within noise"),
        (
            "too_few_repeats",
            1.42,
            "Too few repeats to tell whether run 1 or run 2 is faster at its best",
        ),
    ],
)
def test_it_says_how_the_bests_compare_and_at_which_settings(
    code: Code, ratio: float, start: str
) -> None:
    assert said(compared(code, ratio)) == f"{start}: {RATES} {NONE_IN_COMMON}"


def test_it_names_a_run_that_transferred_nothing() -> None:
    nothing = replace(BEST, bytes_per_s=0.0)
    assert said(compared("slower", 0), a=nothing).startswith(
        "run 1 transferred nothing: 0 B/s durable"
    )
    assert said(compared("faster", None), b=nothing).startswith(
        "run 2 transferred nothing: 1.39 GB/s durable"
    )


@pytest.mark.parametrize(
    ("reasons", "why"),
    [
        (
            (NotComparable(1, "not_measured"), NotComparable(2, "unreliable")),
            "run 1 has no durable rate; run 2 has no reliable durable rate.",
        ),
        (
            (NotComparable(1, "unreliable"), NotComparable(2, "unreliable")),
            "neither run 1 nor run 2 has a reliable durable rate.",
        ),
        (
            (NotComparable(1, "not_measured"), NotComparable(2, "not_measured")),
            "neither run 1 nor run 2 has any durable rate.",
        ),
    ],
)
def test_without_a_best_cell_it_says_only_why(reasons: tuple[NotComparable, ...], why: str) -> None:
    assert said(refused(*reasons), a=None, b=None) == f"Cannot compare the best rates: {why}"


@pytest.mark.parametrize(
    ("reason", "why"),
    [
        (
            NotComparable(1, "left_out_faster", 1),
            "one cell of run 1, excluded as unreliable, was faster than its best cell",
        ),
        (
            NotComparable(2, "left_out_faster", 3),
            "three cells of run 2, excluded as unreliable, were faster than its best cell",
        ),
    ],
)
def test_best_cells_that_do_not_compare_are_named_after_the_reason(
    reason: NotComparable, why: str
) -> None:
    assert said(refused(reason)) == (
        f"Cannot compare the best rates: {why}. "
        "Best cells: run 1 1.39 GB/s durable (256 KiB × 2 threads); "
        f"run 2 980 MB/s (64 KiB × 1 thread). {NONE_IN_COMMON}"
    )


def test_the_levels_of_a_cliff_replace_a_best_rate() -> None:
    levels = CellLevels(held_levels((350e6, 12.3), (41e6, 20)), flagged_trials=2, trials=2)
    a = replace(BEST, bytes_per_s=None, levels=levels, flags=["cliff"])
    assert said(refused(NotComparable(1, "cliff")), a=a, common=1, cliff=1) == (
        "Cannot compare the best rates: the rate of run 1 changed permanently during a trial. "
        "Best cells: run 1 350 MB/s for 12 s (4.30 GB), then 41.0 MB/s durable "
        "(256 KiB × 2 threads); run 2 980 MB/s (64 KiB × 1 thread). "
        "The only common cell cannot be compared: permanent rate change in 1."
    )


@pytest.mark.parametrize(
    ("a", "b", "doubts"),
    [
        (BEST, OTHER, ""),
        (CACHED, OTHER, "The page cache served the best rate of run 1. "),
        (CACHED, CACHED, "The page cache served both best rates. "),
        (
            replace(BEST, served_by="unknown"),
            replace(OTHER, served_by="array_cache"),
            "It is unknown what served the best rate of run 1. "
            "The array's cache possibly served the best rate of run 2. ",
        ),
    ],
)
def test_it_names_what_served_a_best_rate_other_than_the_device(
    a: BestCell, b: BestCell, doubts: str
) -> None:
    of_runs, _, rest = said(compared("faster", 2), a, b).partition("). ")
    assert of_runs.startswith("At its best, run 1 is 2.00 times as fast as run 2: ")
    assert rest == f"{doubts}{NONE_IN_COMMON}"


@pytest.mark.parametrize(
    ("cells", "sentences"),
    [
        ({}, NONE_IN_COMMON),
        (
            {"common": 1, "faster": 1},
            "Cell by cell, run 1 is faster than run 2 in the only common cell.",
        ),
        (
            {"common": 4, "faster": 1, "slower": 2, "within_noise": 1},
            "Cell by cell, run 1 is faster than run 2 in 1 of 4 common cells, slower in 2 and "
            "equal within noise in 1.",
        ),
        (
            {"common": 4, "slower": 3, "within_noise": 1},
            "Cell by cell, run 1 is slower than run 2 in 3 of 4 common cells and equal within "
            "noise in 1.",
        ),
        (
            {"common": 12, "within_noise": 12},
            "Cell by cell, run 1 is equal to run 2 within noise in all 12 common cells.",
        ),
        (
            {"common": 5, "faster": 1, "too_few_repeats": 1, "cliff": 2, "unreliable": 1},
            "Cell by cell, run 1 is faster than run 2 in 1 of 5 common cells. Inconclusive: too "
            "few repeats in 1, permanent rate change in 2, no reliable rate in 1.",
        ),
        (
            {"common": 3, "too_few_repeats": 3},
            "None of the 3 common cells can be compared: too few repeats in 3.",
        ),
        (
            {"common": 6, "unreliable": 6},
            "None of the 6 common cells has a reliable rate in both runs.",
        ),
        (
            {"common": 1, "unreliable": 1},
            "The only common cell does not have a reliable rate in both runs.",
        ),
    ],
)
def test_cells_are_counted_where_the_runs_differ_and_where_they_do_not_compare(
    cells: dict[str, Any], sentences: str
) -> None:
    at_best, *_ = said(compared("no_difference")).partition(f" {NONE_IN_COMMON}")
    assert said(compared("no_difference"), **cells) == f"{at_best} {sentences}"
