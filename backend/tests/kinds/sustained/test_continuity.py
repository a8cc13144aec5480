from dataclasses import replace
from typing import Any

import pytest
from assay.analysis.throughput import Marks
from assay.kinds.metrics import Measurement
from assay.kinds.run_record import AttemptRecord, EarlierSegment, Gap, GapCause
from assay.kinds.sustained.metrics import METRICS
from assay.kinds.sustained.result import SustainedResult

from .simulated import KIND, SECOND, attempt, planned, run_of, site, sustained, trial_parameters

BLOCK = 2**20
MARK = 10 * BLOCK
TEST = planned(sustained(block=[BLOCK], length=10_000 * BLOCK, mark_bytes=MARK, cache="direct"))
OWN: dict[str, Any] = trial_parameters(TEST.planned_cells[0])
MS = 10**6
READ = {metric.name: metric.read for metric in METRICS}


def judged(one: AttemptRecord) -> SustainedResult:
    (key,) = (cell.key for cell in TEST.planned_cells)
    return KIND.judge(run_of(TEST, {key: [[one]]}))


def measured(name: str, result: SustainedResult) -> Measurement:
    return READ[name](result, {})


def paused(service: list[int], at: int, pause_ns: int) -> tuple[AttemptRecord, Gap]:
    """Return an attempt whose write number `at` took `pause_ns` longer, as a gap."""
    begin = sum(service[:at])
    slow = [ns + pause_ns * (place == at) for place, ns in enumerate(service)]
    gap = Gap(begin, begin + pause_ns, "suspended")
    return replace(attempt(OWN, slow), gaps=[gap]), gap


