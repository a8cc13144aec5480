"""The appliance's clock is set back one hour: nothing waits for the hour to pass."""

import time
from datetime import timedelta
from pathlib import Path
from re import fullmatch

import pytest
from assay.inventory.hosts.checks import ask, claim
from assay.tables.database import now, reading, writing
from assay.tables.hosts import Check
from assay.tables.runs import Notice, Run
from assay_worker.scheduler import UNANSWERED, reconcile_checks
from sqlalchemy import select
from testing.assertions import assert_nothing_stays
from testing.installation import SLOW, Installation, drive, is_over, run_check, wait_until
from testing.sshd import Sshd

HOUR = timedelta(hours=1)


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The checks that the scheduler sends wake-ups for; none is answered."""
    ids: list[int] = []

    def enqueue(_task: str, check_id: int, **_after: object) -> None:
        ids.append(check_id)

    monkeypatch.setattr("assay_worker.scheduler.enqueue", enqueue)
    return ids


def opened(host_id: int, ago: timedelta) -> int:
    """A check without an answer; a negative `ago` is in the future."""
    with writing() as session:
        check = Check(host_id=host_id, kind="host", request={}, created_at=now() - ago)
        session.add(check)
        session.flush()
        return check.id


def the_check() -> Check:
    with reading() as session:
        return session.scalars(select(Check)).one()


def move_back(check_id: int, by: timedelta) -> None:
    """Let time pass for a check."""
    with writing() as session:
        session.get_one(Check, check_id).created_at -= by


def test_a_cancelled_lost_run_ends_after_the_watch_deadline(
    installation: Installation, tmp_path: Path, sshd: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_LOST_AFTER_SECONDS", "0.5")
    installation.reread_settings()
    scratch = tmp_path / "scratch"
    target = installation.target(installation.ssh_host(sshd), scratch)
    run_id = installation.launch(target, watch_ms=1500, repeats=100, **SLOW)
    installation.drive_until(run_id, lambda: installation.run(run_id).trials_done >= 1)
    sshd.stop()
    drive(run_id)
    with writing() as session:
        session.get_one(Run, run_id).unreachable_since = now() + HOUR
    set_back = time.monotonic()
    wait_until(lambda: drive(run_id) or installation.condition(run_id) == "lost")
    installation.cancel(run_id)
    wait_until(lambda: drive(run_id) or is_over(installation, run_id)())
    assert time.monotonic() - set_back > 1.5, "a probe may still run there"
    assert installation.run(run_id).state == "cancelled"
    assert_nothing_stays(tmp_path, scratch)


def test_the_unreachable_time_of_a_returning_host_is_not_negative(
    installation: Installation, tmp_path: Path, sshd: Sshd
) -> None:
    target = installation.target(installation.ssh_host(sshd), tmp_path / "scratch")
    run_id = installation.launch(target, repeats=3, **SLOW)
    installation.drive_until(run_id, lambda: installation.run(run_id).trials_done >= 1)
    with writing() as session:
        session.get_one(Run, run_id).unreachable_since = now() + HOUR
        detail = {"condition": "lost"}
        noted = {"level": "warning", "code": "unreachable", "message": "away", "detail": detail}
        session.add(Notice(run_id=run_id, at=now() + 2 * HOUR, **noted))
    installation.drive_to_the_end(run_id)
    told = select(Notice.message).where(Notice.code == "host_returned")
    with reading() as session:
        message = session.scalars(told).one()
    assert fullmatch(r"The host responds again after \d+ s\.", message)


def test_a_queued_check_is_woken_again_and_not_ended_too_early(
    installation: Installation, rung: list[int]
) -> None:
    check_id = opened(installation.local_host(), ago=timedelta(minutes=4) - HOUR)
    reconcile_checks()
    assert the_check().state == "queued"
    move_back(check_id, timedelta(seconds=20))
    reconcile_checks()
    assert rung == [check_id]
    move_back(check_id, UNANSWERED)
    reconcile_checks()
    assert (the_check().error or {})["code"] == "no_worker"


def test_a_check_whose_worker_died_is_answered_by_another(
    installation: Installation, rung: list[int]
) -> None:
    check_id = opened(installation.local_host(), ago=-HOUR)
    with writing() as session:
        assert claim(session, check_id, "the dead worker")
        session.get_one(Check, check_id).owned_until = now() + HOUR
    reconcile_checks()
    assert rung == [check_id]
    run_check(check_id)
    assert (the_check().state, the_check().error) == ("ok", None)


def test_an_unanswered_check_is_replaced_by_a_new_one(
    installation: Installation, rung: list[int]
) -> None:
    host_id = installation.local_host()
    check_id = opened(host_id, ago=-HOUR)
    reconcile_checks()
    with writing() as session:
        assert ask(session, host_id, "host", {}).id == check_id
    move_back(check_id, timedelta(minutes=3))
    with writing() as session:
        assert ask(session, host_id, "host", {}).id != check_id
