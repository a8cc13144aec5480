"""Filling, preconditioning and idling: the plan, its estimate and problems, and SNIA's method."""

from dataclasses import replace
from typing import Any

import pytest
from assay.kinds.sustained.conformance import Prepared, conformance, merged, prepared
from assay.kinds.sustained.estimate import plan
from assay.kinds.sustained.parameters import SustainedTest
from pydantic import ValidationError

from .simulated import KIND, place, planned, sustained

GB = 10**9
RING: dict[str, Any] = {"file_mode": "ring", "file_size": 5 * GB, "ring_files": 2, "block": [10**6]}
RING |= {"cache": "page"}
SMALL = place(size_bytes=1000 * GB, free_bytes=900 * GB, reserve_bytes=50 * GB)
DETAIL = {
    "fill_bytes": 500,
    "fill_ns": 7,
    "level_bytes": 60,
    "size_bytes": 100,
    "precondition_passes": 2,
    "precondition_bytes": 20,
    "precondition_ns": 9,
    "idle_ns": 5,
}
SNIA = {"operation": "write", "purge": "declared", "cache": "direct", "pace": "none"}
TWICE = Prepared(0, 0, None, 2, 20, 9, 0)


def problems(test: SustainedTest, where: Any = SMALL) -> list[Any]:
    return plan(0, test, where, lambda _, field: field)[1]


def test_a_fill_is_the_difference_between_free_space_and_the_level() -> None:
    run = planned(sustained(**RING, fill_percent=60), SMALL)
    assert run.fill_bytes == 900 * GB - 400 * GB
    assert run.prepared_bytes == 500 * GB
    assert run.peak_bytes == 510 * GB
    assert run.bytes_written == 510 * GB


def test_a_file_system_that_is_fuller_is_not_filled() -> None:
    run = planned(sustained(**RING, fill_percent=5), SMALL)
    assert run.fill_bytes == 0
    [caution] = [one for one in run.cautions() if one.code == "already_filled"]
    assert "10 % of the file system are not free already" in caution.message


def test_each_trial_preconditions_the_whole_ring() -> None:
    run = planned(
        sustained(**RING, length="10 min", precondition_passes=2, repeats=3, idle_ms=[60_000]),
        replace(SMALL, best_write_bytes_per_s=GB),
    )
    assert run.prepared_bytes == 3 * 2 * 10 * GB
    assert run.shortest_s == 3 * (600 + 60) + 60
    fields = KIND.plan_fields(
        run.parameters, run.order()[0].parameters, role="writer", direct=False
    )
    given = {name: fields[name] for name in ("precondition_passes", "idle_ms", "fill_percent")}
    assert given == {"precondition_passes": 2, "idle_ms": 60_000, "fill_percent": 0}


@pytest.mark.parametrize(("percent", "fits"), [(94, True), (95, False)])
def test_a_level_leaves_the_reserve_and_the_files_of_a_trial(percent: int, *, fits: bool) -> None:
    found = problems(sustained(**RING, fill_percent=percent))
    assert bool(found) is not fits
    if found:
        assert found[0].field == "fill_percent"
        assert found[0].value == 95
        assert found[0].remedy == "Use at most 94, or smaller files."
        assert "50.0 GB" in found[0].message


@pytest.mark.parametrize(
    "bad",
    [
        {"operation": "read", **RING},
        {"file_mode": "sequence", "file_size": GB},
        {"file_mode": "one", "length": "10 min"},
    ],
)
def test_files_that_do_not_exist_before_a_trial_are_not_preconditioned(bad: Any) -> None:
    with pytest.raises(ValidationError) as refused:
        sustained(**bad, precondition_passes=1)
    assert refused.value.errors()[0].get("ctx", {})["field"] == "precondition_passes"
    sustained(**bad, precondition_passes=0)


def test_what_was_done_before_a_trial() -> None:
    done = prepared({"preparation": DETAIL})
    assert done == Prepared(500, 7, 0.6, 2, 20, 9, 5)
    assert prepared({"preparation": dict.fromkeys(DETAIL, 0) | {"size_bytes": None}}) is None


def test_the_preparation_of_several_participants_adds_up() -> None:
    other = Prepared(100, 9, 0.5, 1, 10, 3, 6)
    assert merged([Prepared(500, 7, 0.6, 2, 20, 9, 5), other, None]) == Prepared(
        600, 9, 0.6, 1, 30, 9, 6
    )
    assert merged([None, None]) is None


def test_a_purged_and_twice_preconditioned_trial_conforms() -> None:
    found = conformance(SNIA, TWICE, first=True, alone=True, reached=True, whole=True)
    assert found
    assert (found.conformant, found.purge_declared, found.reasons) == (True, True, [])


@pytest.mark.parametrize(
    ("changed", "passes", "reached", "whole", "reason"),
    [
        ({"purge": "none"}, 2, True, True, "no purge was declared"),
        ({}, 1, True, True, "preconditioned 1 of 2 times"),
        ({"cache": "page"}, 2, True, True, "the page cache was used"),
        ({"pace": "rate"}, 2, True, True, "the writes were paced"),
        (
            {"access": "random"},
            2,
            True,
            True,
            "random tests by SNIA cycle through block sizes and shares of reads",
        ),
        ({}, 2, False, True, "steady state was not reached"),
        ({}, 2, True, False, "the trial has gaps"),
    ],
)
def test_each_lack_prevents_conformance(
    changed: Any, passes: int, reason: str, *, reached: bool, whole: bool
) -> None:
    done = replace(TWICE, precondition_passes=passes)
    found = conformance(SNIA | changed, done, first=True, alone=True, reached=reached, whole=whole)
    assert found
    assert (found.conformant, found.reasons) == (False, [reason])


def test_reads_are_not_judged_by_the_method() -> None:
    assert (
        conformance(
            SNIA | {"operation": "read"}, TWICE, first=True, alone=True, reached=True, whole=True
        )
        is None
    )


@pytest.mark.parametrize(
    ("first", "alone", "idle_ns", "reason"),
    [
        (False, True, 0, "the device was not purged again before this trial"),
        (True, False, 0, "other I/O disturbed the trial"),
        (True, True, 5, "the storage rested after it was preconditioned"),
    ],
)
def test_a_rest_a_later_trial_and_other_io_do_not_conform(
    first: bool, alone: bool, idle_ns: int, reason: str
) -> None:
    done = replace(TWICE, idle_ns=idle_ns)
    found = conformance(SNIA, done, first=first, alone=alone, reached=True, whole=True)
    assert found
    assert (found.conformant, found.reasons) == (False, [reason])
