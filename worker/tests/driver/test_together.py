"""A run over several participants: trials start together, and count if all completed them."""

import asyncio
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from assay.runs.participants import clock_uncertainty_ns
from assay.runs.results import judge
from assay.tables.database import reading
from assay.tables.runs import Notice, Run
from assay_worker.driver import barrier, plan
from assay_worker.driver import run as driver
from assay_worker.driver.job import Job
from assay_worker.errors import ConnectionLostError
from assay_worker.probe import Probe
from sqlalchemy import select
from testing.assertions import assert_nothing_stays, files_below
from testing.installation import (
    BOTH,
    SLOW,
    Installation,
    drive,
    is_over,
    probes_of,
    wait_until,
)
from testing.sshd import Sshd


def result_of(run_id: int):
    with reading() as session:
        return judge(session, session.get_one(Run, run_id))


def notice_of(run_id: int, code: str) -> str:
    """The message of the run's only notice of a code."""
    with reading() as session:
        of_code = select(Notice.message).where(Notice.run_id == run_id, Notice.code == code)
        return session.scalars(of_code).one()


def tries(installation: Installation, run_id: int) -> dict[tuple[int, int], list[str]]:
    """The statuses of each attempt at all participants, by trial and number."""
    found: dict[tuple[int, int], list[str]] = {}
    for attempt in installation.attempts(run_id):
        found.setdefault((attempt.trial_id, attempt.number), []).append(attempt.status)
    return found


def two_targets(installation: Installation, sshd: Sshd, folder: Path) -> list[int]:
    """A target of this machine and one of a host by SSH."""
    return [
        installation.target(installation.local_host(), folder / "a"),
        installation.target(installation.ssh_host(sshd), folder / "b"),
    ]


@BOTH
def test_participants_start_each_trial_together_and_are_cleaned_up(
    installation: Installation, sshd: Sshd, tmp_path: Path
) -> None:
    targets = two_targets(installation, sshd, tmp_path)
    run_id = installation.launch(*targets, threads=[1, 2], repeats=2, **SLOW)
    installation.drive_to_the_end(run_id, 90)
    run = installation.run(run_id)
    assert (run.state, run.error, run.trials_done) == ("done", None, 4)
    attempts = installation.attempts(run_id)
    assert len(attempts) == 8
    for attempt in attempts:
        assert attempt.status in ("complete", "timed_out")
        assert attempt.result is not None
        assert attempt.result["start_delay_ns"] < 200_000_000
    for position in (0, 1):
        clock = installation.participant(run_id, position).clock
        assert clock is not None
        assert set(clock) == {"start", "worst", "end"}
        # one kernel has one boot clock, so its two readings must agree
        assert abs(clock["start"]["offset_ns"]) <= clock["start"]["uncertainty_ns"]
        assert_nothing_stays(tmp_path, tmp_path / "ab"[position])
    found = result_of(run_id)
    assert [one.host for one in found.participants] == ["this machine", f"host-{sshd.port}"]


def test_if_one_probe_dies_all_participants_repeat_the_trial_together(
    installation: Installation, sshd: Sshd, tmp_path: Path
) -> None:
    run_id = installation.launch(
        *two_targets(installation, sshd, tmp_path), repeats=2, **SLOW | {"timeout_ms": 1500}
    )
    killer = threading.Thread(target=kill_when_measuring, args=[installation, run_id])
    killer.start()
    installation.drive_to_the_end(run_id, 60)
    killer.join(10)
    assert (installation.run(run_id).state, installation.run(run_id).trials_done) == ("done", 2)
    assert notice_of(run_id, "probe_died").startswith(f"The probe on host-{sshd.port} died")
    found = tries(installation, run_id)
    assert sorted(found[min(found)]) == ["interrupted", "stopped"]
    assert_counted_together(found, trials=2)
    assert_nothing_stays(tmp_path, tmp_path / "a")
    assert_nothing_stays(tmp_path, tmp_path / "b")


def kill_when_measuring(installation: Installation, run_id: int) -> None:
    wait_until(lambda: installation.sample_count(run_id) > 0)
    installation.kill_probe(run_id, position=1)


