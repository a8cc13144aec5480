"""Mixtures of reads and writes: both directions add up, and each has only what was measured."""

from dataclasses import replace
from typing import Any

import pytest
from assay.kinds.run_record import EarlierSegment, Gap
from assay.kinds.sustained.figures import SustainedTrial
from assay.kinds.sustained.result import judge
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds.tables import rows_of

from .random_access import (
    BLOCK,
    MIXED,
    SET,
    counters,
    directions,
    measured,
    metric,
    mixed_attempt,
    mixed_run,
)
from .simulated import MB, attempt, planned, run_of, site, sustained, trial_parameters

READ_BACK: dict[str, Any] = {
    "whole": True,
    "error": None,
    "bytes": SET,
    "ns": 10**9,
    "resident_checked": 0,
    "resident_pages": 0,
    "errors": 0,
    "first_offset_bytes": None,
    "first_stream": None,
    "elsewhere": False,
}


def test_each_direction_has_its_exact_part_of_rate_and_iops() -> None:
    (cell,) = judge(mixed_run()).cells
    assert (cell.operation, cell.durable) == ("mixed", None)
    assert cell.iops
    assert cell.application
    assert cell.iops.mean == pytest.approx(10_000 / 9.5)
    assert cell.application.mean == pytest.approx(10_000 * BLOCK / 9.5)
    read, write = cell.directions
    assert (read.operation, write.operation) == ("read", "write")
    assert read.iops
    assert write.iops
    assert write.durable
    assert read.durable is None
    assert read.iops.mean == pytest.approx(7000 / 9.5)
    assert write.iops.mean == pytest.approx(3000 / 9.5)
    assert write.durable.mean == pytest.approx(3000 * BLOCK / 9.5)
    assert (read.peak_ns, write.peak_ns) == (500_000, 2_000_000)


@given(reads=st.integers(500, 4000), writes=st.integers(500, 4000), ramp=st.integers(0, 300))
@settings(max_examples=25, deadline=None)
def test_both_directions_add_up_to_the_whole(reads: int, writes: int, ramp: int) -> None:
    (cell,) = judge(mixed_run(reads=reads, writes=writes, ramp=ramp)).cells
    assert cell.iops
    assert cell.application
    parts = [(one.iops, one.application) for one in cell.directions]
    assert sum(iops.mean for iops, _ in parts if iops) == pytest.approx(cell.iops.mean)
    assert sum(rate.mean for _, rate in parts if rate) == pytest.approx(cell.application.mean)


def test_criteria_name_both_directions_or_one() -> None:
    found = judge(mixed_run())
    assert measured(found, "iops.mean").value == pytest.approx(10_000 / 9.5)
    assert measured(found, "read.iops.min").value == pytest.approx(7000 / 9.5)
    assert measured(found, "write.iops.mean").value == pytest.approx(3000 / 9.5)
    assert measured(found, "read.mean").value == pytest.approx(7000 * BLOCK / 9.5)
    assert measured(found, "write.mean").value == pytest.approx(3000 * BLOCK / 9.5)
    assert measured(found, "durable.mean").value == pytest.approx(3000 * BLOCK / 9.5)
    assert measured(found, "read.p99").value == pytest.approx(500_000, rel=0.02)
    assert measured(found, "write.p99").value == pytest.approx(2_000_000, rel=0.02)
    assert measured(found, "stall.max").value == 2_000_000


def test_after_a_cliff_the_lowest_rate_of_a_direction_is_its_part_of_the_lower_level() -> None:
    test = planned(sustained(**MIXED))
    own = trial_parameters(test.planned_cells[0])
    fast, slow = [500_000] * 10_000, [5_000_000] * 10_000
    detail = {"footprint_bytes": SET} | directions(fast, slow)
    done = attempt(own, [*fast, *slow], detail=detail)
    found = judge(run_of(test, {test.planned_cells[0].key: [[done]]}))
    assert found.cells[0].trials[0].levels
    assert measured(found, "iops.min").value == pytest.approx(200, rel=0.01)
    assert measured(found, "read.iops.min").value == pytest.approx(100, rel=0.01)
    assert measured(found, "durable.min").value == pytest.approx(100 * BLOCK, rel=0.01)
    assert "cliff" in {doubt.code for doubt in measured(found, "durable.mean").doubts}
    assert found.headline
    assert found.headline.figure
    assert found.headline.figure.iops is None


