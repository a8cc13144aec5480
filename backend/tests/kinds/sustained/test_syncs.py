"""Periodic syncs of sustained writes: parameters, figures, criteria and CSV."""

from typing import Any

import pytest
from assay.kinds.sustained.latencies import Syncs, merged_syncs, syncs_of
from kinds.tables import rows_of

from .simulated import KIND, MB, attempt, planned, run_of, sustained, trial_parameters
from .test_metrics import judge, level, own, writing
from .test_parameters import refusal

MS = 10**6
SYNCS: dict[str, Any] = {
    "count": 200,
    "sum_ns": 2921 * MS,
    "max_ns": 500 * MS,
    "hist": [[1162, 198], [1527, 2]],
}
"""198 syncs of 9.7 ms and two of 500 ms."""
EVERY_SECOND = {"sync_ms": 1000}


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"sync_ms": 1000, "sync_bytes": MB}, "sync_ms", "only one of them"),
        ({"sync_ms": 1000, "operation": "read"}, "sync_ms", "nothing to sync"),
        ({"sync_ms": 400 * 86_400_000}, "sync_ms", "less than or equal"),
        ({"sync_ms": -1}, "sync_ms", "greater than or equal"),
    ],
)
def test_a_sync_that_cannot_be_is_refused(given: dict[str, Any], field: str, words: str) -> None:
    found = refusal(**given)
    assert found["field"] == field
    assert words in found["error"]["msg"]


def test_the_probe_is_told_the_interval() -> None:
    test = planned(sustained(sync_ms=1500))
    (cell,) = test.planned_cells
    fields = KIND.plan_fields(test.parameters, trial_parameters(cell), role="writer", direct=True)
    assert (fields["sync_ms"], fields["sync_bytes"]) == (1500, 0)


@pytest.mark.parametrize(
    ("criterion", "expected"),
    [
        ("sync.max <= 0.5 s", ("pass", [], 500 * MS)),
        ("sync.max < 0.4 s", ("fail", [], 500 * MS)),
        ("sync.p99 < 11 ms", ("pass", [])),
        ("sync.p99 < 8 ms", ("fail", [])),
        ("stall.max < 0.1 s", ("pass", [])),
    ],
)
def test_syncs_are_judged_apart_from_writes(criterion: str, expected: tuple[Any, ...]) -> None:
    test = writing(**EVERY_SECOND)
    one = attempt(own(test), level(10_000, 1e9), detail={"syncs": SYNCS})
    assert judge(criterion, test, one)[: len(expected)] == expected


def test_a_profile_without_syncs_cannot_limit_them() -> None:
    metric = next(one for one in KIND.metrics if one.name == "sync.max")
    assert metric.unavailable(sustained(), {}) == (
        "it has no periodic sync: set sync_bytes or sync_ms"
    )
    assert metric.unavailable(sustained(sync_bytes=MB), {}) is None


def test_few_syncs_and_older_probes_have_no_percentile() -> None:
    few = {"count": 99, "sum_ns": 99, "max_ns": 1, "hist": [[1, 99]]}
    assert syncs_of({"syncs": few}) == Syncs(99, 99, 1, None)
    assert syncs_of({}) is None


def test_syncs_of_participants_are_added_and_the_longest_counts() -> None:
    both = [Syncs(200, 300, 10, 4), Syncs(100, 500, 9, 8)]
    assert merged_syncs(both) == Syncs(300, 800, 10, 8)
    assert merged_syncs([both[0], None]) is None
    assert merged_syncs([both[0], Syncs(3, 9, 5, None)]) == Syncs(203, 309, 10, None)


def test_the_csv_has_the_syncs() -> None:
    test = planned(writing(**EVERY_SECOND).test)
    (cell,) = test.planned_cells
    one = attempt(trial_parameters(cell), level(10_000, 1e9), detail={"syncs": SYNCS})
    result = KIND.judge(run_of(test, {cell.key: [[one]]}))
    (row,) = rows_of(result)
    assert (row["syncs"], row["sync_max_ns"]) == ("200", str(500 * MS))
    assert 9 * MS < int(row["sync_p99_ns"]) < 11 * MS
