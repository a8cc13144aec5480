"""Sustained reads: what they cost before they begin, and what their result says."""

from typing import Any

import pytest
from assay.kinds.headline import sentences
from assay.kinds.run_record import AttemptRecord
from assay.kinds.sustained.estimate import PlannedSustained
from assay.kinds.sustained.presets import PRESETS
from assay.kinds.sustained.result import SustainedResult
from assay.runs.verdicts import criteria
from assay.runs.verdicts.judging import judge_run
from pydantic import ValidationError

from .simulated import (
    KIND,
    MB,
    SECOND,
    attempt,
    place,
    planned,
    read_attempt,
    run_of,
    sustained,
    trial_parameters,
)

GB = 10**9
RATES = [preset.bytes_per_s for preset in PRESETS]


def reading(**given: Any) -> PlannedSustained:
    values = {"block": [MB], "length": 10 * GB, "mark_bytes": 10 * MB, "cache": "direct"}
    return planned(sustained(operation="read", **(values | given)), place(best_read_bytes_per_s=GB))


def level(count: int, bytes_per_s: float) -> list[int]:
    return [round(MB * SECOND / bytes_per_s)] * count


def own(test: PlannedSustained) -> dict[str, Any]:
    return trial_parameters(test.planned_cells[0])


def judged(test: PlannedSustained, *attempts: AttemptRecord) -> SustainedResult:
    (key,) = (cell.key for cell in test.planned_cells)
    return KIND.judge(run_of(test, {key: [[one] for one in attempts]}))


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"length": "10 min"}, "file_mode"),
        ({"length": "10 min", "file_mode": "sequence"}, "file_mode"),
        ({"sync_bytes": 10**9}, "sync_bytes"),
    ],
)
def test_what_a_read_cannot_do_is_refused_by_field(given: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        sustained(operation="read", **given)
    (error,) = refused.value.errors()
    assert error["ctx"]["field"] == field
    assert error["ctx"]["remedy"]


def test_the_files_of_each_trial_are_written_before_it() -> None:
    test = reading(repeats=3)
    assert test.prepared_bytes == test.bytes_written == 3 * test.peak_bytes
    assert test.peak_bytes == pytest.approx(10 * GB, rel=0.001)  # whole blocks
    assert test.role == "reader"
    assert test.shortest_s == pytest.approx(
        30 + 3, rel=0.001
    )  # read at 1 GB/s, written at 10 GB/s at most
    assert test.longest_s == pytest.approx(3 * 172_800 + 3, rel=1e-5)


def test_a_ring_is_written_in_full_and_read_again() -> None:
    ring = {"file_mode": "ring", "file_size": GB, "ring_files": 4, "streams": 2}
    whole = reading(length="1 s", **ring).peak_bytes
    assert whole == pytest.approx(8 * GB, rel=0.001)  # whole blocks
    assert reading(length=100 * GB, **ring).prepared_bytes == whole
    assert reading(length=3 * GB, **ring).prepared_bytes == pytest.approx(3 * GB, rel=0.001)


def test_memory_is_no_caution_because_files_are_dropped_from_it() -> None:
    found = {one.code for one in reading(cache="page").cautions()}
    assert not found & {"fits_in_memory", "ring_in_memory"}


def test_a_read_has_one_rate_and_reports_reads() -> None:
    test = reading()
    found = judged(test, read_attempt(own(test), level(10_000, GB), rates=RATES))
    (cell,) = found.cells
    assert cell.durable is None
    assert cell.application
    assert cell.application.mean == pytest.approx(GB, rel=0.01)
    assert cell.served_by
    assert (cell.served_by.application and cell.served_by.application.source) == "device"
    assert found.operation == "read"
    assert found.headline
    assert found.headline.figure
    assert found.headline.figure.rate == "application"
    said = sentences(found.headline.model_dump(mode="json"))[0]
    assert said.startswith("1.00 GB/s read over 10.0 GB, no cliff within 10.0 GB; carries ")
    report = KIND.report(found.model_dump(mode="json"))
    assert report.title == "Sustained read, MB/s"
    assert report.columns == ("cell", "application", "peak read", "repeats")
    assert {len(row) for row in report.rows} == {4}
    assert {one.carried for one in cell.carry} == {"yes", "buffered", "no"} - {"buffered"}


def test_a_cliff_of_a_read_holds_for_its_only_rate() -> None:
    test = reading()
    service = [*level(5000, GB), *level(5000, GB / 10)]
    found = judged(test, read_attempt(own(test), service, rates=RATES))
    (trial,) = found.cells[0].trials
    assert trial.levels
    assert not trial.levels.durable
    assert found.headline
    assert found.headline.figure
    assert (found.headline.figure.rate, found.headline.figure.levels) == (
        "application",
        trial.levels,
    )
    (limit,) = (one for one in found.warnings if one.code == "cliff")
    assert limit.rate == "application"


def test_a_ring_that_was_read_again_says_who_may_have_served_it() -> None:
    test = reading(file_mode="ring", file_size=GB)
    found = judged(test, read_attempt(own(test), level(10_000, GB), footprint=2 * GB))
    (limit,) = (one for one in found.warnings if one.code == "ring_footprint")
    assert "2.00 GB was read again and again" in limit.message
    (cell,) = found.cells
    assert cell.served_by
    assert cell.served_by.application
    assert "80 % of the data had been read before" in cell.served_by.application.evidence
    assert cell.trials[0].no_cliff_within_bytes == 2 * GB


def test_a_ring_that_memory_served_the_second_time_carries_nothing() -> None:
    test = reading(cache="page", file_mode="ring", file_size=GB)
    done = read_attempt(
        own(test), level(10_000, GB), rates=RATES, footprint=2 * GB, device_bytes=2 * GB
    )
    found = judged(test, done)
    (cell,) = found.cells
    assert cell.served_by
    assert (cell.served_by.application and cell.served_by.application.source) == "page_cache"
    assert {one.carried for one in cell.carry} <= {"no", "not_tested"}
    assert found.headline
    said = sentences(found.headline.model_dump(mode="json"))[0]
    assert said.startswith("Served by the page cache: 1.00 GB/s read over ")


@pytest.mark.parametrize(
    ("criterion", "outcome"),
    [
        ("read.p99 < 2 ms", "pass"),
        ("read.p99 < 100 us", "fail"),
        ("app.mean >= 900 MB/s", "pass"),
        ("device.mean >= 900 MB/s", "pass"),
        ("verify.errors <= 0", "pass"),
        ("stall.max < 0.5 s", "pass"),
        ("buffer_at(1 Gb/s) <= 2 MB", "pass"),
    ],
)
def test_criteria_judge_reads(criterion: str, outcome: str) -> None:
    test = reading()
    result = judged(test, read_attempt(own(test), level(10_000, GB), rates=RATES))
    (row,) = judge_run(KIND, test.parameters, result, [criteria.parse(criterion)])
    assert (row.outcome, [doubt.code for doubt in row.doubts]) == (outcome, [])


def test_wrong_data_is_the_worst_limit_and_fails_its_criterion() -> None:
    test = reading()
    done = read_attempt(own(test), level(10_000, GB), verify_errors=3)
    result = judged(test, done)
    assert result.warnings[0].code == "verify_errors"
    assert result.warnings[0].message.startswith("Three sectors of 512 bytes did not contain")
    (row,) = judge_run(KIND, test.parameters, result, [criteria.parse("verify.errors <= 0")])
    assert (row.outcome, row.measured) == ("fail", 3)


def test_reads_and_writes_have_only_their_own_metrics() -> None:
    metrics = {metric.name: metric for metric in KIND.metrics}
    read, write = reading().test, sustained()
    for name in ("durable.mean", "durable.min", "write.p99"):
        assert metrics[name].unavailable(write, {}) is None
        assert metrics[name].unavailable(read, {}) == "it reads, and only a write has it"
    assert metrics["read.p99"].unavailable(read, {}) is None
    assert metrics["read.p99"].unavailable(write, {}) == "it writes, and only a read has it"


def test_a_read_does_not_compare_with_a_write() -> None:
    read, write = reading(repeats=3), planned(sustained(block=[MB], cache="direct", repeats=3))
    reads = judged(read, *[read_attempt(own(read), level(10_000, GB))] * 3)
    writes = judged(write, *[attempt(own(write), level(10_000, GB))] * 3)
    compared = KIND.compare([reads, writes, reads])
    assert [side.ratio is None for side in compared.runs] == [True, True, False]
