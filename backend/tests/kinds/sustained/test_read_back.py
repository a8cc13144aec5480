"""Reading the files of a write back: plan, estimate, figures and limitations."""

from dataclasses import replace
from typing import Any

import pytest
from assay.kinds.run_record import RunRecord
from assay.kinds.sustained.read_back import ReadBackFigures, merged, read_back_of
from kinds.tables import rows_of
from pydantic import ValidationError

from .simulated import KIND, attempt, place, planned, run_of, sustained, trial_parameters
from .test_metrics import judge, level, own, writing

GB = 10**9
FOUND: dict[str, Any] = {
    "whole": True,
    "error": None,
    "bytes": 4 * GB,
    "ns": 2 * GB,
    "resident_checked": 100,
    "resident_pages": 5,
    "errors": 3,
    "first_offset_bytes": 512,
    "first_stream": 1,
    "elsewhere": False,
}
READ = ReadBackFigures(
    whole=True,
    error=None,
    bytes=4 * GB,
    ns=2 * GB,
    bytes_per_s=2 * GB,
    errors=3,
    first_offset_bytes=512,
    first_stream=1,
    cached_share=0.05,
)


def test_figures_have_a_rate_of_their_own() -> None:
    assert read_back_of({"read_back": FOUND}) == READ
    assert read_back_of({"read_back": None}) is None


def test_a_plan_with_read_back_takes_longer() -> None:
    where = place(best_read_bytes_per_s=GB)
    without = planned(sustained(length=10 * GB, cache="page"), where)
    run = planned(sustained(length=10 * GB, cache="page", read_back="same_host"), where)
    assert run.shortest_s - without.shortest_s == pytest.approx(10, rel=0.001)
    fields = KIND.plan_fields(
        run.parameters, run.order()[0].parameters, role="writer", direct=False
    )
    assert fields["read_back"] == 1


def test_a_read_is_not_read_back() -> None:
    with pytest.raises(ValidationError) as refused:
        sustained(operation="read", read_back="same_host")
    assert refused.value.errors()[0].get("ctx", {})["field"] == "read_back"


def test_several_participants_add_up() -> None:
    clean = replace(READ, errors=0, first_offset_bytes=None, first_stream=None, ns=4 * GB)
    both = merged([clean, READ])
    assert both
    assert (both.whole, both.bytes, both.errors, both.first_stream) == (True, 8 * GB, 3, 1)
    assert both.bytes_per_s == 2 * GB
    partly = merged([READ, None])
    assert partly and not partly.whole
    assert merged([None]) is None


def test_result_csv_and_warnings_have_it() -> None:
    test = planned(sustained(length=GB))
    (cell,) = test.planned_cells
    one = attempt(trial_parameters(cell), [10**6] * 1000)
    assert one.result
    detail = one.result["detail"] | {"read_back": FOUND | {"whole": False, "error": "I/O error"}}
    spoiled = replace(one, result={**one.result, "detail": detail, "verify_errors": 3})
    result = KIND.judge(run_of(test, {cell.key: [[spoiled]]}))
    (found,) = result.cells[0].trials
    assert found.read_back == replace(READ, whole=False, error="I/O error")
    assert found.application_bytes_per_s == pytest.approx(
        KIND.judge(run_of(test, {cell.key: [[one]]})).cells[0].trials[0].application_bytes_per_s
    )
    codes = {one.code: one.message for one in result.warnings}
    assert "verify_errors" in codes
    assert codes["read_back_incomplete"].startswith("Reading back ended early in one trial: I/O e")
    (row,) = rows_of(result)
    names = ("bytes", "ns", "errors", "first_offset_bytes", "first_stream", "whole", "error")
    assert [row[f"read_back_{name}"] for name in names] == [
        *("4000000000", "2000000000", "3", "512", "1", "false", "I/O error")
    ]


AWAITED = FOUND | {"whole": False, "bytes": 0, "ns": 0, "errors": 0, "first_offset_bytes": None}


def test_a_read_back_in_progress_is_pending_and_no_limitation() -> None:
    test = planned(sustained(length=GB, repeats=2))
    (cell,) = test.planned_cells
    one = attempt(trial_parameters(cell), [10**6] * 1000, detail={"read_back": AWAITED})

    def found(run: RunRecord) -> tuple[list[bool], bool]:
        result = KIND.judge(run)
        read = [trial.read_back for trial in result.cells[0].trials if trial.read_back]
        return [each.pending for each in read], any(
            each.code == "read_back_incomplete" for each in result.warnings
        )

    first = run_of(test, {cell.key: [[one], [None]]})
    assert found(replace(first, active=True)) == ([True], False)
    assert found(first) == ([False], True), "the run has ended"
    both = run_of(test, {cell.key: [[one], [one]]})
    assert found(replace(both, active=True)) == ([False, True], True), "the first never will be"


def test_a_test_that_writes_and_reads_at_the_same_time_is_not_read_back() -> None:
    both = {"operation": "both", "length": "10 s", "file_mode": "ring"}
    with pytest.raises(ValidationError, match="verifies only what it reads"):
        sustained(**both, read_back="same_host")


@pytest.mark.parametrize(
    ("read_back", "errors", "expected"),
    [
        (FOUND | {"errors": 0}, 0, ("pass", [])),
        (FOUND, 3, ("fail", [])),
        (FOUND | {"whole": False, "errors": 0}, 0, ("inconclusive", ["interrupted"])),
        (None, 0, ("inconclusive", ["interrupted"])),
    ],
    ids=["clean", "wrong", "not whole", "none"],
)
def test_what_was_read_back_is_judged(
    read_back: dict[str, Any] | None, errors: int, expected: tuple[str, list[str]]
) -> None:
    test = writing(read_back="same_host")
    one = attempt(own(test), level(10_000, 1e9), detail={"read_back": read_back})
    assert one.result
    found = replace(one, result={**one.result, "verify_errors": errors})
    assert judge("verify.errors <= 0", test, found)[:2] == expected


def test_writes_that_are_not_read_back_verify_nothing() -> None:
    metric = next(one for one in KIND.metrics if one.name == "verify.errors")
    assert metric.unavailable(writing().test, {})
    assert metric.unavailable(writing(read_back="same_host").test, {}) is None


def test_only_a_single_participant_prepares_or_reads_back() -> None:
    assert planned(sustained()).only_alone == []
    test = planned(sustained(read_back="same_host", fill_percent=10, precondition_passes=1))
    assert test.only_alone == ["fill_percent", "precondition_passes", "read_back"]
