"""A run whose host is unreachable keeps its state; *lost* is an additional condition."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from assay.tables.database import now, writing
from assay.tables.runs import Run
from assay_worker.errors import ConnectionLostError
from assay_worker.probe import Probe
from testing.assertions import assert_complete, assert_nothing_stays
from testing.installation import Installation, drive, is_over, wait_until
from testing.sshd import Sshd

Answer = dict[str, Any]


@pytest.fixture
def lost_answers(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The directories whose `sweep --forget` was executed but its response lost: at most one."""
    folders: list[str] = []
    sweep = Probe.sweep

    async def swept(self: Probe, forget: str | None = None) -> Answer:
        answer = await sweep(self, forget)
        if forget is not None and not folders:
            folders.append(forget)
            raise ConnectionLostError("the response to sweep was lost")
        return answer

    monkeypatch.setattr(Probe, "sweep", swept)
    return folders


@pytest.fixture
def measured(
    installation: Installation,
    tmp_path: Path,
    sshd: Sshd,
    lost_answers: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> int:
    """A fully measured run that is finishing on a lost host, whose run directory is removed."""
    monkeypatch.setenv("ASSAY_LOST_AFTER_SECONDS", "0.001")
    installation.reread_settings()
    target = installation.target(installation.ssh_host(sshd), tmp_path / "scratch")
    run_id = installation.launch(target, repeats=2, file_size=100_000)
    installation.drive_until(run_id, lambda: lost_answers)
    sshd.stop()
    wait_until(lambda: drive(run_id) or installation.condition(run_id) == "lost")
    return run_id


def test_a_measured_run_ends_done_although_the_response_to_its_sweep_was_lost(
    installation: Installation, tmp_path: Path, sshd: Sshd, measured: int
) -> None:
    assert installation.run(measured).state == "finishing"
    sshd.start()
    installation.drive_to_the_end(measured)
    assert_complete(installation, measured)
    assert installation.condition(measured) is None
    assert installation.notices(measured).count("host_returned") == 1
    assert_nothing_stays(tmp_path, tmp_path / "scratch")


def test_a_measured_run_ends_done_although_its_host_never_returns(
    installation: Installation, measured: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_FAILED_AFTER_HOURS", "0.0000001")
    installation.reread_settings()
    wait_until(lambda: drive(measured) or is_over(installation, measured)())
    run = installation.run(measured)
    assert (run.state, run.error) == ("done", None)
    assert "not_swept" in installation.notices(measured)
    assert installation.reservations(measured) == []


def test_a_stored_run_ends_done_although_its_directory_is_missing(
    installation: Installation, sshd: Sshd, measured: int
) -> None:
    with writing() as session:  # as if its worker had died before it stored the end
        session.get_one(Run, measured).state = "running"
    sshd.start()
    installation.drive_to_the_end(measured)
    assert_complete(installation, measured)


def test_a_measured_run_cancelled_while_its_host_is_unreachable_ends_by_its_record(
    installation: Installation, measured: int
) -> None:
    with writing() as session:
        run = session.get_one(Run, measured)
        run.unreachable_since = now() - timedelta(hours=1)  # its probe has ended by itself
    installation.cancel(measured)
    wait_until(lambda: drive(measured) or is_over(installation, measured)())
    assert installation.run(measured).state == "done"
    assert "not_swept" in installation.notices(measured)
