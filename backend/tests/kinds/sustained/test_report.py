"""The rates that storage carries, as text: in the words of the page."""

import re
from collections.abc import Sequence

import pytest
from assay.base.worded import plain
from assay.kinds.sustained.figures import CarriedRate
from assay.kinds.sustained.presets import PRESETS
from assay.kinds.sustained.report import report
from assay.kinds.sustained.result import SustainedResult

from .simulated import KIND, attempt, run_of, trial_parameters
from .test_metrics import level, writing

MB = 10**6
RATES = [preset.bytes_per_s for preset in PRESETS]


def judged(service: Sequence[int], rates: Sequence[int] = RATES) -> SustainedResult:
    """Return the result of a trial whose calls took these times; the queues have these rates."""
    test = writing()
    (cell,) = test.planned_cells
    measured = attempt(trial_parameters(cell), service, rates=rates)
    return KIND.judge(run_of(test, {cell.key: [[measured]]}))


def row(result: SustainedResult, label: str) -> CarriedRate:
    return next(one for one in result.cells[0].carry if one.label == label)


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("OC-3", "yes, margin 10.3 times."),
        ("1 Gb/s", "yes, margin +60 %."),
        ("10 Gb/s", "no, margin −84 %."),
    ],
)
def test_a_line_has_the_answer_and_its_margin(label: str, said: str) -> None:
    found = report(judged(level(10_000, 200 * MB)).model_dump(mode="json"))
    (line,) = (one for one in found.sentences if one.startswith(f"{label} ("))
    assert line.endswith(f"): {said}")


@pytest.mark.parametrize(
    ("margin", "said"),
    [
        (0.12, "+12 %"),
        (-0.46, "−46 %"),
        (194, "195 times"),
        (0.003, "+0.3 %"),
        (-0.004, "−0.4 %"),
        (-0.0004, "under 0.1 %"),
    ],
)
def test_a_margin_has_a_sign_or_is_a_multiple(margin: float, said: str) -> None:
    (cell,) = writing().planned_cells
    service = round(trial_parameters(cell)["block"] * 1000 / (125 * (1 + margin)))
    found = row(judged([service] * 10_000), "1 Gb/s")
    assert found.margin == pytest.approx(margin, rel=1e-3)
    assert found.margin_words == said


def test_what_decides_an_answer_says_what_happened_there() -> None:
    slow, stalled = level(500, 30 * MB), level(5000, 200 * MB)
    stalled[2500] = 150 * 10**6
    said = set[tuple[str, str]]()
    for service in (level(5000, 200 * MB), stalled, [*slow, *level(5000, 200 * MB)]):
        for one in judged(service).cells[0].carry:
            if one.decides:
                words = re.sub(r"[\d.]+ [kMG]?B", "#", plain(one.decides.words))
                said.add((one.carried, words))
    assert said == {
        ("yes", "#/s from # to #"),
        ("no", "only #/s from # to #"),
        ("buffered", "stalls: the queue was longest from # to #"),
        ("buffered", "for a while only #/s from # to #"),
        ("undecided", "#/s from # to #"),
    }


@pytest.mark.parametrize(
    ("rates", "said"),
    [
        (RATES, "2.92 MB"),  # of 19.4 MB/s, in the 150 ms of the stall
        ([10 * MB, 40 * MB], "1.50 MB to 6.00 MB"),
        ([10 * MB], "at least 1.50 MB"),
    ],
)
def test_a_buffer_is_exact_or_has_its_bounds(rates: Sequence[int], said: str) -> None:
    stalled = level(5000, 200 * MB)
    stalled[2500] = 150 * 10**6
    found = row(judged(stalled, rates), "OC-3")
    assert found.carried == "buffered"
    assert plain(found.buffer_words or ()) == said


def test_only_an_answer_that_needs_a_buffer_has_one() -> None:
    carried = {one.label: one for one in judged(level(5000, 200 * MB)).cells[0].carry}
    assert carried["OC-3"].buffer_words == "none"
    assert carried["10 Gb/s"].buffer_words is None
