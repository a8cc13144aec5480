"""Expected durations, by example and by property."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from assay.kinds.matrix.estimate import PlannedMatrix
from assay.kinds.matrix.parameters import MatrixTest
from assay.kinds.planning import Extent, Place
from assay.kinds.registry import KINDS
from assay.runs.campaigns.expectation import EarlierRun, EarlierTrials, expected_s
from hypothesis import given
from hypothesis import strategies as st

MB = 10**6
THEN = datetime(2026, 11, 3, tzinfo=UTC)
PLACE = Place(
    target_id=3,
    host_id=5,
    host_name="web-1",
    path="/mnt/a",
    fs_type="ext4",
    provable=True,
    free_bytes=10**15,
    free_at=THEN,
    reserve_bytes=0,
    ram=None,
    cpus=None,
    direct="real",
    alignment=512,
)


def planned(**changes: Any) -> PlannedMatrix:
    """One cell of 64 KiB and a thread, with files of 8 MiB, four times."""
    values = {
        "kind": "matrix",
        "operation": "write",
        "title": "Write",
        "block": [65536],
        "threads": [1],
        "file_size": 128 * 65536,
        "repeats": 4,
        "timeout_ms": 360_000_000,
    }
    test = MatrixTest.model_validate(values | changes)
    run, problems = KINDS["matrix"].plan(0, test, PLACE, lambda _, name: name)
    assert isinstance(run, PlannedMatrix)
    assert not problems
    return run


def cell(extent: Extent | None, bytes_per_s: float, sync_s: float = 0) -> EarlierTrials:
    """Two trials of an extent at a rate."""
    assert extent is not None
    moved = 2 * extent.bytes
    return EarlierTrials(extent, 2, moved, moved / bytes_per_s, 2 * sync_s)


def earlier(*cells: EarlierTrials, before_s: float = 0, gap_s: float = 0) -> EarlierRun:
    return EarlierRun(7, THEN, before_s, gap_s, cells)


def known(run: PlannedMatrix, runs: Sequence[EarlierRun]) -> float:
    found = expected_s(run, runs)
    assert found is not None
    return found


rates = st.floats(min_value=1e5, max_value=1e10)
seconds = st.floats(min_value=0, max_value=1000)
blocks = st.lists(st.sampled_from([4096, 65536, 2**20]), min_size=1, max_size=3, unique=True)


def test_a_run_takes_as_long_as_the_same_run_took() -> None:
    run = planned(block=[65536, 2**20])
    same = [cell(one, rate) for one, rate in zip(run.extents, (50 * MB, 80 * MB), strict=True)]
    trials = sum(4 * one.app_s / 2 for one in same)
    took = earlier(*same, before_s=2, gap_s=0.5)
    assert known(run, [took]) == pytest.approx(2 + 7 * 0.5 + trials)


@given(blocks, rates, seconds, seconds, seconds)
def test_a_run_takes_as_long_as_the_same_run_took_at_any_rate(
    block: list[int], rate: float, sync_s: float, before_s: float, gap_s: float
) -> None:
    run = planned(block=block)
    took = earlier(
        *(cell(one, rate, sync_s) for one in run.extents), before_s=before_s, gap_s=gap_s
    )
    trials = sum(4 * (one.app_s + one.sync_s) / 2 for one in took.cells)
    assert known(run, [took]) == pytest.approx(before_s + (run.trials - 1) * gap_s + trials)


@given(st.lists(rates, min_size=1, max_size=6), seconds)
def test_the_order_of_earlier_runs_has_no_effect(found: list[float], gap_s: float) -> None:
    run = planned()
    runs = [earlier(cell(run.extents[0], rate), gap_s=gap_s) for rate in found]
    assert known(run, runs) == pytest.approx(known(run, runs[::-1]))


@given(rates, st.integers(min_value=1, max_value=50), seconds)
def test_more_repeats_take_longer(rate: float, repeats: int, gap_s: float) -> None:
    took = earlier(cell(planned().extents[0], rate), gap_s=gap_s)
    assert known(planned(repeats=repeats + 1), [took]) > known(planned(repeats=repeats), [took])


@given(rates, st.integers(min_value=1, max_value=1000))
def test_larger_files_take_longer(rate: float, blocks_of: int) -> None:
    took = earlier(cell(planned().extents[0], rate))
    small, large = (planned(file_size=n * 65536) for n in (blocks_of, blocks_of + 1))
    assert known(large, [took]) > known(small, [took])


@given(rates, rates)
def test_only_the_nearest_cell_counts(near: float, far: float) -> None:
    run = planned()
    exact = cell(run.extents[0], near)
    other = cell(planned(block=[2**20], threads=[16], files=16).extents[0], far)
    assert known(run, [earlier(exact, other)]) == pytest.approx(known(run, [earlier(exact)]))


def test_the_nearest_block_size_and_threads_stand_for_one_that_was_not_measured() -> None:
    run = planned(block=[128 * 1024])
    near, far = planned(block=[65536]).extents[0], planned(block=[4096]).extents[0]
    took = earlier(cell(near, 40 * MB), cell(far, 1 * MB))
    (extent,) = run.extents
    assert extent is not None
    assert known(run, [took]) == pytest.approx(4 * extent.bytes / (40 * MB))


def test_one_unusual_run_does_not_move_the_expectation() -> None:
    run = planned()
    usual = [earlier(cell(run.extents[0], 40 * MB)) for _ in range(4)]
    slow = earlier(cell(run.extents[0], 1 * MB), before_s=3600)
    assert known(run, [*usual, slow]) == pytest.approx(known(run, usual))


def test_a_time_limit_ends_a_slow_trial_but_not_its_sync() -> None:
    run = planned(timeout_ms=1000, repeats=1, file_size=100 * MB)
    took = earlier(cell(run.extents[0], 10 * MB, sync_s=30))
    limit_s = run.longest_s
    (extent,) = run.extents
    assert extent is not None
    moved = limit_s * 10 * MB / extent.bytes
    assert known(run, [took]) == pytest.approx(limit_s + moved * 30)


def test_larger_files_take_longer_to_prepare() -> None:
    small, large = planned(operation="read"), planned(operation="read", file_size=1280 * 65536)
    took = earlier(cell(small.extents[0], 1000 * MB), before_s=5)
    trials = [4 * one.bytes / (1000 * MB) for run in (small, large) for one in run.extents if one]
    assert known(small, [took]) == pytest.approx(5 + trials[0])
    assert known(large, [took]) == pytest.approx(50 + trials[1])


def test_nothing_is_expected_without_an_earlier_run_of_the_same_variant() -> None:
    run = planned()
    (extent,) = run.extents
    assert extent is not None
    assert expected_s(run, []) is None
    other = replace(extent, variant=("paced",))
    assert expected_s(run, [earlier(cell(other, MB))]) is None
    timed = EarlierTrials(Extent(0, 10, 65536), 2, 0, 20, 0)
    assert expected_s(run, [earlier(timed)]) is None
