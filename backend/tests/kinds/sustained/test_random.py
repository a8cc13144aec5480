"""Random and mixed access: refusals, estimate, plan, both directions, IOPS, what is not claimed."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from assay.kinds.metrics import Measurement, Metric
from assay.kinds.run_record import AttemptRecord, EarlierSegment, Gap, RunRecord
from assay.kinds.sustained.cautions import cautions
from assay.kinds.sustained.comparison import compare
from assay.kinds.sustained.estimate import PlannedSustained, plan
from assay.kinds.sustained.figures import SustainedTrial
from assay.kinds.sustained.metrics import METRICS
from assay.kinds.sustained.report import report
from assay.kinds.sustained.result import SustainedResult, judge
from assay.kinds.sustained.table import sustained_csv
from hypothesis import given, settings
from hypothesis import strategies as st

from .simulated import (
    KIND,
    MB,
    attempt,
    place,
    planned,
    read_attempt,
    run_of,
    site,
    sustained,
    trial_parameters,
)
from .test_parameters import refusal

BLOCK = 4096
SET = 20_000 * BLOCK
RANDOM: dict[str, Any] = {
    "access": "random",
    "length": "10 s",
    "block": [BLOCK],
    "file_size": SET,
    "mark_bytes": 100 * BLOCK,
}
MIXED = RANDOM | {"operation": "mixed", "read_percent": 70}
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
}
SWEEP: dict[str, Any] = {"engine": "io_uring", "queue_depth": [1, 8, 32]}


def metric(name: str) -> Metric:
    return next(one for one in METRICS if one.name == name)


def measured(result: SustainedResult, name: str, **arguments: float) -> Measurement:
    return metric(name).read(result, arguments)


def directions(reads: Sequence[int], writes: Sequence[int]) -> dict[str, Any]:
    """Return what the probe tells of both directions; each has the times of its operations."""

    def told(service: Sequence[int]) -> dict[str, Any]:
        one = attempt({"block": BLOCK, "mark_bytes": 100 * BLOCK}, service)
        assert one.result
        assert one.latency
        return {
            "ops": len(service),
            "bytes": len(service) * BLOCK,
            "lat_sum_ns": sum(service),
            "lat_min_ns": min(service),
            "lat_max_ns": max(service),
            "hist": one.result["detail"]["hist"],
            "due_hist": None,
            "due_max_ns": None,
        }

    return {"directions": {"read": told(reads), "write": told(writes)}}


def _mixture(reads: Sequence[int], writes: Sequence[int]) -> list[int]:
    """Return the operations of both directions, each spread evenly over the trial."""
    places = [(n / len(each), ns) for each in (reads, writes) for n, ns in enumerate(each)]
    return [ns for _, ns in sorted(places)]


def mixed_attempt(
    test: PlannedSustained,
    reads: int = 7000,
    writes: int = 3000,
    told: Mapping[str, Any] | None = None,
    **more: Any,
) -> AttemptRecord:
    """Return an attempt of one stream: reads of 0.5 ms and writes of 2 ms."""
    quick, slow = [500_000] * reads, [2_000_000] * writes
    own = trial_parameters(test.planned_cells[0])
    detail = {"footprint_bytes": SET} | directions(quick, slow) | dict(told or {})
    done = attempt(own, _mixture(quick, slow), detail=detail, **more)
    assert done.result
    moved = {"dev_app_bytes": done.bytes, "dev_durable_bytes": done.bytes}
    moved |= {"working_set_bytes": SET, "contention": counters(reads * BLOCK, writes * BLOCK)}
    counter = {"source": "device", "names": ["sda"], "copies": 1, "reason": None}
    return replace(done, result={**done.result, **moved, "counter": counter})


def counters(read: int, written: int, others: int = 0) -> dict[str, Any]:
    return {
        "own_read_bytes": read,
        "own_write_bytes": written,
        "dev_read_bytes": read + others,
        "dev_write_bytes": written,
        "quiet_ns": 0,
        "quiet_read_bytes": 0,
        "quiet_write_bytes": 0,
        "others_read_bytes": others,
        "others_write_bytes": 0,
        "sees_all": True,
        "busiest": None,
    }


def mixed_run(**more: Any) -> RunRecord:
    test = planned(sustained(**MIXED))
    return run_of(test, {test.planned_cells[0].key: [[mixed_attempt(test, **more)]]})


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"operation": "mixed"}, "access", "at random"),
        (RANDOM | {"file_mode": "ring"}, "file_mode", "one file per stream"),
        (RANDOM | {"file_mode": "sequence"}, "file_mode", "one file per stream"),
        ({"queue_depth": [1, 8]}, "queue_depth", "contains 8, but a thread"),
        ({"engine": "io_uring", "queue_depth": [257]}, "queue_depth", "256"),
        ({"engine": "io_uring", "queue_depth": [8, 8]}, "queue_depth", "more than once"),
        (MIXED | {"read_percent": 100}, "read_percent", "99"),
        (RANDOM | {"seed": 2**53}, "seed", str(2**53 - 1)),
        (RANDOM | {"idle_ms": [0, 1000]}, "idle_ms", "before each trial"),
    ],
)
def test_what_random_access_and_depth_cannot_be_is_refused_by_its_field(
    given: dict[str, Any], field: str, words: str
) -> None:
    found = refusal(**given)
    assert found["field"] == field
    assert words in found["error"]["msg"]


@pytest.mark.parametrize("operation", ["read", "write", "mixed", "both"])
def test_a_duration_of_random_access_needs_no_ring(operation: str) -> None:
    assert sustained(**RANDOM, operation=operation).access == "random"


def test_a_host_that_forbids_io_uring_is_refused_with_its_reason() -> None:
    where = place(io_uring_refused="kernel.io_uring_disabled is 2")
    test = sustained(**RANDOM, **SWEEP)
    run, problems = plan(0, test, where, lambda _, field: field)
    assert run is None
    assert [one.field for one in problems] == ["engine"]
    assert "web-1 does not permit io_uring: kernel.io_uring_disabled is 2" in problems[0].message
    assert planned(sustained(**RANDOM), where)


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"block": [64 * 2**20], "file_size": 10**12}, "queue_depth", "a tenth of its memory"),
        ({"file_size": 16 * BLOCK}, "file_size", "32 operations in flight"),
        ({"file_size": 100}, "file_size", "each stream's working set must hold"),
    ],
)
def test_operations_in_flight_need_memory_and_a_working_set(
    given: dict[str, Any], field: str, words: str
) -> None:
    test = sustained(**RANDOM | SWEEP | {"streams": 4} | given)
    run, problems = plan(0, test, place(), lambda _, field: field)
    assert run is None
    assert problems[0].field == field
    assert words in problems[0].message


@given(
    depths=st.lists(st.integers(1, 256), min_size=1, max_size=20, unique=True),
    blocks=st.lists(st.sampled_from([512, 4096, 65536]), min_size=1, max_size=3, unique=True),
)
@settings(max_examples=50)
def test_each_queue_depth_is_a_cell_with_a_key_of_its_own(
    depths: list[int], blocks: list[int]
) -> None:
    given = RANDOM | {"engine": "io_uring", "queue_depth": depths, "block": blocks}
    test = planned(sustained(**given | {"file_size": 10**9}))
    assert len({cell.key for cell in test.planned_cells}) == len(depths) * len(blocks)
    for cell in test.planned_cells:
        told = KIND.plan_fields(
            test.parameters, trial_parameters(cell), role=test.role, direct=True
        )
        assert (told["engine"], told["queue_depth"]) == ("io_uring", cell.queue_depth)


def test_the_probe_is_told_access_seed_and_share_only_where_they_apply() -> None:
    test = planned(sustained(**MIXED, seed=7))
    told = KIND.plan_fields(
        test.parameters, trial_parameters(test.planned_cells[0]), role=test.role, direct=True
    )
    assert test.role == "mixed"
    assert told["operation"] == "mixed"
    assert (told["access"], told["seed"], told["read_percent"]) == ("random", 7, 70)
    assert (told["layout"], told["file_bytes"]) == ("one", SET)
    plain = planned(sustained())
    told = KIND.plan_fields(
        plain.parameters, trial_parameters(plain.planned_cells[0]), role="writer", direct=True
    )
    assert not {"access", "seed", "read_percent", "engine", "queue_depth"} & set(told)


def test_the_working_set_is_written_before_each_trial_and_is_all_the_space_needed() -> None:
    test = planned(sustained(**RANDOM | {"length": 10 * SET, "streams": 2, "repeats": 3}))
    assert test.peak_bytes == 2 * SET
    assert test.prepared_bytes == 3 * 2 * SET
    assert test.bytes_written == 3 * (2 * SET + 10 * SET)
    read = planned(sustained(**RANDOM | {"length": 10 * SET, "operation": "read"}))
    assert read.bytes_written == SET
    mixed = planned(sustained(**MIXED | {"length": 10 * SET}))
    assert mixed.bytes_written == SET + round(10 * SET * 0.3)


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ("read", "read again from memory"),
        ("write", "overwritten before it is written back"),
        ("mixed", "read again from memory and overwritten before it is written back"),
    ],
)
def test_a_working_set_in_memory_is_a_caution(operation: str, words: str) -> None:
    test = planned(sustained(**RANDOM, operation=operation, cache="page"))
    found = {one.code: one.message for one in cautions(test)}
    assert words in found["working_set_in_memory"]
    assert "random_length_unknown" in found


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
    assert found.cells[0].trials[0].cliff
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
    assert trial.cliff
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
    assert trial.cliff
    assert not trial.cliff.durable


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


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("buffer_at", {"rate": 1e9}), ("dropped_at", {"frames": 4}), ("frames.needed", {})],
)
def test_random_access_has_no_metric_of_a_stream(name: str, arguments: dict[str, float]) -> None:
    test = sustained(**RANDOM, pace="rate", rate_bytes_per_s=[MB])
    why = metric(name).unavailable(test, arguments)
    assert why
    assert "no stream" in why
    (cell,) = judge(mixed_run()).cells
    assert (cell.carry, cell.backlogs) == ([], [])


def test_a_criterion_names_a_queue_depth() -> None:
    test = sustained(**RANDOM, **SWEEP)
    assert metric("iops.mean").unavailable(test, {"depth": 8}) is None
    why = metric("iops.mean").unavailable(test, {"depth": 16})
    assert why == "it has no such cell: its queue depths are 1, 8, 32"
    run = planned(test)
    attempts = {
        cell.key: [[attempt(trial_parameters(cell), [9_000_000 // cell.queue_depth] * 20_000)]]
        for cell in run.planned_cells
    }
    found = judge(run_of(run, attempts))
    assert [cell.queue_depth for cell in found.cells] == [1, 8, 32]
    assert measured(found, "iops.mean", depth=8).value == pytest.approx(1 / 0.001125)
    assert measured(found, "iops.mean").value == pytest.approx(1 / 0.00028125)
    assert measured(found, "iops.mean").evidence.parameters["queue_depth"] == 32
    assert found.sweet_spot
    assert (found.sweet_spot.queue_depth, found.leading_cell) == (32, "4096q32")
    said = report(found.model_dump(mode="json")).sentences[0]
    assert "; sweet spot: 14.6 MB/s (3,560 IOPS at queue depth 32) with a peak" in said


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


def test_random_writes_exclude_a_cliff_in_all_they_wrote_and_reads_in_their_set() -> None:
    service, size = [1_000_000] * 40_000, 40_000 * BLOCK
    writes = planned(sustained(**RANDOM))
    own = trial_parameters(writes.planned_cells[0])
    done = attempt(own, service, detail={"footprint_bytes": SET})
    found = judge(run_of(writes, {writes.planned_cells[0].key: [[done]]}))
    assert found.cells[0].trials[0].no_cliff_within_bytes == size
    warned = {one.code: one.message for one in found.warnings}
    assert "overwritten 2.00 times" in warned["working_set"]
    reads = planned(sustained(**RANDOM, operation="read"))
    done = read_attempt(own, service, footprint=SET)
    found = judge(run_of(reads, {reads.planned_cells[0].key: [[done]]}))
    assert found.cells[0].trials[0].no_cliff_within_bytes == SET
    assert "was read 2.00 times" in {o.code: o.message for o in found.warnings}["working_set"]


def test_the_headline_leads_with_operations_per_second() -> None:
    found = judge(mixed_run())
    said = report(found.model_dump(mode="json"))
    assert said.sentences[0] == (
        "1,050 IOPS (4.31 MB/s) random read and write (70 % reads) of 4 KiB blocks over a "
        "working set of 81.9 MB, reads 737 IOPS with p99 500 µs, writes 316 IOPS with p99 "
        "2.00 ms, no cliff within 41.0 MB."
    )
    assert said.columns[:2] == ("cell", "IOPS")
    assert said.rows[0][1] == "1053"


def test_a_row_of_the_table_has_both_directions() -> None:
    (row,) = csv.DictReader(io.StringIO(sustained_csv(judge(mixed_run()))))
    assert (row["operation"], row["access"], row["read_percent"]) == ("mixed", "random", "70")
    assert float(row["iops"]) == pytest.approx(10_000 / 9.5)
    assert (row["read_operations"], row["write_operations"]) == ("7000", "3000")
    assert float(row["write_durable_bytes_per_s"]) == pytest.approx(3000 * BLOCK / 9.5)
    assert row["read_durable_bytes_per_s"] == ""


def test_runs_of_other_access_or_another_share_have_no_ratio() -> None:
    first = judge(mixed_run())
    same = first.model_copy(update={"run_id": 43})
    assert compare([first, same]).runs[1].ratio == pytest.approx(1)
    other = same.model_copy(update={"read_percent": 50})
    assert compare([first, other]).runs[1].ratio is None
    sequential = planned(sustained())
    done = attempt(trial_parameters(sequential.planned_cells[0]), [10**6] * 20_000)
    plain = judge(run_of(sequential, {sequential.planned_cells[0].key: [[done]]}))
    writes = planned(sustained(**RANDOM))
    done = attempt(trial_parameters(writes.planned_cells[0]), [10**6] * 20_000)
    random = judge(run_of(writes, {writes.planned_cells[0].key: [[done]]}))
    assert compare([plain, random]).runs[1].ratio is None
