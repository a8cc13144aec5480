"""A run from launch to end, on the local machine and by SSH."""

import threading
from pathlib import Path

import pytest
from assay_worker.driver import run as driver
from testing.assertions import assert_complete, assert_nothing_stays, assert_record_is_whole
from testing.exports import assert_exported
from testing.installation import (
    BOTH,
    MB,
    SLOW,
    Installation,
    dispatch,
    drive,
    files_below,
    shut_down,
    wait_until,
)
from testing.sshd import Sshd

HOSTILE = 'it\'s "a" $(touch pwned) `id`\nnew line ümläut ☃ %41 & ;'


@BOTH
def test_a_run_on_this_machine_is_measured_stored_and_removed(
    installation: Installation, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    target = installation.target(installation.local_host(), scratch)
    run_id = installation.launch(target, block=[65536, MB], threads=[1, 2], repeats=2)
    drive(run_id)
    assert_complete(installation, run_id)
    assert_exported(run_id)
    assert_nothing_stays(tmp_path, scratch)
    assert files_below([installation.home / "runs"]) == []
    participant = installation.participant(run_id)
    assert participant.inventory_id is not None
    assert participant.hello is not None
    assert participant.swept_at is not None
    run = installation.run(run_id)
    assert run.created_at <= run.started_at <= run.ended_at  # pyright: ignore
    assert run.owner is None


@BOTH
def test_a_run_by_ssh_is_measured_stored_and_removed(
    installation: Installation, sshd: Sshd, tmp_path: Path
) -> None:
    scratch = tmp_path / HOSTILE
    host = installation.ssh_host(sshd, name=HOSTILE)
    run_id = installation.launch(installation.target(host, scratch), repeats=2)
    drive(run_id)
    assert_complete(installation, run_id)
    assert_nothing_stays(tmp_path, scratch)
    assert files_below([sshd.home / ".cache/assay/runs"]) == []
    assert not list(tmp_path.rglob("pwned"))


def test_a_read_run_is_measured(installation: Installation, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    target = installation.target(installation.local_host(), scratch)
    run_id = installation.launch(target, operation="read", repeats=2, threads=[1, 2])
    drive(run_id)
    assert_complete(installation, run_id)
    assert_nothing_stays(tmp_path, scratch)


def test_all_trials_of_a_read_run_use_one_set_of_files(
    installation: Installation, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    target = installation.target(installation.local_host(), scratch)
    run_id = installation.launch(
        target, operation="read", block=[65536, 2**20], threads=[1, 2], files=2
    )
    drive(run_id)
    assert_complete(installation, run_id)
    assert installation.notices(run_id).count("prepared") == 1
    assert_nothing_stays(tmp_path, scratch)


def test_a_duplicate_message_measures_once(installation: Installation, tmp_path: Path) -> None:
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    run_id = installation.launch(target, repeats=3)
    drive(run_id)
    before = installation.participant(run_id).offset
    drive(run_id)
    assert installation.participant(run_id).offset == before
    assert_complete(installation, run_id)


@BOTH
def test_only_one_of_two_workers_drives_a_run(installation: Installation, tmp_path: Path) -> None:
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    run_id = installation.launch(target, repeats=4, **SLOW)
    threads = [threading.Thread(target=drive, args=[run_id]) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert_complete(installation, run_id)
    assert installation.run(run_id).generation == 1


def test_a_run_released_by_many_workers_is_measured_once(
    installation: Installation, tmp_path: Path
) -> None:
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    run_id = installation.launch(target, repeats=4, **SLOW)
    for trials in (1, 2, 3):
        installation.drive_until(run_id, lambda: installation.run(run_id).trials_done >= trials)  # noqa: B023
    installation.drive_to_the_end(run_id)
    assert installation.run(run_id).generation == 4
    assert_complete(installation, run_id)
    assert len(installation.attempts(run_id)) == 4


def test_a_worker_releases_its_runs_at_shutdown(installation: Installation, tmp_path: Path) -> None:
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    run_id = installation.launch(target, repeats=6, **SLOW)
    thread = threading.Thread(target=drive, args=[run_id])
    thread.start()
    wait_until(lambda: installation.run(run_id).state == "running")
    shut_down()
    thread.join(3)
    assert not thread.is_alive()
    run = installation.run(run_id)
    assert (run.state, run.owner) == ("running", None)
    installation.drive_to_the_end(run_id)
    assert_complete(installation, run_id)


def test_a_worker_claims_nothing_during_shutdown(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = installation.launch(installation.target_row(installation.local_host()))
    assert dispatch() == [run_id]
    monkeypatch.setattr(driver, "stopping", threading.Event())
    driver.stopping.set()
    driver.begin(run_id)
    assert installation.run(run_id).owner is None


@pytest.mark.parametrize("by_ssh", [False, True], ids=["here", "by ssh"])
def test_a_cancelled_run_leaves_no_process_and_no_file_but_keeps_what_was_measured(
    installation: Installation, tmp_path: Path, sshd: Sshd, by_ssh: bool
) -> None:
    scratch = tmp_path / "scratch"
    host = installation.ssh_host(sshd) if by_ssh else installation.local_host()
    run_id = installation.launch(installation.target(host, scratch), repeats=50, **SLOW)
    thread = threading.Thread(target=installation.drive_to_the_end, args=[run_id])
    thread.start()
    wait_until(lambda: installation.run(run_id).trials_done >= 2)
    installation.cancel(run_id)
    thread.join(40)
    run = installation.run(run_id)
    assert (run.state, run.error) == ("cancelled", None)
    assert 2 <= run.trials_done < 50
    assert_record_is_whole(installation, run_id)
    assert_nothing_stays(tmp_path, scratch)
    assert installation.reservations(run_id) == []


def test_a_run_cancelled_before_its_start_never_connects_to_its_host(
    installation: Installation, tmp_path: Path
) -> None:
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    run_id = installation.launch(target)
    installation.cancel(run_id)
    drive(run_id)
    assert installation.run(run_id).state == "cancelled"
    assert installation.participant(run_id).run_dir is None


def test_a_direct_write_bypasses_the_page_cache_if_supported(
    installation: Installation, tmp_path: Path
) -> None:
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    run_id = installation.launch(target, cache="direct_if_real")
    drive(run_id)
    assert_complete(installation, run_id)