def segment(of: AttemptRecord, writes: int, *, away_ns: int = 60 * SECOND) -> EarlierSegment:
    """Return the first part of an attempt, up to the end of a mark, as an interrupted one."""
    assert of.marks
    marks = of.marks.at(range(writes * BLOCK // MARK))
    return EarlierSegment(marks, of.gaps, marks.end_ns[-1], away_ns)


def test_a_pause_of_the_machine_changes_neither_rate_nor_peak() -> None:
    service = [2 * MS] * 5000
    (cell,) = judged(attempt(OWN, service)).cells
    disturbed, gap = paused(service, at=2500, pause_ns=30 * SECOND)
    found = judged(disturbed)
    (with_gap,) = found.cells
    assert cell.application and with_gap.application
    assert with_gap.application.mean == pytest.approx(cell.application.mean, rel=1e-6)
    assert cell.durable and with_gap.durable
    assert with_gap.durable.mean == pytest.approx(cell.durable.mean, rel=1e-6)
    assert with_gap.peak_ns == 2 * MS
    assert all(one.ns == 2 * MS for one in with_gap.slowest)
    assert with_gap.trials[0].gaps == [gap]
    assert with_gap.trials[0].levels is None
    warning = next(one for one in found.warnings if one.code == "gap")
    assert warning.figures == {"gaps": 1.0, "gaps_ns": 30.0 * SECOND}


def test_latencies_with_gaps_are_upper_bounds() -> None:
    disturbed, _ = paused([2 * MS] * 5000, at=100, pause_ns=900 * MS)
    doubts = measured("write.p99", judged(disturbed)).doubts
    assert [(one.code, one.bound) for one in doubts] == [("suspended", "upper")]
    assert measured("app.mean", judged(disturbed)).doubts == []


@pytest.mark.parametrize(
    ("streams", "what", "bound"),
    [(1, "starved", "upper"), (2, "starved", None), (2, "suspended", "upper")],
)
def test_a_gap_in_which_some_of_several_streams_starved_may_have_shortened_latencies(
    streams: int, what: GapCause, bound: str | None
) -> None:
    """The others had the storage for themselves; a suspended machine stops all of them."""
    disturbed, gap = paused([2 * MS] * 5000, at=100, pause_ns=900 * MS)
    result = judged(replace(disturbed, gaps=[replace(gap, what=what)]))
    cells = [replace(cell, streams=streams) for cell in result.cells]
    doubts = measured("write.p99", result.model_copy(update={"cells": cells})).doubts
    assert [(one.code, one.bound) for one in doubts] == [(what, bound)]


def test_a_cliff_after_a_gap_keeps_its_place() -> None:
    service = [2 * MS] * 3000 + [10 * MS] * 3000
    disturbed, gap = paused(service, at=1000, pause_ns=20 * SECOND)
    (cell,) = judged(disturbed).cells
    levels = cell.trials[0].levels
    assert levels
    _, slow = levels.held
    assert slow.from_bytes == pytest.approx(3000 * BLOCK, abs=2 * MARK)
    assert slow.from_ns == pytest.approx(6 * SECOND + gap.until_ns - gap.from_ns, abs=200 * MS)


def test_a_continued_trial_has_the_bytes_and_times_of_all_its_segments() -> None:
    whole = attempt(OWN, [2 * MS] * 3000)
    rest = replace(attempt(OWN, [4 * MS] * 2000, sync_ns=SECOND), earlier=[segment(whole, 3000)])
    found = judged(rest)
    (trial,) = found.cells[0].trials
    assert trial.bytes == 5000 * BLOCK
    assert trial.duration_ns == 14 * SECOND
    assert trial.application_bytes_per_s == pytest.approx(5000 * BLOCK / 14)
    assert trial.durable_bytes_per_s is None, "the final sync knows only of the last segment"
    assert found.cells[0].served_by is not None
    assert found.cells[0].served_by.application is not None
    assert found.cells[0].served_by.application.source == "unknown"
    assert {one.carried for one in found.cells[0].carry} <= {"no", "not_tested"}
    assert trial.peak_ns == 4 * MS
    assert trial.gaps == [Gap(6 * SECOND, 6 * SECOND, "interrupted", 60 * SECOND)]
    assert trial.levels
    assert trial.levels.held[-1].from_bytes == pytest.approx(3000 * BLOCK, abs=2 * MARK)
    assert "interrupted" in {one.code for one in found.warnings}


def test_what_came_after_the_last_mark_does_not_count() -> None:
    whole = attempt(OWN, [2 * MS] * 3000)
    shorter = replace(segment(whole, 3000), until_ns=2 * SECOND)
    rest = replace(attempt(OWN, [2 * MS] * 1000), earlier=[shorter])
    (trial,) = judged(rest).cells[0].trials
    assert trial.bytes == 2000 * BLOCK
    assert trial.duration_ns == 4 * SECOND


def test_an_interrupted_trial_excludes_a_cliff_only_within_its_longest_segment() -> None:
    whole = attempt(OWN, [2 * MS] * 3000)
    rest = replace(attempt(OWN, [2 * MS] * 4000), earlier=[segment(whole, 3000)])
    found = judged(rest)
    assert found.cells[0].trials[0].no_cliff_within_bytes == 4000 * BLOCK
    expected = {
        **dict.fromkeys(("cliff.after", "slowdown", "durable.mean", "write.p99")),
        **{"stall.max": "lower", "app.mean": "upper", "app.min": "upper"},
    }
    for metric, bound in expected.items():
        doubts = {(one.code, one.bound) for one in measured(metric, found).doubts}
        assert ("interrupted", bound) in doubts, metric
    assert "ring_footprint" not in {one.code for one in found.warnings}, "there is no ring"


def test_a_gap_that_ended_after_the_last_mark_leaves_the_next_segment_alone() -> None:
    whole = attempt(OWN, [2 * MS] * 3000)
    gap = Gap(3900 * MS, 9000 * MS, "suspended")
    first = replace(segment(whole, 3000), gaps=[gap], until_ns=4 * SECOND)
    found = judged(replace(attempt(OWN, [4 * MS] * 2000), earlier=[first]))
    (trial,) = found.cells[0].trials
    assert [one.until_ns for one in trial.gaps] == [4 * SECOND, 4 * SECOND]
    assert trial.peak_ns == 4 * MS


def test_a_trial_whose_every_mark_was_disturbed_has_no_figures() -> None:
    service = [2 * MS] * 1000
    marks = attempt(OWN, service).marks
    assert marks
    gaps = [Gap(end - 5 * MS, end - 4 * MS, "starved") for end in marks.end_ns]
    found = judged(replace(attempt(OWN, service), gaps=gaps))
    (trial,) = found.cells[0].trials
    assert (trial.application_bytes_per_s, trial.durable_bytes_per_s) == (None, None)
    assert trial.peak_ns is None
    assert measured("stall.max", found).value is None


def test_buffered_data_is_written_back_in_a_gap_which_its_durable_rate_includes() -> None:
    test = planned(sustained(block=[BLOCK], length=10_000 * BLOCK, mark_bytes=MARK, cache="page"))
    (cell,) = test.planned_cells
    own = trial_parameters(cell)
    service = [2 * MS + 10 * SECOND * (place == 100) for place in range(5000)]
    gap = Gap(200 * MS, 200 * MS + 10 * SECOND, "suspended")
    frozen = replace(attempt(own, service, sync_ns=SECOND), gaps=[gap])
    found = KIND.judge(run_of(test, {cell.key: [[frozen]]}))
    (trial,) = found.cells[0].trials
    assert trial.durable_bytes_per_s == pytest.approx(5000 * BLOCK / 21)
    assert ("interrupted", None) in {
        (one.code, one.bound) for one in measured("durable.mean", found).doubts
    }


def test_catching_up_after_a_gap_is_not_a_change_of_the_storage() -> None:
    given = {"pace": "rate", "rate_bytes_per_s": [250 * BLOCK], "cache": "direct"}
    test = planned(sustained(block=[BLOCK], length=5000 * BLOCK, mark_bytes=MARK, **given))
    (cell,) = test.planned_cells
    gap = Gap(4 * SECOND, 9 * SECOND, "suspended")
    caught = [4 * MS] * 1000 + [5 * SECOND] + [1 * MS] * 1700 + [4 * MS] * 2299
    late = {"backlog_end_bytes": 10 * BLOCK, "backlog_max_bytes": 1250 * BLOCK}
    frozen = replace(attempt(trial_parameters(cell), caught, detail=late), gaps=[gap])
    found = KIND.judge(run_of(test, {cell.key: [[frozen]]}))
    (trial,) = found.cells[0].trials
    assert trial.levels is None
    assert (trial.slow_down, trial.steady, trial.shape) == (None, None, None)
    assert ("suspended", "upper") in {
        (one.code, one.bound) for one in measured("backlog.end", found).doubts
    }
    (behind,) = [one for one in found.warnings if one.code == "behind_schedule"]
    assert "a gap may be the cause" in behind.message


@pytest.mark.parametrize("backlog_end_bytes", [None, 100 * BLOCK])
def test_the_rate_of_a_trial_that_ended_in_a_gap_is_a_lower_bound(
    backlog_end_bytes: int | None,
) -> None:
    """Blocks are due each 5 ms. The process stops for 900 ms just before the end of 10 s."""
    offered = BLOCK * SECOND // (5 * MS)
    test = planned(
        sustained(
            block=[BLOCK],
            length="10 s",
            mark_bytes=MARK,
            cache="direct",
            pace="rate",
            rate_bytes_per_s=[offered],
        )
    )
    own = trial_parameters(test.planned_cells[0])

    def found(backlog: int | None) -> SustainedResult:
        detail = {"backlog_end_bytes": backlog, "due_max_ns": 5 * MS}
        one = attempt(own, [5 * MS] * 1819 + [905 * MS], detail=detail)
        gap = Gap(1819 * 5 * MS, 1819 * 5 * MS + 900 * MS, "suspended")
        return KIND.judge(run_of(test, {test.planned_cells[0].key: [[replace(one, gaps=[gap])]]}))

    behind = found(backlog_end_bytes)
    mean = measured("app.mean", behind)
    assert mean.value is not None
    assert mean.value < 0.95 * offered
    assert [(one.code, one.bound) for one in mean.doubts] == [("suspended", "lower")]
    (gap,) = (one.message for one in behind.warnings if one.code == "gap")
    assert "ended before it had caught up, so its rate is a lower bound" in gap
    assert measured("app.mean", found(0)).doubts == []


def test_a_gap_of_one_participant_hides_changes_of_the_aggregate() -> None:
    disturbed, gap = paused([2 * MS] * 3000, at=1500, pause_ns=10 * SECOND)
    (key,) = (cell.key for cell in TEST.planned_cells)
    pair = [[attempt(OWN, [2 * MS] * 3000), disturbed]]
    found = KIND.judge(run_of(TEST, {key: pair}, [site(1), site(2)]))
    (trial,) = found.cells[0].trials
    assert trial.gaps == [gap]
    assert trial.levels is None
    assert trial.no_cliff_within_bytes is None
    assert "gap" in {one.code for one in found.warnings}
    doubts = measured("app.mean", found).doubts
    assert ("interrupted", None) in {(one.code, one.bound) for one in doubts}


def test_a_pause_that_only_the_worker_saw_is_named_without_a_place() -> None:
    found = judged(replace(attempt(OWN, [2 * MS] * 5000), disturbance={"host_paused_ns": SECOND}))
    (trial,) = found.cells[0].trials
    assert [gap.what for gap in trial.gaps] == ["paused"]
    assert trial.application_bytes_per_s == pytest.approx(500 * BLOCK)
    warning = next(one for one in found.warnings if one.code == "paused")
    assert warning.figures == {"away_ns": float(SECOND)}
    assert ("interrupted", None) in {
        (one.code, one.bound) for one in measured("slowdown", found).doubts
    }


def test_marks_are_joined_in_order() -> None:
    whole = attempt(OWN, [2 * MS] * 100)
    assert whole.marks
    joined = whole.marks + whole.marks.within(10**18, whole.marks.end_ns[-1])
    assert isinstance(joined, Marks)
    assert list(joined.end_ns) == sorted(joined.end_ns)
    assert sum(joined.bytes) == 200 * BLOCK


def test_wrong_data_of_an_interrupted_read_is_not_lost() -> None:
    whole = attempt(OWN, [2 * MS] * 3000)
    before = replace(segment(whole, 1000), reported_errors=24)
    resumed = replace(whole, earlier=[before], reported_errors=8)
    assert resumed.result
    counted = replace(resumed, result={**resumed.result, "verify_errors": 8})
    (cell,) = judged(counted).cells
    assert cell.trials[0].verify_errors == 24 + 8, "those of the result are reported, too"
    killed = replace(whole, status="interrupted", result=None, reported_errors=40)
    found = judged(killed)
    assert found.cells[0].trials[0].verify_errors == 40
    (warning,) = [one for one in found.warnings if one.code == "verify_errors"]
    assert warning.figures["sectors"] == 40
