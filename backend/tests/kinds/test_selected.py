"""The sentence beside a headline about the selection of its cell."""

from collections.abc import Callable

import pytest
from assay.analysis.repeats import Repeats, describe
from assay.base.worded import plain
from assay.kinds.figures import headline_value
from assay.kinds.registry import KINDS
from assay.kinds.result import BaseResult
from assay.kinds.selected import selected
from kinds.path import simulated as path
from kinds.records import simulated as records
from kinds.sustained import simulated as sustained
from kinds.tool import simulated as tool

MB = 10**6
NOISE = (0.97, 1.03, 0.98, 1.02, 1.0)
"""Relative values of five repeats, with a standard deviation of 2.55 %."""


def cells(*means: float) -> list[Repeats]:
    return [describe([mean * MB * factor for factor in NOISE]) for mean in means]


def test_the_sentence_has_both_ends_and_the_number_of_means() -> None:
    found = selected([*cells(260, 225, 216, 214), None])
    assert found is not None
    assert found.message == (
        "With 95 % confidence the cell's true mean rate is between 254 MB/s and 266 MB/s, allowing "
        "for its selection as the highest of 4 means."
    )
    assert found.figures["means"] == 4
    assert found.figures["noise_share"] == pytest.approx(0.0255, abs=1e-4)
    assert found.figures["low_bytes_per_s"] == pytest.approx(254 * MB, rel=0.01)
    assert found.figures["high_bytes_per_s"] == pytest.approx(266 * MB, rel=0.01)


def test_an_interval_below_the_headline_is_named() -> None:
    """Two of very many cells are nearly equal: the higher one was probably lucky."""
    found = selected(cells(100.001, 100, *[99.0] * 300))
    assert found is not None
    assert found.figures["high_bytes_per_s"] < 100 * MB
    assert "The headline is above this interval" in found.message


def test_an_interval_of_equal_ends_is_one_rate() -> None:
    quiet = [
        describe([mean * MB * (1 + factor * 1e-6) for factor in NOISE]) for mean in (90, 80, 70)
    ]
    found = selected(quiet)
    assert found is not None
    assert "true mean rate is 90.0 MB/s to three digits, allowing" in found.message


def test_without_repeats_there_is_no_interval() -> None:
    assert selected([None]) is None


def fast_and_slow_tool() -> BaseResult:
    length = 400 * MB
    return tool.run(
        [tool.definition("copy"), tool.definition("other")],
        [
            (name, *(tool.attempt(end, length, seconds * each) for end in ("source", "sink")))
            for name, seconds in (("copy", 4.0), ("other", 5.0))
            for each in NOISE
        ],
    )


def four_and_eight_streams() -> BaseResult:
    four, eight = (
        [path.both("memory", rate * MB * each) for each in NOISE] for rate in (1000, 900)
    )
    return path.judged({"memory": four}, {8: {"memory": eight}})


def short_and_long_records() -> BaseResult:
    sent = [round(12 * MB * each) for each in NOISE]
    return records.judged(
        *(
            records.trial(length, (one, one, one), repeat=repeat)
            for length in (1024, 2048)
            for repeat, one in enumerate(sent, 1)
        )
    )


def small_and_large_blocks() -> BaseResult:
    test = sustained.planned(
        sustained.sustained(
            block=[MB, 2 * MB], length=10**9, mark_bytes=10 * MB, cache="page", repeats=5
        )
    )
    attempts = {
        cell.key: [
            [
                sustained.attempt(
                    sustained.trial_parameters(cell),
                    [round(cell.block * 1000 * factor * each / 900)] * (10**9 // cell.block),
                )
            ]
            for each in NOISE
        ]
        for cell, factor in zip(test.planned_cells, (1000, 1250), strict=True)
    }
    return sustained.KIND.judge(sustained.run_of(test, attempts))


@pytest.mark.parametrize(
    "judge",
    [fast_and_slow_tool, four_and_eight_streams, short_and_long_records, small_and_large_blocks],
)
def test_every_kind_that_chooses_the_best_of_several_says_the_same(
    judge: Callable[[], BaseResult],
) -> None:
    found = judge().model_dump(mode="json")
    said = found["headline"]["selected"]
    assert said is not None and said["figures"]["means"] == 2
    rate = headline_value(KINDS[found["kind"]], judge()) or 0.0
    assert said["figures"]["low_bytes_per_s"] < rate < said["figures"]["high_bytes_per_s"]
    assert plain(said["message"]) in KINDS[found["kind"]].report(found).sentences