def assert_counted_together(found: dict[tuple[int, int], list[str]], trials: int) -> None:
    """Assert that each trial has one attempt that counts at both, and none that counts at one."""
    counted = [key for key, of in found.items() if {*of} <= {"complete", "timed_out"}]
    assert len(counted) == len({trial for trial, _ in counted}) == trials
    assert all(len(found[key]) == 2 for key in counted)


def test_a_cancelled_run_is_stopped_and_cleared_at_all_participants(
    installation: Installation, sshd: Sshd, tmp_path: Path
) -> None:
    run_id = installation.launch(
        *two_targets(installation, sshd, tmp_path), repeats=5, **SLOW | {"timeout_ms": 3000}
    )
    thread = threading.Thread(target=drive, args=[run_id])
    thread.start()
    wait_until(lambda: installation.sample_count(run_id) > 0)
    installation.cancel(run_id)
    thread.join(20)
    installation.drive_to_the_end(run_id)
    assert installation.run(run_id).state == "cancelled"
    for folder in ("a", "b"):
        assert_nothing_stays(tmp_path, tmp_path / folder)


def test_a_worker_that_takes_over_at_the_barrier_continues_with_all_participants(
    installation: Installation, sshd: Sshd, tmp_path: Path
) -> None:
    run_id = installation.launch(
        *two_targets(installation, sshd, tmp_path), repeats=4, **SLOW | {"timeout_ms": 1000}
    )
    installation.drive_until(run_id, lambda: installation.run(run_id).trials_done >= 1)
    installation.drive_to_the_end(run_id, 60)
    assert (installation.run(run_id).state, installation.run(run_id).trials_done) == ("done", 4)
    assert_counted_together(tries(installation, run_id), trials=4)


