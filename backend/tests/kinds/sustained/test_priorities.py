"""CPU and I/O priorities of a sustained test: parameters, plan, warnings, CSV."""

from typing import Any

import pytest
from assay.kinds.sustained.estimate import cautions
from kinds.tables import rows_of

from .simulated import KIND, attempt, planned, run_of, sustained, trial_parameters
from .test_metrics import level, writing
from .test_parameters import refusal


@pytest.mark.parametrize("field", ["priority", "io_priority"])
def test_an_unknown_priority_is_refused_with_the_choices(field: str) -> None:
    found = refusal(**{field: "urgent"})
    assert found["field"] == field
    assert "'high'" in found["error"]["msg"]


def test_the_probe_is_told_the_priorities() -> None:
    test = planned(sustained(priority="fifo", io_priority="idle"))
    (cell,) = test.planned_cells
    fields = KIND.plan_fields(test.parameters, trial_parameters(cell), role="writer", direct=True)
    assert (fields["priority"], fields["io_priority"]) == ("fifo", "idle")


@pytest.mark.parametrize(
    ("given", "codes", "words"),
    [
        ({}, [], ""),
        ({"priority": "high"}, ["priority_permission"], "RLIMIT_NICE"),
        ({"priority": "rr"}, ["priority_permission"], "RLIMIT_RTPRIO of 11"),
        ({"io_priority": "real_time"}, ["priority_permission"], "CAP_SYS_NICE for its I/O"),
        ({"io_priority": "idle"}, [], ""),
        ({"io_priority": "idle", "cache": "page"}, ["io_priority_ignored"], "page cache"),
        ({"io_priority": "idle", "cache": "page", "operation": "read"}, [], ""),
    ],
)
def test_the_estimate_says_what_priorities_need_and_where_they_have_no_effect(
    given: dict[str, Any], codes: list[str], words: str
) -> None:
    run = planned(sustained(length=10**12, **given))
    found = [
        one for one in cautions(run) if one.code in ("priority_permission", "io_priority_ignored")
    ]
    assert [one.code for one in found] == codes
    assert all(words in one.message for one in found)


def test_the_result_and_its_csv_name_the_priorities() -> None:
    test = planned(writing(priority="rr", io_priority="low").test)
    (cell,) = test.planned_cells
    one = attempt(trial_parameters(cell), level(10_000, 1e9))
    run = run_of(test, {cell.key: [[one]]})
    result = KIND.judge(run)
    assert (result.priority, result.io_priority) == (["rr"], ["low"])
    (row,) = rows_of(result, run)
    assert (row["priority"], row["io_priority"]) == ("rr", "low")
