"""The comparison of sustained runs in words."""

from typing import Any

import pytest
from assay.base.worded import plain
from assay.kinds.sustained.comparison import SustainedSide, sentences_of
from assay.kinds.sustained.figures import TrialLevels
from assay.kinds.sustained.modes import Mode
from testing.levels import held_levels

NOT_COMPARED = "run 2 and run 1 cannot be compared: "
MIXED = {"operation": "mixed", "access": "random", "read_percent": 70, "bytes_per_s": 5e7}
CACHED = {"served_by": "page_cache", "bytes_per_s": 10e9}
PACED = {"offered_bytes_per_s": 125_000_000}
TWICE = {"ratio": 2.0, "significant": True, "bytes_per_s": 2e9}
FELL = TrialLevels(held_levels((3.46e8, 8.68), (6.07e7, 20)), durable=False)
COURSE = "346 MB/s for 8.68 s (3.00 GB), then 60.7 MB/s"


def side(run_id: int, **given: Any) -> SustainedSide:
    """Return the writes of a run at 1 GB/s, unless they are given otherwise."""
    usual = dict.fromkeys(SustainedSide.model_fields) | {
        "run_id": run_id,
        "operation": "write",
        "access": "sequential",
        "rate": "application",
        "mode": Mode(),
        "served_by": "device",
        "bytes_per_s": 1e9,
        "significant": False,
        "too_few_repeats": False,
    }
    return SustainedSide.model_validate(usual | given)


def said(first: dict[str, Any], other: dict[str, Any]) -> str:
    """Return the sentence about the second of two runs."""
    (sentence,) = sentences_of([side(1, **first), side(2, **other)])
    return plain(sentence)


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (TWICE, "run 2 is 2.00 times as fast as run 1 (2.00 GB/s against 1.00 GB/s)."),
        (
            {"ratio": 1.01},
            "run 2 is as fast as run 1 within noise (1.00 GB/s against 1.00 GB/s).",
        ),
        (
            {"ratio": 2.0, "too_few_repeats": True, "mode": Mode(cache="direct")},
            "run 2 has 2.00 times the rate of run 1 (1.00 GB/s, direct I/O against 1.00 GB/s), "
            "in too few repeats to exclude noise.",
        ),
    ],
)
def test_a_factor_is_stated_only_for_a_difference_beyond_noise(
    other: dict[str, Any], sentence: str
) -> None:
    assert said({}, other) == sentence


@pytest.mark.parametrize(
    ("first", "other", "why"),
    [
        ({}, CACHED, "the page cache served run 2 (10.0 GB/s), but not run 1 (1.00 GB/s)."),
        (CACHED, {}, "the page cache served run 1 (10.0 GB/s), but not run 2 (1.00 GB/s)."),
        (
            {},
            {"operation": "read", "bytes_per_s": 2e9},
            "run 2 reads (2.00 GB/s), and run 1 writes (1.00 GB/s).",
        ),
        (
            {},
            {"access": "random", "bytes_per_s": 5e7},
            "run 2 writes at random (50.0 MB/s), and run 1 writes (1.00 GB/s).",
        ),
        (
            MIXED,
            MIXED | {"read_percent": 50},
            "run 2 reads (50 %) and writes at random (50.0 MB/s), and run 1 reads (70 %) and "
            "writes at random (50.0 MB/s).",
        ),
        (
            PACED,
            {"offered_bytes_per_s": 1_250_000_000},
            "they were paced at 1.25 GB/s and 125 MB/s.",
        ),
        (PACED, PACED, "one has no reliable repeat."),
        ({}, {"bytes_per_s": None}, "one has no reliable repeat."),
    ],
)
def test_what_differs_in_more_than_the_rate_is_not_compared(
    first: dict[str, Any], other: dict[str, Any], why: str
) -> None:
    assert said(first, other) == f"{NOT_COMPARED}{why}"


@pytest.mark.parametrize(
    ("first", "other", "reached"),
    [
        (
            {"rate": "durable", "bytes_per_s": 4.16e7},
            {"rate": "durable", "bytes_per_s": 4.12e7, "levels": FELL},
            f"run 2 reached an application rate of {COURSE}, and 41.2 MB/s durable over all; "
            "run 1 41.6 MB/s durable.",
        ),
        (
            {"levels": FELL, "mode": Mode(cache="direct")},
            {"bytes_per_s": None},
            f"run 2 reached no reliable rate; run 1 {COURSE}, direct I/O.",
        ),
        (
            {"operation": "read", "levels": FELL},
            {"operation": "read"},
            f"run 2 reached 1.00 GB/s; run 1 {COURSE}.",
        ),
    ],
)
def test_levels_are_named_instead_of_a_factor(
    first: dict[str, Any], other: dict[str, Any], reached: str
) -> None:
    assert said(first, other) == f"The rate changed for good: {reached}"


def test_each_direction_is_compared_with_the_same_one_of_the_first_run() -> None:
    reads = {"operation": "read"}
    sides = [side(1), side(1, **reads), side(2, **TWICE), side(2, **reads, ratio=1.0)]
    rates = "(1.00 GB/s against 1.00 GB/s)"
    assert [plain(one) for one in sentences_of(sides)] == [
        "Writes: run 2 is 2.00 times as fast as run 1 (2.00 GB/s against 1.00 GB/s).",
        f"Reads: run 2 is as fast as run 1 within noise {rates}.",
    ]
    # the first run only writes
    sides = [side(1), side(2, **TWICE), side(2, **reads)]
    assert plain(sentences_of(sides)[1]) == (
        f"{NOT_COMPARED}run 2 reads (1.00 GB/s), and run 1 writes (1.00 GB/s)."
    )
