"""Steady state of several participants: rounds of their sum over the time that all measured."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from assay.analysis.steady import ROUND_NS, steady
from assay.analysis.throughput import Intervals
from assay.analysis.together import Part, rounds, score
from assay.kinds.run_record import AttemptRecord, Gap
from assay.kinds.sustained.result import SustainedResult
from assay.runs.verdicts import criteria
from assay.runs.verdicts.judging import judge_run

from .simulated import KIND, MB, SECOND, attempt, run_of, site, trial_parameters
from .test_metrics import writing

TEST = writing(length="6 min", file_mode="ring", file_size="1 GB", block=[1_048_576])
OWN = trial_parameters(TEST.planned_cells[0])
BLOCK: int = OWN["block"]


def at_rates(rates: Sequence[float], *, delay_ns: int = 0) -> AttemptRecord:
    """Return an attempt with these rates in MB/s, each for a round, the last for a second more."""
    service: list[int] = []
    for number, rate in enumerate(rates, start=1):
        seconds = 61 if number == len(rates) else 60
        each = round(BLOCK * SECOND / (rate * MB))
        service += [each] * -(-seconds * SECOND // each)
    found = attempt(OWN, service, delay_ns=delay_ns)
    assert found.marks
    return replace(found, course=found.marks.intervals)


def together(*attempts: AttemptRecord) -> SustainedResult:
    (cell,) = TEST.planned_cells
    sites = [site(number) for number in range(1, len(attempts) + 1)]
    return KIND.judge(run_of(TEST, {cell.key: [list(attempts)]}, sites))


def verdict(result: SustainedResult) -> tuple[str, list[str]]:
    (row,) = judge_run(KIND, TEST.parameters, result, [criteria.parse("steady")])
    return row.outcome, [doubt.code for doubt in row.doubts]


def test_a_sum_is_steady_although_no_participant_is() -> None:
    up, down = [80, 90, 100, 110, 120, 130], [130, 120, 110, 100, 90, 80]
    for rates in (up, down):
        alone = steady([float(rate) for rate in rates])
        assert alone
        assert not alone.reached
    result = together(at_rates(up), at_rates(down))
    found = result.cells[0].trials[0].steady
    assert found
    assert (found.reached, found.first_round, found.rounds) == (True, 1, 5)
    assert found.window.mean == pytest.approx(210 * MB, rel=0.01)
    assert verdict(result) == ("pass", [])


def test_a_sum_is_not_steady_although_one_participant_is() -> None:
    result = together(at_rates([100] * 6), at_rates([20, 60, 100, 140, 180, 220]))
    found = result.cells[0].trials[0].steady
    assert found
    assert not found.reached
    assert verdict(result) == ("inconclusive", ["too_short"])
    (warning,) = [one for one in result.warnings if one.code == "not_steady"]
    assert "not reached after six rounds" in warning.message
    conformance = result.cells[0].trials[0].conformance
    assert conformance
    assert not conformance.conformant
    assert "steady state was not reached" in conformance.reasons


def test_rounds_begin_when_the_last_participant_has_begun() -> None:
    """Until then fewer load the storage: a minute of the first one alone is no round."""
    early, late = at_rates([300, 100, 100, 100, 100, 100]), at_rates([100] * 5, delay_ns=ROUND_NS)
    trial = together(early, late).cells[0].trials[0]
    assert trial.steady
    assert (trial.steady.reached, trial.steady.first_round) == (True, 1)
    assert trial.steady.window.mean == pytest.approx(200 * MB, rel=0.02)
    assert trial.window_from_ns == ROUND_NS


def test_four_common_rounds_are_too_few() -> None:
    result = together(at_rates([100] * 6), at_rates([100] * 6, delay_ns=2 * ROUND_NS))
    assert result.cells[0].trials[0].steady is None
    assert verdict(result)[0] == "inconclusive"


def test_a_disturbed_participant_leaves_the_sum_unjudged() -> None:
    disturbed = replace(at_rates([100] * 6), gaps=[Gap(10**9, 2 * 10**9, "starved")])
    result = together(at_rates([100] * 6), disturbed)
    trial = result.cells[0].trials[0]
    assert (trial.status, trial.steady) == ("complete", None)
    assert verdict(result) == ("inconclusive", ["interrupted"])


def test_rounds_of_hours_are_those_of_the_marks() -> None:
    """The samples of a long trial are joined into intervals that are longer than a round."""
    whole = at_rates([100] * 3 + [50] * 3)
    assert whole.marks
    assert whole.app_ns
    joined = Intervals([whole.app_ns], [whole.app_ns], [whole.bytes], [None])
    result = together(*[replace(whole, course=joined)] * 2)
    found = result.cells[0].trials[0].steady
    assert found
    assert (found.reached, found.rounds) == (False, 6)
    assert found.window.mean == pytest.approx(140 * MB, rel=0.01)


def test_rounds_are_tried_up_to_the_twenty_fifth() -> None:
    ends = [SECOND * n for n in range(1, 3601)]
    course = Intervals(ends, [SECOND] * 3600, [MB] * 3600, [None] * 3600)
    part = Part(3600 * MB, 0, ends[-1], None, course)
    assert rounds([part, part], score([part, part]), ROUND_NS) == pytest.approx([2 * MB] * 25)


def test_rounds_need_samples_that_are_much_shorter() -> None:
    """A sample at the edge of a round belongs to two, which would hide how much they differ."""
    ends = [ROUND_NS * n // 4 for n in range(1, 25)]
    course = Intervals(ends, [ROUND_NS // 4] * 24, [10**9] * 24, [None] * 24)
    part = Part(24 * 10**9, 0, ends[-1], None, course)
    assert rounds([part, part], score([part, part]), ROUND_NS) is None
    assert rounds([part, part], score([part, part]), 10 * ROUND_NS) == []
