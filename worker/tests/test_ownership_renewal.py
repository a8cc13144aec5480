"""The validity of an ownership by its worker's own clock."""

import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest
from assay.runs.lifecycle import take_ownership
from assay.tables.database import now, writing
from assay.tables.runs import Run
from assay_worker import background, ownership_renewal
from testing.installation import BOTH, SLOW, Installation, drive, wait_until


@pytest.fixture(autouse=True)
def short(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_OWNERSHIP_SECONDS", "3")
    installation.reread_settings()


@BOTH
def test_an_ownership_is_valid_until_its_end_and_renewal_extends_it(
    installation: Installation,
) -> None:
    run_id = installation.launch(installation.target_row(installation.local_host()))
    with writing() as session:
        session.get_one(Run, run_id).state = "running"
    with writing() as session:
        own = take_ownership(session, run_id, "a")
    assert own is not None
    assert not ownership_renewal.is_valid(own)
    with ownership_renewal.renewed(own, time.monotonic() - 10):
        assert not ownership_renewal.is_valid(own)
        ownership_renewal.renew_all()
        assert ownership_renewal.is_valid(own)
        with writing() as session:  # one transaction: a renewal may come at any time
            session.get_one(Run, run_id).owned_until = now() - timedelta(seconds=1)
            session.flush()
            assert take_ownership(session, run_id, "b") is not None
        ownership_renewal.renew_all()
        assert not ownership_renewal.is_valid(own)
    assert not ownership_renewal.is_valid(own)


def test_an_idle_renewal_thread_does_not_sleep_through_a_short_ownership(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pause is counted from the first claim, not from the end of the last one."""
    run_id = installation.launch(installation.target_row(installation.local_host()))
    monkeypatch.setattr(ownership_renewal, "_thread", lambda: None)
    monkeypatch.setenv("ASSAY_OWNERSHIP_SECONDS", "300")
    installation.reread_settings()
    idle, over = threading.Event(), threading.Event()

    def pause() -> bool:
        idle.set()
        ownership_renewal._pause()
        return over.is_set()

    thread = background.repeat("renewal", ownership_renewal.renew_all, pause)
    assert idle.wait(10)
    time.sleep(0.2)  # a pause that begins without a claim has begun now
    monkeypatch.setenv("ASSAY_OWNERSHIP_SECONDS", "3")
    installation.reread_settings()
    with writing() as session:
        session.get_one(Run, run_id).state = "running"
        session.flush()
        own = take_ownership(session, run_id, "a")
    assert own is not None
    with ownership_renewal.renewed(own, time.monotonic()):
        end = time.monotonic() + 4
        while time.monotonic() < end:
            assert ownership_renewal.is_valid(own)
            time.sleep(0.1)
        over.set()
        thread.join(10)
    assert not thread.is_alive()


def test_a_follower_without_renewal_stops_before_the_run_can_be_taken(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ownership_renewal, "renew_all", lambda: None)
    target = installation.target(installation.local_host(), tmp_path / "disk")
    run_id = installation.launch(target, **SLOW, repeats=60)
    generations: list[int] = []

    def drive_and_look() -> None:
        drive(run_id)
        generations.append(installation.run(run_id).generation)

    driving = threading.Thread(target=drive_and_look)
    driving.start()
    driving.join(30)
    assert generations == [1]
    run = installation.run(run_id)
    assert (run.state, run.owner) == ("running", None)
    installation.cancel(run_id)
    installation.drive_to_the_end(run_id)
    wait_until(lambda: installation.run(run_id).state == "cancelled")
