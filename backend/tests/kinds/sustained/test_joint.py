"""Figures of several participants together: sums, or those of the worst."""

from dataclasses import replace
from typing import Any

import pytest
from assay.analysis import histogram
from assay.kinds.run_record import AttemptRecord
from assay.kinds.sustained.result import SustainedResult
from assay.runs.verdicts import criteria
from assay.runs.verdicts.judging import judge_run

from .simulated import KIND, MB, SECOND, attempt, run_of, site
from .test_metrics import BLOCK, level, own, writing

TEST = writing(pace="rate", rate_bytes_per_s=[1000 * MB])


def paced(
    backlog_end_bytes: int | None, due_max_ns: int, most_bytes: int | None = None
) -> AttemptRecord:
    detail: dict[str, Any] = {
        "backlog_end_bytes": backlog_end_bytes,
        "backlog_max_bytes": backlog_end_bytes if most_bytes is None else most_bytes,
        "due_max_ns": due_max_ns,
        "due_hist": [[histogram.index(due_max_ns), 10_000]],
    }
    found = attempt(own(TEST), level(10_000, 1000 * MB), detail=detail)
    assert found.marks
    return replace(found, course=found.marks.intervals)


def together(*attempts: AttemptRecord) -> SustainedResult:
    (cell,) = TEST.planned_cells
    sites = [site(number) for number in range(1, len(attempts) + 1)]
    return KIND.judge(run_of(TEST, {cell.key: [list(attempts)]}, sites))


def outcome(result: SustainedResult, criterion: str) -> tuple[str, float | None]:
    (row,) = judge_run(KIND, TEST.parameters, result, [criteria.parse(criterion)])
    return row.outcome, row.measured


def test_backlogs_and_latencies_from_the_due_time_are_those_of_the_worst_participant() -> None:
    slow = paced(3000 * MB, 3 * SECOND, 3200 * MB)
    result = together(paced(0, BLOCK), slow, paced(100 * MB, SECOND, 3100 * MB))
    (trial,) = result.cells[0].trials
    assert (trial.backlog_end_bytes, trial.backlog_most_bytes) == (3000 * MB, 3200 * MB)
    assert trial.due_peak_ns == 3 * SECOND
    worst = trial.participants[1]
    assert (worst.backlog_most_bytes, worst.due_p99_ns) == (3200 * MB, trial.due_p99_ns)
    assert trial.due_p99_ns and trial.due_p99_ns > 2.5 * SECOND
    assert outcome(result, "backlog.end <= 1 GB") == ("fail", 3000 * MB)
    assert outcome(result, "due.p50 < 2 s")[0] == "fail"
    (late,) = [one for one in result.warnings if one.code == "behind_schedule"]
    assert "3.00 GB at one participant were due and not yet written" in late.message


def test_the_backlog_at_the_end_is_unknown_if_that_of_one_is() -> None:
    result = together(paced(0, BLOCK), paced(None, BLOCK))
    assert result.cells[0].trials[0].backlog_end_bytes is None
    assert outcome(result, "backlog.end <= 1 GB") == ("inconclusive", None)


def test_a_percentile_is_that_of_the_participant_that_is_slowest_there() -> None:
    """Among all operations, those of a starved host are too few to be seen."""
    fast = level(10_000, 1000 * MB)
    starved = [SECOND] * 10
    result = together(*(_course(one) for one in (fast, fast, starved)))
    (cell,) = result.cells
    p50 = next(one for one in cell.latency if one.share == 0.5)
    assert p50.participant_id == 3
    assert abs(p50.ns - SECOND) < 0.1 * SECOND
    (row,) = judge_run(KIND, TEST.parameters, result, [criteria.parse("write.p50 < 100 ms")])
    assert (row.outcome, row.evidence.participant) == ("fail", "web-3 /mnt/a")
    # finer shares need as many operations of each
    assert max(one.share for one in cell.latency if one.share < 1) < 0.99
    assert outcome(result, "write.p99 < 100 ms") == ("inconclusive", None)
    assert outcome(result, "stall.max < 100 ms") == ("fail", SECOND)


def _course(service: list[int]) -> AttemptRecord:
    found = attempt(own(TEST), service)
    assert found.marks
    return replace(found, course=found.marks.intervals)


def test_a_cliff_is_excluded_in_the_common_window_only() -> None:
    """One writes on for a third of the time after the other has ended."""
    test = writing()
    (cell,) = test.planned_cells
    pair = [attempt(own(test), level(count, 1000 * MB)) for count in (10_000, 15_000)]
    sampled = [replace(one, course=one.marks.intervals) for one in pair if one.marks]
    result = KIND.judge(run_of(test, {cell.key: [sampled]}, [site(1), site(2)]))
    (trial,) = result.cells[0].trials
    assert trial.levels is None
    assert trial.window_ns
    assert trial.application_bytes_per_s
    window = trial.application_bytes_per_s * trial.window_ns / SECOND
    assert trial.no_cliff_within_bytes == pytest.approx(window, rel=0.01)
    assert trial.bytes > 1.2 * window
