"""Figures of several participants together: sums, or those of the slowest."""

from dataclasses import replace
from typing import Any

from assay.kinds.kind import AttemptRecord
from assay.kinds.sustained.result import SustainedResult
from assay.verdicts import criteria
from assay.verdicts.judging import judge_run

from .simulated import KIND, MB, SECOND, attempt, run_of, site
from .test_metrics import BLOCK, level, own, writing

TEST = writing(pace="rate", rate_bytes_per_s=[1000 * MB])


def paced(backlog_end_bytes: int | None, due_max_ns: int) -> AttemptRecord:
    detail: dict[str, Any] = {"backlog_end_bytes": backlog_end_bytes, "due_max_ns": due_max_ns}
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


def test_the_backlog_at_the_end_is_that_of_all_participants() -> None:
    result = together(paced(0, BLOCK), paced(3000 * MB, 3 * SECOND), paced(100 * MB, SECOND))
    (trial,) = result.cells[0].trials
    assert (trial.backlog_end_bytes, trial.due_peak_ns) == (3100 * MB, 3 * SECOND)
    assert outcome(result, "backlog.end <= 1 GB") == ("fail", 3100 * MB)
    (late,) = [one for one in result.warnings if one.code == "behind_schedule"]
    assert "3.10 GB were due and not yet written" in late.message


def test_the_backlog_of_all_is_unknown_if_that_of_one_is() -> None:
    result = together(paced(0, BLOCK), paced(None, BLOCK))
    assert result.cells[0].trials[0].backlog_end_bytes is None
    assert outcome(result, "backlog.end <= 1 GB") == ("inconclusive", None)
