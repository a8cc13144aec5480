"""The headline of a matrix in words."""

from dataclasses import replace
from typing import Any, Literal

import pytest
from assay.base.worded import parts_of
from assay.kinds.headline import sentences
from assay.kinds.matrix.headline import (
    CellLevels,
    HeadlineFigure,
    MatrixHeadline,
    NoResult,
    ThreadsEffect,
)
from testing.levels import held_levels

KIB = 1024
LEVELS = held_levels((350e6, 12.3), (41e6, 20))
SETTING = "with one writer and 256 KiB blocks"
FIGURE = HeadlineFigure(
    rate="durable",
    bytes_per_s=1.39e9,
    levels=None,
    block=256 * KIB,
    threads=1,
    served_by="device",
    left_out_faster=0,
    threads_effect=None,
)


def headline(**figure: Any) -> MatrixHeadline:
    """Return the headline of a write: 1.39 GB/s with one writer, unless it is given otherwise."""
    return MatrixHeadline(
        kind="matrix",
        operation="write",
        participants=1,
        figure=replace(FIGURE, **figure),
        no_result=None,
    )


def said(found: MatrixHeadline) -> str:
    (sentence,) = sentences(found.model_dump(mode="json"))
    return sentence


@pytest.mark.parametrize(
    ("threads", "code", "others", "on_average", "end"),
    [
        (1, "more_equal", 4, False, "more threads don't help"),
        (1, "more_slower", 4, False, "more threads are slower"),
        (2, "fewer_slower", 1, True, "one writer reaches only 1.00 GB/s on average"),
        (4, "fewer_slower", 2, False, "two writers reach only 1.00 GB/s"),
        (2, "fewer_equal", 1, False, "one writer reaches as much within noise"),
    ],
)
def test_it_names_what_other_numbers_of_threads_do(
    threads: int,
    code: Literal["fewer_slower", "fewer_equal", "more_slower", "more_equal"],
    others: int,
    on_average: bool,
    end: str,
) -> None:
    effect = ThreadsEffect(code, others, 1e9, on_average)
    people = {1: "one writer", 2: "two writers", 4: "four writers"}[threads]
    assert said(headline(threads=threads, threads_effect=effect)) == (
        f"1.39 GB/s durable with {people} and 256 KiB blocks; {end}."
    )


@pytest.mark.parametrize(
    ("cells", "end"),
    [
        (1, "; one cell with a single reliable repeat was faster."),
        (14, "; 14 cells with a single reliable repeat were faster."),
    ],
)
def test_it_names_faster_cells_that_are_left_out(cells: int, end: str) -> None:
    assert said(headline(left_out_faster=cells)).endswith(end)


def test_its_figure_stands_apart() -> None:
    found = headline(served_by="page_cache").words
    assert (found.doubt, found.figure) == ("Served by the page cache", {"bytes_per_s": 1.39e9})
    assert parts_of(found.rest) == [
        "durable with one writer and ",
        {"block_bytes": 256 * KIB},
        " blocks",
    ]


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("device", f"1.39 GB/s durable {SETTING}."),
        ("page_cache", f"Served by the page cache: 1.39 GB/s durable {SETTING}."),
        ("array_cache", f"Possibly served by the array's cache: 1.39 GB/s durable {SETTING}."),
        ("unknown", f"1.39 GB/s durable {SETTING} (served by: unknown)."),
    ],
)
def test_it_says_what_served_the_data(source: str, sentence: str) -> None:
    assert said(headline(served_by=source)) == sentence


def test_a_setting_is_that_of_each_of_several_targets() -> None:
    found = headline().model_copy(update={"participants": 13})
    assert said(found) == f"1.39 GB/s durable {SETTING} on each of 13 targets together."


def test_a_read_has_readers_and_no_durable_rate() -> None:
    found = headline(rate="application").model_copy(update={"operation": "read"})
    assert said(found) == "1.39 GB/s with one reader and 256 KiB blocks."


@pytest.mark.parametrize(("flagged", "in_some"), [(1, " (in 1 of 2 repeats)"), (2, "")])
def test_the_levels_of_a_cliff_replace_the_figure(flagged: int, in_some: str) -> None:
    levels = CellLevels(LEVELS, flagged, 2)
    found = headline(bytes_per_s=None, levels=levels, served_by="page_cache")
    assert found.words.figure is None
    assert said(found) == (
        "Served by the page cache: 350 MB/s for 12 s (4.30 GB), then 41.0 MB/s durable"
        f"{in_some} {SETTING}."
    )


@pytest.mark.parametrize(
    ("nothing", "sentence"),
    [
        (None, "No result: nothing was measured."),
        (NoResult("suspended", False, None, False), "No result: the probe was suspended."),
        (
            NoResult("starved", False, None, False),
            "No result: the probe did not get enough CPU time.",
        ),
        (
            NoResult("contended", True, None, False),
            "No result: the storage was busy with other I/O in the fastest cells.",
        ),
        (
            NoResult("short_overlap", False, None, False),
            "No result: the participants barely overlapped.",
        ),
        (
            NoResult("too_short", False, 560_000_000, False),
            "No result: the trial was too short. Files of 560 MB would suffice.",
        ),
        (
            NoResult("too_short", False, None, True),
            "No result: the trial was too short. Raise the time limit.",
        ),
        (
            NoResult("too_short", True, 7_900_000_000, False),
            "No result: the trial was too short in the fastest cells. Files of 7.90 GB would "
            "suffice.",
        ),
    ],
)
def test_without_a_figure_it_says_why_and_how_to_get_one(
    nothing: NoResult | None, sentence: str
) -> None:
    found = headline().model_copy(update={"figure": None, "no_result": nothing})
    assert found.words.figure is None
    assert said(found) == sentence