def test_several_mixtures_fall_together_in_their_durable_rate() -> None:
    test = planned(sustained(**MIXED))
    own = trial_parameters(test.planned_cells[0])
    fast, slow = [500_000] * 10_000, [5_000_000] * 10_000
    detail = {"footprint_bytes": SET} | directions(fast, slow)
    done = attempt(own, [*fast, *slow], detail=detail)
    done = replace(done, course=done.marks and done.marks.intervals)
    two = {test.planned_cells[0].key: [[done, done]]}
    found = judge(run_of(test, two, [site(1), site(2)]))
    (trial,) = found.cells[0].trials
    assert trial.levels
    assert measured(found, "durable.min").value == pytest.approx(200 * BLOCK, rel=0.01)
    assert "cliff" in {doubt.code for doubt in measured(found, "durable.mean").doubts}


def test_a_cliff_of_a_mixture_in_the_page_cache_is_none_of_the_durable_rate() -> None:
    test = planned(sustained(**MIXED | {"cache": "page"}))
    own = trial_parameters(test.planned_cells[0])
    fast, slow = [500_000] * 10_000, [5_000_000] * 10_000
    detail = {"footprint_bytes": SET} | directions(fast, slow)
    done = attempt(own, [*fast, *slow], detail=detail)
    found = judge(run_of(test, {test.planned_cells[0].key: [[done]]}))
    (trial,) = found.cells[0].trials
    assert trial.levels
    assert not trial.levels.durable


@pytest.mark.parametrize(
    ("read_back", "doubts"),
    [
        (None, []),
        (READ_BACK, []),
        (READ_BACK | {"whole": False, "bytes": 0}, ["interrupted"]),
    ],
    ids=["not asked for", "whole", "not whole"],
)
def test_a_mixture_that_was_not_read_back_to_the_end_may_have_more_errors(
    read_back: dict[str, Any] | None, doubts: list[str]
) -> None:
    run = mixed_run(told={"read_back": read_back})
    found = measured(judge(run), "verify.errors")
    assert found.value == 0
    assert [one.code for one in found.doubts] == doubts
    assert all(one.bound == "lower" for one in found.doubts)


def test_abandoned_operations_of_a_mixture_are_in_no_directions_latencies() -> None:
    found = judge(mixed_run(told={"unreturned": [60 * 10**9] * 3}))
    p99 = measured(found, "write.p99")
    assert p99.value == pytest.approx(2_000_000, rel=0.02)
    (doubt,) = p99.doubts
    assert (doubt.code, doubt.bound) == ("censored", "lower")
    assert doubt.message == (
        "Three operations never returned: not counted, because each may have been a read or a "
        "write."
    )
    longest = measured(found, "stall.max")
    assert longest.value == 60 * 10**9
    assert [one.message for one in longest.doubts] == [
        "Three operations never returned: counted with the time until the probe gave up."
    ]
    warned = {one.code: one.message for one in found.warnings}["unreturned"]
    assert warned.startswith("Three operations never returned")


def test_a_criterion_about_a_mixture_speaks_of_its_operations() -> None:
    test = sustained(**MIXED)
    assert metric("backlog.end").unavailable(test, {}) == (
        "its operations have no due times: only pacing by a rate gives them"
    )
    why = metric("iops.mean").unavailable(test, {"rate": MB})
    assert why == "it has no such cell: no rate paces its operations"


