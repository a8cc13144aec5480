"""Random access: refusals, estimate, plan, metrics, and what is not claimed."""

from typing import Any

import pytest
from assay.kinds.sustained.comparison import compare
from assay.kinds.sustained.estimate import cautions, plan
from assay.kinds.sustained.report import report
from assay.kinds.sustained.result import judge
from hypothesis import given, settings
from hypothesis import strategies as st

from .random_access import BLOCK, MIXED, RANDOM, SET, measured, metric, mixed_run
from .simulated import (
    KIND,
    MB,
    attempt,
    place,
    planned,
    read_attempt,
    run_of,
    sustained,
    trial_parameters,
)
from .test_parameters import refusal

SWEEP: dict[str, Any] = {"engine": "io_uring", "queue_depth": [1, 8, 32]}


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
    assert "; sweet spot 14.6 MB/s (3560 IOPS at queue depth 32) with a peak" in said


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
        "1050 IOPS (4.31 MB/s) random read and write (70 % reads) of 4 KiB blocks over a "
        "working set of 81.9 MB, reads 737 IOPS with p99 500 µs, writes 316 IOPS with p99 "
        "2.00 ms, no cliff within 41.0 MB."
    )
    assert said.columns[:2] == ("cell", "IOPS")
    assert said.rows[0][1] == "1050"


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
