"""Sustained trials that are disturbed or interrupted: they go on instead of starting anew."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from assay.kinds.sustained.figures import SustainedTrial
from assay.kinds.sustained.result import SustainedResult
from assay.runs.results import judge
from assay.tables.database import reading
from assay.tables.runs import Run
from testing.api import Appliance
from testing.installation import BOTH, MB, Installation

SECOND = 10**9
RATE = 8 * MB
PACED: dict[str, Any] = {
    "kind": "sustained",
    "title": "Sustained write",
    "cache": "page",
    "block": [100_000],
    "mark_bytes": 400_000,
    "pace": "rate",
    "rate_bytes_per_s": [RATE],
    "sample_ms": 100,
}


def launched(
    installation: Installation, api: Appliance, folder: Path, **test: Any
) -> tuple[int, int]:
    """Launch a paced test on this machine; return its run's id and that of its only trial."""
    host_id = installation.local_host()
    target_id = installation.target(host_id, folder)
    assert installation.check(host_id).error is None
    body = {"name": "Sustained", "body": {"tests": [PACED | test]}}
    profile_id = api.operator.post("/profiles", body).json()["id"]
    asked = {"profile_id": profile_id, "target_ids": [target_id]}
    answer = api.operator.post("/campaigns", asked)
    assert answer.status_code == 201, answer.text
    (run,) = answer.json()["runs"]
    (trial,) = api.operator.get(f"/runs/{run['id']}/trials").json()["items"]
    return run["id"], trial["id"]


def result_of(run_id: int) -> tuple[SustainedResult, SustainedTrial]:
    with reading() as session:
        found = judge(session, session.get_one(Run, run_id))
    assert isinstance(found, SustainedResult)
    (cell,) = found.cells
    (trial,) = cell.trials
    return found, trial


def drive_until_marked(installation: Installation, run_id: int, marks: int) -> None:
    installation.drive_until(
        run_id, lambda: sum(one.mark_count for one in installation.attempts(run_id)) >= marks
    )


@BOTH
def test_a_trial_whose_probe_was_killed_continues_and_says_so(
    installation: Installation, api: Appliance, tmp_path: Path
) -> None:
    run_id, trial_id = launched(installation, api, tmp_path / "scratch", length="6 s")
    for marks in (20, 50):
        drive_until_marked(installation, run_id, marks)
        installation.kill_probe(run_id)
    installation.drive_to_the_end(run_id)
    first, second, third = installation.attempts(run_id)
    assert [one.status for one in (first, second, third)] == [
        "interrupted",
        "interrupted",
        "complete",
    ]
    assert second.done_bytes == first.marked_bytes
    assert third.done_bytes == first.marked_bytes + second.marked_bytes
    result, trial = result_of(run_id)
    assert [gap.what for gap in trial.gaps] == ["interrupted", "interrupted"]
    assert [gap.from_ns for gap in trial.gaps] == [second.done_ns, third.done_ns]
    assert all(gap.away_ns is not None for gap in trial.gaps)
    assert trial.bytes == third.done_bytes + third.bytes
    # paced: nothing is measured twice, and nothing is lost but what came after the last marks
    assert trial.bytes == pytest.approx(6 * RATE, rel=0.02)
    assert trial.application_bytes_per_s == pytest.approx(RATE, rel=0.03)
    assert "interrupted" in {one.code for one in result.warnings}
    samples = api.operator.get(f"/trials/{trial_id}/samples").json()["columns"]
    assert samples["t_ns"] == sorted(samples["t_ns"])
    assert samples["t_ns"][-1] == pytest.approx(6 * SECOND, rel=0.05)
    marks = api.operator.get(f"/trials/{trial_id}/marks").json()["columns"]
    assert marks["end_bytes"][-1] == trial.bytes
    assert marks["begin_bytes"][1:] == marks["end_bytes"][:-1]
    own = api.operator.get(f"/trials/{trial_id}/samples", attempt=1).json()["columns"]
    assert own["t_ns"][-1] < 6 * SECOND


def test_a_stopped_probe_leaves_a_gap_and_one_attempt(
    installation: Installation, api: Appliance, tmp_path: Path
) -> None:
    run_id, _ = launched(installation, api, tmp_path / "scratch", length="6 s")
    drive_until_marked(installation, run_id, 20)
    installation.signal_probe(run_id, signal.SIGSTOP)
    time.sleep(1)
    installation.signal_probe(run_id, signal.SIGCONT)
    installation.drive_to_the_end(run_id)
    (attempt,) = installation.attempts(run_id)
    assert attempt.status == "complete"
    result, trial = result_of(run_id)
    (gap,) = trial.gaps
    assert gap.what == "suspended"
    assert gap.until_ns - gap.from_ns > 0.8 * SECOND
    assert trial.peak_ns is not None
    assert trial.peak_ns < 0.8 * SECOND, "the write during the stop is not the storage's"
    assert trial.application_bytes_per_s == pytest.approx(RATE, rel=0.03)
    (warning,) = [one for one in result.warnings if one.code == "gap"]
    assert warning.figures["gaps_ns"] == gap.until_ns - gap.from_ns


def test_a_gap_is_known_though_the_probe_died_right_after_it(
    installation: Installation, api: Appliance, tmp_path: Path
) -> None:
    run_id, _ = launched(installation, api, tmp_path / "scratch", length="5 s")
    drive_until_marked(installation, run_id, 10)
    installation.signal_probe(run_id, signal.SIGSTOP)
    time.sleep(1)
    installation.signal_probe(run_id, signal.SIGCONT)
    drive_until_marked(installation, run_id, 40)
    installation.kill_probe(run_id)
    installation.drive_to_the_end(run_id)
    _, trial = result_of(run_id)
    gap, interruption = trial.gaps
    assert (gap.what, interruption.what) == ("suspended", "interrupted")
    assert gap.until_ns - gap.from_ns > 0.8 * SECOND


def test_the_workers_record_is_continued_if_the_host_lost_the_end_of_the_spool(
    installation: Installation, api: Appliance, tmp_path: Path
) -> None:
    run_id, _ = launched(installation, api, tmp_path / "scratch", length="6 s")
    for marks in (20, 50):
        drive_until_marked(installation, run_id, marks)
        installation.kill_probe(run_id)
        spool = installation.spool(run_id)
        os.truncate(spool, spool.stat().st_size * 3 // 5)
    installation.drive_to_the_end(run_id)
    first, second, third = installation.attempts(run_id)
    assert second.done_bytes == first.marked_bytes
    assert third.done_bytes == first.marked_bytes + second.marked_bytes
    _, trial = result_of(run_id)
    assert trial.bytes == pytest.approx(6 * RATE, rel=0.02)
    assert trial.application_bytes_per_s == pytest.approx(RATE, rel=0.03)