def interrupted_after(read_share: float | None) -> SustainedTrial:
    """A trial whose first half read this part of its operations, and the second half 70 %."""
    test = planned(sustained(**MIXED))
    done = mixed_attempt(test)
    assert done.marks
    marks = done.marks
    earlier = EarlierSegment(marks, [], marks.end_ns[-1], away_ns=10**9, read_share=read_share)
    whole = {test.planned_cells[0].key: [[replace(done, earlier=[earlier])]]}
    (cell,) = judge(run_of(test, whole)).cells
    assert [one.peak_ns for one in cell.directions] == [None, None]
    return cell.trials[0]


def test_after_an_interruption_the_rates_of_directions_are_those_of_all_segments() -> None:
    trial = interrupted_after(read_share=0.5)
    read, write = trial.directions
    for one in trial.directions:
        assert (one.bytes, one.operations, one.peak_ns) == (None, None, None)
    rate, iops = trial.application_bytes_per_s, trial.iops
    assert rate and iops
    assert read.application_bytes_per_s == pytest.approx(0.6 * rate)
    assert write.application_bytes_per_s == pytest.approx(0.4 * rate)
    assert (read.iops, write.iops) == (pytest.approx(0.6 * iops), pytest.approx(0.4 * iops))


def test_the_rates_of_directions_are_unknown_if_those_of_an_earlier_segment_are() -> None:
    trial = interrupted_after(read_share=None)
    assert trial.application_bytes_per_s
    assert [(one.application_bytes_per_s, one.iops) for one in trial.directions] == [
        (None, None)
    ] * 2


def test_operations_that_a_gap_delayed_leave_a_direction_without_its_longest() -> None:
    test = planned(sustained(**MIXED))
    done = replace(mixed_attempt(test), gaps=[Gap(10**9, 2 * 10**9, "starved")])
    (cell,) = judge(run_of(test, {test.planned_cells[0].key: [[done]]})).cells
    read, write = cell.trials[0].directions
    assert (read.operations, write.operations) == (7000, 3000)
    assert (read.peak_ns, write.peak_ns) == (None, None)


def test_reads_and_writes_are_each_compared_with_their_counter() -> None:
    sound = judge(mixed_run()).cells[0]
    assert sound.served_by
    assert sound.served_by.application
    assert sound.served_by.application.source == "device"
    assert sound.flags == []
    test = planned(sustained(**MIXED | {"cache": "page"}))
    done = mixed_attempt(test)
    assert done.result
    # the page cache served most reads; amplified writes must not make up for them
    seen = counters(700 * BLOCK, 9300 * BLOCK)
    cached = replace(done, result={**done.result, "contention": seen})
    found = judge(run_of(test, {test.planned_cells[0].key: [[cached]]})).cells[0]
    assert found.served_by
    assert found.served_by.application
    assert found.served_by.application.source == "page_cache"


def test_io_of_others_contends_with_a_mixed_trial_and_its_own_does_not() -> None:
    test = planned(sustained(**MIXED))
    done = mixed_attempt(test)
    assert done.result
    seen = counters(7000 * BLOCK, 3000 * BLOCK, others=50 * MB)
    noisy = replace(done, result={**done.result, "contention": seen})
    found = judge(run_of(test, {test.planned_cells[0].key: [[noisy]]})).cells[0]
    assert {flag.code for flag in found.flags} == {"contended"}


def test_a_row_of_the_table_has_both_directions() -> None:
    run = mixed_run()
    (row,) = rows_of(judge(run), run)
    assert (row["operation"], row["access"], row["read_percent"]) == ("mixed", "random", "70")
    assert float(row["iops"]) == pytest.approx(10_000 / 9.5)
    assert (row["read_operations"], row["write_operations"]) == ("7000", "3000")
    assert float(row["write_durable_bytes_per_s"]) == pytest.approx(3000 * BLOCK / 9.5)
    assert row["read_durable_bytes_per_s"] == ""