def test_a_trial_that_one_participant_cannot_prepare_does_not_block_the_other(
    installation: Installation, sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One lacks memory for several trials in a row, which end before the other is notified."""
    text, release = plan.text, Probe.release

    def written(job: Job, trials: Sequence[plan.DueTrial], token: str | None = None) -> str:
        small = "max_buffer_bytes=8192 " if job.participant.position else ""
        return text(job, trials, token).replace("barrier=yes", f"{small}barrier=yes")

    async def released(self: Probe, *arguments: Any) -> bool:
        await asyncio.sleep(0.5)  # a slow connection
        return await release(self, *arguments)

    monkeypatch.setattr(plan, "text", written)
    monkeypatch.setattr(Probe, "release", released)
    run_id = installation.launch(
        *two_targets(installation, sshd, tmp_path), **SLOW | {"block": [65536, 32768, 16384, 4096]}
    )
    installation.drive_to_the_end(run_id, 90)
    run = installation.run(run_id)
    assert (run.state, run.trials_done) == ("done", 4)
    found = [sorted(of) for of in tries(installation, run_id).values()]
    assert found[:3] == [["failed", "stopped"]] * 3
    assert {*found[3]} <= {"complete", "timed_out"}


def test_a_start_that_reached_only_one_participant_is_repeated_by_both(
    installation: Installation, sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was the last trial: the probe that had begun it ends, and the other still waits."""
    release, lost = Probe.release, list[str]()

    async def released(self: Probe, run_dir: str, *arguments: Any) -> bool:
        if "-p1-" in run_dir and not lost:
            lost.append(run_dir)
            await asyncio.sleep(1)  # the other ends its trial in this time
            raise ConnectionLostError("the release was lost")
        return await release(self, run_dir, *arguments)

    monkeypatch.setattr(Probe, "release", released)
    run_id = installation.launch(*two_targets(installation, sshd, tmp_path), **SLOW)
    installation.drive_to_the_end(run_id, 30)
    assert (installation.run(run_id).state, installation.run(run_id).trials_done) == ("done", 1)
    assert_counted_together(tries(installation, run_id), trials=1)


def measure_until_one_host_is_lost(
    installation: Installation, sshd: Sshd, targets: list[int], repeats: int, timeout_ms: int
) -> int:
    """Launch a run, and stop the SSH host's server after the first sample; return the run's id."""
    trials = SLOW | {"timeout_ms": timeout_ms}
    run_id = installation.launch(*targets, repeats=repeats, watch_ms=3000, **trials)
    installation.drive_until(run_id, lambda: installation.sample_count(run_id) > 0)
    sshd.stop()
    return run_id


def test_while_one_host_is_unreachable_the_other_is_followed(
    installation: Installation, sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its events are stored, and its watch deadline does not end it while it waits."""
    monkeypatch.setattr(driver, "FOLLOWED_ALONE_S", 1)
    targets = two_targets(installation, sshd, tmp_path)
    run_id = measure_until_one_host_is_lost(installation, sshd, targets, repeats=3, timeout_ms=2000)
    wait_until(lambda: drive(run_id) or installation.participant(run_id).ready)
    until = time.monotonic() + 4
    wait_until(lambda: drive(run_id) or time.monotonic() > until)
    assert probes_of(tmp_path / "a")
    assert installation.run(run_id).unreachable_since is not None
    sshd.start()
    installation.drive_to_the_end(run_id, 60)
    assert (installation.run(run_id).state, installation.run(run_id).trials_done) == ("done", 3)
    assert_counted_together(tries(installation, run_id), trials=3)


def test_a_run_that_fails_because_one_host_is_lost_is_cleaned_up_on_the_other(
    installation: Installation, sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "FOLLOWED_ALONE_S", 0.5)
    targets = two_targets(installation, sshd, tmp_path)
    run_id = measure_until_one_host_is_lost(installation, sshd, targets, repeats=2, timeout_ms=1000)
    monkeypatch.setenv("ASSAY_FAILED_AFTER_HOURS", "0.0000001")
    installation.reread_settings()
    wait_until(lambda: drive(run_id) or is_over(installation, run_id)())
    run = installation.run(run_id)
    assert (run.state, run.error and run.error["code"]) == ("failed", "host_lost")
    assert not probes_of(tmp_path / "a")
    assert files_below([tmp_path / "a"]) == []
    wait_until(lambda: not probes_of(tmp_path), 10, "the other's watch deadline")


def test_the_largest_uncertainty_of_the_clocks_is_kept(
    installation: Installation, sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clocks are read for each start here, and drift apart from one reading to its use."""
    run_id = installation.launch(*two_targets(installation, sshd, tmp_path), repeats=3, **SLOW)
    read_clock, uncertain_ms = barrier.read_clock, [1, 1, 30, 30, 2, 2, 1, 1]

    async def read(probe: Probe) -> barrier.Clock:
        found = await read_clock(probe)
        return replace(found, uncertainty_ns=uncertain_ms.pop(0) * 10**6)

    monkeypatch.setattr(barrier, "read_clock", read)
    monkeypatch.setattr(barrier, "FRESH_S", 0)
    installation.drive_to_the_end(run_id, 90)
    assert installation.run(run_id).state == "done"
    for position in (0, 1):
        known = clock_uncertainty_ns(installation.participant(run_id, position))
        assert known is not None
        assert 30 * 10**6 < known < 31 * 10**6


def test_a_worker_that_takes_over_before_the_second_start_starts_both(
    installation: Installation, sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, hung = Probe.start, list[str]()

    async def started(self: Probe, run_dir: str, text: str) -> dict[str, Any]:
        if "-p1-" in run_dir and not hung:
            hung.append(run_dir)
            await asyncio.sleep(60)
        return await start(self, run_dir, text)

    monkeypatch.setattr(Probe, "start", started)
    run_id = installation.launch(*two_targets(installation, sshd, tmp_path), **SLOW)
    installation.drive_until(run_id, lambda: hung and probes_of(tmp_path / "a"))
    installation.drive_to_the_end(run_id, 30)
    assert (installation.run(run_id).state, installation.run(run_id).trials_done) == ("done", 1)
    assert "probe_died" not in installation.notices(run_id)


def test_a_host_that_is_unreachable_at_the_start_keeps_the_run_queued(
    installation: Installation, sshd: Sshd, tmp_path: Path
) -> None:
    run_id = installation.launch(*two_targets(installation, sshd, tmp_path), **SLOW)
    sshd.stop()
    drive(run_id)
    run = installation.run(run_id)
    assert (run.state, run.waits_for and run.waits_for["kind"]) == ("queued", "host_away")
    assert_nothing_stays(tmp_path, tmp_path / "a")
