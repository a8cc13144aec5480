"""Components that are killed during a run, and how the run continues."""

import os
import signal
import threading
from datetime import timedelta
from pathlib import Path

import pytest
import redis
from assay.tables.database import now, writing
from assay.tables.runs import Run
from assay_worker.driver.failures import MOST_TRIES
from assay_worker.scheduler import reconcile
from sqlalchemy.exc import DataError
from testing.assertions import assert_complete, assert_nothing_stays
from testing.installation import (
    BOTH,
    SLOW,
    Installation,
    announce,
    dispatch,
    drive,
    is_over,
    probes_of,
    wait_until,
)
from testing.sshd import Sshd


@BOTH
def test_a_killed_worker_is_replaced_and_each_trial_is_measured_once(
    installation: Installation, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    target = installation.target(installation.local_host(), scratch)
    run_id = installation.launch(target, repeats=12, **SLOW)
    installation.start_scheduler()
    worker = installation.start_worker()
    wait_until(lambda: installation.run(run_id).trials_done >= 2)
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()
    measured = installation.run(run_id).trials_done
    installation.start_worker()
    wait_until(is_over(installation, run_id), 40)
    assert measured < 12
    assert_complete(installation, run_id)
    assert len(installation.attempts(run_id)) == 12, "the probe continued without a worker"
    assert_nothing_stays(tmp_path, scratch)


def test_a_killed_probe_is_restarted_for_the_missing_trials(
    installation: Installation, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    target = installation.target(installation.local_host(), scratch)
    run_id = installation.launch(target, repeats=6, **SLOW)
    thread = threading.Thread(target=installation.drive_to_the_end, args=[run_id])
    thread.start()
    wait_until(lambda: installation.run(run_id).trials_done >= 2)
    installation.kill_probe(run_id)
    thread.join(40)
    assert_complete(installation, run_id)
    assert "probe_died" in installation.notices(run_id)
    statuses = [a.status for a in installation.attempts(run_id)]
    assert statuses.count("interrupted") <= 1
    assert_nothing_stays(tmp_path, scratch)


def test_a_probe_that_keeps_crashing_fails_the_run(
    installation: Installation, tmp_path: Path
) -> None:
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    run_id = installation.launch(target, **(SLOW | {"timeout_ms": 30_000}))
    thread = threading.Thread(target=installation.drive_to_the_end, args=[run_id])
    thread.start()
    for death in range(1, 6):
        wait_until(lambda: installation.running_attempt(run_id) == death)  # noqa: B023
        installation.kill_probe(run_id)
    thread.join(30)
    run = installation.run(run_id)
    assert run.state == "failed"
    assert run.error is not None
    assert run.error["code"] == "probe_dies"
    assert_nothing_stays(tmp_path, tmp_path / "scratch")


def test_a_run_continues_after_its_host_was_unreachable(
    installation: Installation, tmp_path: Path, sshd: Sshd
) -> None:
    scratch = tmp_path / "scratch"
    run_id = installation.launch(
        installation.target(installation.ssh_host(sshd), scratch), repeats=8, **SLOW
    )
    thread = threading.Thread(target=drive, args=[run_id])
    thread.start()
    wait_until(lambda: installation.run(run_id).trials_done >= 2)
    sshd.stop()
    thread.join(10)
    run = installation.run(run_id)
    assert run.state == "running"
    assert run.unreachable_since is not None
    assert "retrying" in (run.state_reason or "")
    sshd.start()
    installation.drive_to_the_end(run_id)
    assert_complete(installation, run_id)
    assert len(installation.attempts(run_id)) == 8, "the probe continued without a worker"
    assert_nothing_stays(tmp_path, scratch)


def test_a_run_with_an_unreachable_host_is_lost_then_failed_and_recovers_before(
    installation: Installation, tmp_path: Path, sshd: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_LOST_AFTER_SECONDS", "0.5")
    installation.reread_settings()
    host = installation.ssh_host(sshd)
    target = installation.target(host, tmp_path / "scratch")
    first, second = (installation.launch(target, repeats=4, **SLOW) for _ in range(2))
    installation.drive_until(first, lambda: installation.running_attempt(first))
    sshd.stop()
    wait_until(lambda: drive(first) or installation.condition(first) == "lost")
    assert "refused" in (installation.run(first).state_reason or "")
    assert installation.host(host).state == "unreachable"
    assert f"host:{host}" in installation.reservations(first)
    sshd.start()
    installation.drive_to_the_end(first)
    assert_complete(installation, first)
    assert "host_returned" in installation.notices(first)
    assert installation.host(host).state == "ready"

    monkeypatch.setenv("ASSAY_FAILED_AFTER_HOURS", "0.0003")
    installation.reread_settings()
    installation.drive_until(second, lambda: installation.running_attempt(second))
    sshd.stop()
    wait_until(lambda: drive(second) or is_over(installation, second)())
    run = installation.run(second)
    assert run.state == "failed"
    assert run.error is not None
    assert run.error["code"] == "host_lost"
    assert installation.reservations(second) == []
    sshd.start()
    installation.drive_to_the_end(installation.launch(target))  # its contact sweeps


def test_a_host_that_returns_before_the_run_was_noted_as_lost_is_reported(
    installation: Installation, tmp_path: Path
) -> None:
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    run_id = installation.launch(target, repeats=3, **SLOW)
    installation.drive_until(run_id, lambda: installation.run(run_id).trials_done >= 1)
    with writing() as session:
        session.get_one(Run, run_id).unreachable_since = now() - timedelta(hours=1)
    assert installation.condition(run_id) == "lost"
    installation.drive_to_the_end(run_id)
    assert installation.notices(run_id).count("host_returned") == 1
    assert_complete(installation, run_id)


def test_a_run_with_an_unreachable_host_queues_without_reservations(
    installation: Installation, tmp_path: Path, sshd: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_LOST_AFTER_SECONDS", "0.5")
    installation.reread_settings()
    target = installation.target(installation.ssh_host(sshd), tmp_path / "scratch")
    run_id = installation.launch(target)
    sshd.stop()
    drive(run_id)
    run = installation.run(run_id)
    assert (run.state, run.started_at) == ("queued", None)
    assert run.waits_for is not None
    assert run.waits_for["kind"] == "host_away"
    assert "does not respond" in run.waits_for["what"]
    assert installation.reservations(run_id) == []
    drive(run_id)
    assert installation.run(run_id).waits_for == run.waits_for, "it is not retried at once"
    wait_until(lambda: drive(run_id) or installation.run(run_id).retry_at != run.retry_at)
    again = installation.run(run_id)
    assert again.state == "queued"
    assert again.waits_for == run.waits_for
    sshd.start()
    installation.drive_to_the_end(run_id)
    assert_complete(installation, run_id)
    assert "host_returned" not in installation.notices(run_id)


def test_a_run_waits_for_an_unreachable_host_until_the_limit(
    installation: Installation, tmp_path: Path, sshd: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_FAILED_AFTER_HOURS", "0.0003")
    installation.reread_settings()
    run_id = installation.launch(installation.target(installation.ssh_host(sshd), tmp_path / "a"))
    sshd.stop()
    wait_until(lambda: drive(run_id) or is_over(installation, run_id)())
    assert (installation.run(run_id).error or {})["code"] == "host_lost"


def test_a_cancelled_run_with_an_unreachable_host_ends_after_the_watch_deadline(
    installation: Installation, tmp_path: Path, sshd: Sshd
) -> None:
    scratch = tmp_path / "scratch"
    target = installation.target(installation.ssh_host(sshd), scratch)
    run_id = installation.launch(target, watch_ms=1500, repeats=100, **SLOW)
    thread = threading.Thread(target=drive, args=[run_id])
    thread.start()
    wait_until(lambda: installation.run(run_id).trials_done >= 1)
    sshd.stop()
    thread.join(10)
    installation.cancel(run_id)
    drive(run_id)
    assert installation.run(run_id).state == "running", "a probe may still run there"
    wait_until(lambda: drive(run_id) or is_over(installation, run_id)())
    assert installation.run(run_id).state == "cancelled"
    assert_nothing_stays(tmp_path, scratch)
    sshd.start()
    following = installation.launch(target)
    installation.drive_to_the_end(following)
    assert list((sshd.home / ".cache/assay/runs").iterdir()) == [], "swept at the next contact"
    assert installation.participant(run_id).swept_at is not None


def test_an_unfollowed_probe_stops_and_the_run_continues_later(
    installation: Installation, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    target = installation.target(installation.local_host(), scratch)
    run_id = installation.launch(target, watch_ms=1000, repeats=8, **SLOW)
    installation.drive_until(run_id, lambda: installation.run(run_id).trials_done >= 1)
    wait_until(lambda: not probes_of(tmp_path), 10, "the watch deadline passes")
    assert_nothing_stays(tmp_path, scratch)
    installation.drive_to_the_end(run_id)
    assert_complete(installation, run_id)
    assert "watch_deadline" in installation.notices(run_id)


def test_a_worker_that_lost_its_ownership_stops_writing(
    installation: Installation, tmp_path: Path
) -> None:
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    run_id = installation.launch(target, repeats=8, **SLOW)
    slow = threading.Thread(target=drive, args=[run_id])
    slow.start()
    wait_until(lambda: installation.run(run_id).trials_done >= 1)
    with writing() as session:
        session.get_one(Run, run_id).owned_until = None
    installation.drive_to_the_end(run_id)
    slow.join(10)
    assert not slow.is_alive()
    assert_complete(installation, run_id)


def test_the_reconciler_wakes_a_run_without_a_driver_but_not_in_every_round(
    installation: Installation, tmp_path: Path
) -> None:
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    run_id = installation.launch(target)
    with writing() as session:
        session.get_one(Run, run_id).state = "running"
    assert reconcile() == 0, "no worker is alive"
    announce()
    assert reconcile() == 1
    assert reconcile() == 0


def test_a_run_continues_after_a_power_failure_lost_the_end_of_the_spool(
    installation: Installation, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    target = installation.target(installation.local_host(), scratch)
    run_id = installation.launch(target, repeats=8, **SLOW)
    installation.drive_until(run_id, lambda: installation.run(run_id).trials_done >= 2)
    installation.kill_probe(run_id)
    spool = installation.spool(run_id)
    os.truncate(spool, installation.participant(run_id).offset // 2)
    installation.drive_to_the_end(run_id)
    assert_complete(installation, run_id)
    assert_nothing_stays(tmp_path, scratch)


def test_a_removed_spool_fails_the_run_with_the_reason(
    installation: Installation, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    target = installation.target(installation.local_host(), scratch)
    run_id = installation.launch(target, watch_ms=500, repeats=8, **SLOW)
    installation.drive_until(run_id, lambda: installation.run(run_id).trials_done >= 1)
    wait_until(lambda: not probes_of(tmp_path), 10)
    installation.remove_spool(run_id)
    installation.drive_to_the_end(run_id)
    run = installation.run(run_id)
    assert run.state == "failed"
    assert run.error is not None
    assert run.error["code"] == "spool_gone"
    assert_nothing_stays(tmp_path, scratch)


def test_a_broken_event_log_ends_the_run_and_its_probe(
    installation: Installation, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    target = installation.target(installation.local_host(), scratch)
    run_id = installation.launch(target, repeats=50, **SLOW)
    thread = threading.Thread(target=installation.drive_to_the_end, args=[run_id])
    thread.start()
    wait_until(lambda: installation.run(run_id).trials_done >= 1)
    with installation.spool(run_id).open("ab") as spool:
        spool.write(b'{"v":2,"seq":0,"ev":"what?"}\n')
    thread.join(30)
    run = installation.run(run_id)
    assert run.state == "failed"
    assert run.error is not None
    assert run.error["code"] == "broken_log"
    assert_nothing_stays(tmp_path, scratch)


def test_a_probe_that_stops_slowly_keeps_its_host_reserved(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process stopped by SIGSTOP simulates one that removes a large file."""
    monkeypatch.setattr("assay_worker.probe.STOP_WAIT_MS", 300)
    scratch = tmp_path / "scratch"
    target = installation.target(installation.local_host(), scratch)
    run_id = installation.launch(target, repeats=50, **SLOW)
    thread = threading.Thread(target=drive, args=[run_id])
    thread.start()
    wait_until(lambda: installation.run(run_id).trials_done >= 1)
    installation.signal_probe(run_id, signal.SIGSTOP)
    installation.cancel(run_id)
    thread.join(10)
    run = installation.run(run_id)
    assert run.state == "running"
    assert (run.state_reason or "").startswith("Stopping: ")
    assert "stuck" not in installation.notices(run_id)
    assert installation.reservations(run_id) != []
    installation.signal_probe(run_id, signal.SIGCONT)
    installation.drive_to_the_end(run_id)
    assert installation.run(run_id).state == "cancelled"
    assert_nothing_stays(tmp_path, scratch)


def test_a_run_continues_after_an_upgrade(installation: Installation, tmp_path: Path) -> None:
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    run_id = installation.launch(target, repeats=14, **SLOW)
    old = installation.start_worker(), installation.start_scheduler()
    wait_until(lambda: installation.run(run_id).trials_done >= 1)
    for process in old:
        process.terminate()
    for process in old:
        process.wait(5)
    assert installation.run(run_id).owner is None, "let go at once"
    installation.start_worker()
    installation.start_scheduler()
    wait_until(is_over(installation, run_id), 40)
    assert_complete(installation, run_id)
    assert len(installation.attempts(run_id)) == 14


def test_runs_continue_after_the_queue_lost_its_data(
    installation: Installation, tmp_path: Path, queue: str
) -> None:
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    run_id = installation.launch(target)
    client = redis.Redis.from_url(queue)
    assert dispatch() == [run_id]
    client.flushall()
    with writing() as session:
        session.get_one(Run, run_id).retry_at = now()
    installation.start_worker()
    installation.start_scheduler()
    wait_until(is_over(installation, run_id), 30)
    assert_complete(installation, run_id)


def test_an_internal_error_is_reported_and_the_run_continues(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    run_id = installation.launch(target)
    with monkeypatch.context() as patch:
        patch.setattr("assay_worker.driver.finish.plan", None)
        drive(run_id)
    run = installation.run(run_id)
    assert "Internal error" in (run.state_reason or "")
    installation.drive_to_the_end(run_id)
    assert_complete(installation, run_id)


@pytest.mark.parametrize("broken", ["finish.goes_on", "prepare.start"])
def test_a_repeated_internal_error_fails_the_run(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    monkeypatch.setattr("assay_worker.driver.failures.FIRST_PAUSE_S", 0.0)
    monkeypatch.setattr(f"assay_worker.driver.{broken}", None)
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    run_id = installation.launch(target)
    installation.drive_to_the_end(run_id)
    run = installation.run(run_id)
    assert run.state == "failed"
    assert run.error is not None
    assert run.error["code"] == "internal"
    assert installation.notices(run_id).count("internal") <= MOST_TRIES + 2
    assert installation.reservations(run_id) == []
    wait_until(lambda: not probes_of(tmp_path), 5)


def test_an_internal_error_during_cleanup_does_not_fail_a_measured_run(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay_worker.driver.failures.FIRST_PAUSE_S", 0.0)
    monkeypatch.setattr("assay_worker.driver.finish.finish", None)
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    run_id = installation.launch(target)
    installation.drive_to_the_end(run_id)
    run = installation.run(run_id)
    assert (run.state, run.error) == ("done", None)
    assert "not_swept" in installation.notices(run_id)
    assert installation.notices(run_id).count("internal") <= MOST_TRIES + 2
    assert installation.reservations(run_id) == []
    wait_until(lambda: not probes_of(tmp_path), 5)


def test_repeated_database_errors_fail_the_run(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise DataError("INSERT", {}, ValueError("out of range"))

    monkeypatch.setattr("assay_worker.driver.failures.FIRST_PAUSE_S", 0.0)
    monkeypatch.setattr("assay_worker.driver.batch_writer.ingest_all", refuse)
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    run_id = installation.launch(target)
    installation.drive_to_the_end(run_id)
    assert installation.run(run_id).state == "failed"
    assert_nothing_stays(tmp_path, tmp_path / "scratch")
