"""Tests that write and read at the same time: each direction has its own figures."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from assay.kinds.metrics import Measurement, Metric
from assay.kinds.run_record import AttemptRecord, RunRecord, Site
from assay.kinds.sustained.comparison import compare
from assay.kinds.sustained.metrics import METRICS
from assay.kinds.sustained.report import report
from assay.kinds.sustained.result import SustainedResult, judge
from assay.runs.campaigns.estimate import forecast
from kinds.tables import rows_of
from pydantic import ValidationError
from testing.spools import NOBODY_ELSE

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

BLOCK, MARK = MB, 10 * MB
RING: dict[str, Any] = {
    "operation": "both",
    "length": "10 s",
    "block": [BLOCK],
    "file_mode": "ring",
    "file_size": 500 * MB,
    "mark_bytes": MARK,
}
WRITE_NS, READ_NS = 10_000_000, 20_000_000
"""100 and 50 MB/s."""


def sites() -> list[Site]:
    return [
        Site(n, "web-1", "/mnt/a", "boot-1", "xfs", None, None, role=role)
        for n, role in ((7, "writer"), (8, "reader"))
    ]


def contention(attempt: AttemptRecord, read: int, written: int) -> AttemptRecord:
    """Return the attempt with what the counters of the device and of other processes moved."""
    own = (0, attempt.bytes) if attempt.durable_ns is not None else (attempt.bytes, 0)
    seen = {
        "own_read_bytes": own[0],
        "own_write_bytes": own[1],
        "dev_read_bytes": read,
        "dev_write_bytes": written,
        "quiet_ns": 200_000_000,
        "quiet_read_bytes": 50 * MB,
        "quiet_write_bytes": 50 * MB,
        "others_read_bytes": read - own[0],
        "others_write_bytes": written - own[1],
        **NOBODY_ELSE,
        "sees_all": True,
        "busiest": None,
    }
    assert attempt.result
    counter = {"source": "device", "names": ["sda"], "disks": [], "copies": 1, "reason": None}
    return replace(attempt, result={**attempt.result, "contention": seen, "counter": counter})


def run_with(
    *, others: int = 0, reads: Sequence[int] = (READ_NS,) * 500, **given: Any
) -> RunRecord:
    """Return a run of 10 s whose device also moved `others` bytes in each direction."""
    test = planned(sustained(**(RING | given)))
    own = trial_parameters(test.planned_cells[0])
    writes = attempt(own, [WRITE_NS] * 1000)
    played = read_attempt(own, reads, footprint=1000 * MB)
    read, written = played.bytes + others, writes.bytes + others
    both = [contention(writes, read, written), contention(played, read, written)]
    return run_of(test, {test.planned_cells[0].key: [both]}, sites())


def measured(result: SustainedResult, name: str) -> Measurement:
    metric: Metric = next(one for one in METRICS if one.name == name)
    return metric.read(result, {})


def test_each_direction_has_its_rate_and_none_is_their_sum() -> None:
    found = judge(run_with())
    ingest, playout = found.cells
    assert (ingest.operation, playout.operation) == ("write", "read")
    assert ingest.application and playout.application
    assert ingest.application.mean == pytest.approx(100 * MB, rel=1e-3)
    assert playout.application.mean == pytest.approx(50 * MB, rel=1e-3)
    assert found.headline and found.headline.figure and found.headline.reads
    assert found.headline.figure.bytes_per_s == pytest.approx(100 * MB, rel=1e-3)
    assert found.headline.reads.bytes_per_s == pytest.approx(50 * MB, rel=1e-3)
    assert found.best_bytes_per_s == pytest.approx(100 * MB, rel=1e-3)
    assert found.headline.participants == 1
    assert [one.participant_id for one in playout.slowest[:1]] == [8]


def test_a_direction_without_an_attempt_waits_for_the_repetition_of_its_trial() -> None:
    run = run_with()
    (trial,) = run.trials
    played = trial.deciding[1]
    assert played
    alone = replace(trial, deciding=[None, replace(played, status="suspended")], again=True)
    found = judge(replace(run, trials=[alone]))
    assert {cell.state for cell in found.cells} == {"empty"}


def test_the_other_direction_is_not_contention() -> None:
    for cell in judge(run_with()).cells:
        assert cell.flags == []
        assert cell.trials[0].contention
        assert cell.trials[0].contention.state == "none"
        assert cell.served_by and cell.served_by.application
        assert cell.served_by.application.source == "device"


def test_others_on_the_device_are_contention_for_both() -> None:
    for cell in judge(run_with(others=200 * MB)).cells:
        assert {flag.code for flag in cell.flags} == {"contended"}


def test_criteria_name_writes_reads_or_the_worse_of_both() -> None:
    slow = [READ_NS] * 480 + [400_000_000]
    found = judge(run_with(reads=slow))
    assert measured(found, "app.min").value == pytest.approx(100 * MB, rel=1e-3)
    assert measured(found, "read.min").value == pytest.approx(48.1 * MB, rel=1e-3)
    assert measured(found, "write.p99").value == pytest.approx(WRITE_NS, rel=0.02)
    assert measured(found, "read.p90").value == pytest.approx(READ_NS, rel=0.02)
    stall = measured(found, "stall.max")
    assert stall.value == 400_000_000
    assert measured(found, "verify.errors").value == 0


def test_a_direction_counts_only_if_the_other_was_measured() -> None:
    run = run_with()
    (trial,) = run.trials
    writes, reads = trial.deciding
    assert writes and reads
    failed = replace(reads, status="failed", reason="EIO", result=None)
    found = judge(replace(run, trials=[replace(trial, deciding=[writes, failed])]))
    assert [cell.trials[0].status for cell in found.cells] == ["failed", "failed"]
    assert found.cells[0].trials[0].reason == "EIO"
    assert found.headline is None or found.headline.figure is None


def test_directions_that_barely_overlap_are_flagged() -> None:
    found = judge(run_with(reads=[READ_NS] * 50))
    for cell in found.cells:
        assert "short_overlap" in {flag.code for flag in cell.flags}


def test_writes_are_compared_with_writes_and_reads_with_reads() -> None:
    both, alone = judge(run_with()), judge(run_with(reads=[READ_NS * 2] * 250))
    alone = alone.model_copy(update={"run_id": 43})
    found = compare([both, alone])
    assert [(one.run_id, one.operation) for one in found.runs] == [
        (42, "write"),
        (42, "read"),
        (43, "write"),
        (43, "read"),
    ]
    assert [one.ratio for one in found.runs] == [None, None, pytest.approx(1), pytest.approx(0.5)]


def test_a_row_of_the_table_and_of_the_report_per_direction() -> None:
    found = judge(run_with())
    assert [row["direction"] for row in rows_of(found)] == ["write", "read"]
    said = report(found.model_dump(mode="json"))
    assert [row[0] for row in said.rows] == [
        "writes, 977 KiB blocks",
        "reads, 977 KiB blocks",
    ]
    assert said.sentences[0].startswith("100 MB/s durable ingest over 1.00 GB, ")
    assert "; 50.0 MB/s playout over 500 MB, " in said.sentences[0]


@pytest.mark.parametrize(
    ("given", "words", "rate"),
    [
        ({"read_pace": "rate", "read_rate_bytes_per_s": 20 * MB}, " at 20.0 MB/s", "20000000"),
        ({"read_pace": "none"}, "", ""),
        ({"read_pace": "same"}, " at 80.0 MB/s", "80000000"),
    ],
)
def test_reads_are_labeled_with_their_own_pace(
    given: dict[str, Any], words: str, rate: str
) -> None:
    found = judge(run_with(pace="rate", rate_bytes_per_s=[80 * MB], **given))
    rows = rows_of(found)
    assert [row["direction_offered_bytes_per_s"] for row in rows] == ["80000000", rate]
    said = report(found.model_dump(mode="json"))
    assert [row[0] for row in said.rows] == [
        "writes, 977 KiB blocks at 80.0 MB/s",
        f"reads, 977 KiB blocks{words}",
    ]


def test_the_plan_of_each_probe_has_its_own_pace() -> None:
    test = planned(
        sustained(
            **RING,
            pace="rate",
            rate_bytes_per_s=[80 * MB],
            read_pace="rate",
            read_rate_bytes_per_s=20 * MB,
            sync_bytes=100 * MB,
        )
    )
    trial = test.order()[0].parameters
    writes, reads = (
        KIND.plan_fields(test.parameters, trial, role=role, direct=True)
        for role in ("writer", "reader")
    )
    assert (writes["operation"], writes["rate_bytes_per_s"]) == ("write", 80 * MB)
    assert (reads["operation"], reads["rate_bytes_per_s"]) == ("read", 20 * MB)
    assert (writes["sync_bytes"], reads["sync_bytes"]) == (100 * MB, 0)
    assert writes["duration_ms"] == reads["duration_ms"] == 10_000
    unpaced = test.parameters | {"read_pace": "none"}
    fields = KIND.plan_fields(unpaced, trial, role="reader", direct=True)
    assert (fields["pace"], fields["rate_bytes_per_s"]) == ("none", 0)


def test_the_estimate_includes_both_and_names_what_each_offers() -> None:
    test = sustained(**RING, pace="rate", rate_bytes_per_s=[40 * MB])
    found = forecast([test], [place()], lambda _, field: field)
    (parts,) = found.runs
    assert [part.role for part in parts] == ["writer", "reader"]
    assert [part.bytes_written for part in parts] == pytest.approx([400 * MB, 1000 * MB], rel=1e-3)
    offered = next(one for one in found.cautions if one.code == "offered_rate")
    assert "writes at 40.0 MB/s and reads at 40.0 MB/s" in offered.message
    full = forecast([test], [place(free_bytes=1500 * MB)], lambda _, field: field)
    assert full.fits is False
    assert "needs 2.00 GB" in full.problems[0].message


@pytest.mark.parametrize(
    ("given", "field", "said"),
    [
        ({"length": 10**9}, "length", "needs a duration"),
        ({"file_mode": "one"}, "file_mode", "existed|exists before it"),
        (
            {"read_pace": "rate", "read_rate_bytes_per_s": 10**12},
            "read_rate_bytes_per_s",
            "pacing holds one every",
        ),
    ],
)
def test_what_both_cannot_do_is_refused_with_field_and_remedy(
    given: dict[str, Any], field: str, said: str
) -> None:
    with pytest.raises(ValidationError, match=said) as refused:
        sustained(**(RING | given))
    context = refused.value.errors()[0].get("ctx", {})
    assert context["field"] == field
    assert context["value"] == given[field]
    assert context["remedy"]
