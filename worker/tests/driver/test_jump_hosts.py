"""Runs on hosts behind a jump host."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from testing.installation import SLOW, Installation, drive, wait_until
from testing.sshd import Sshd


@pytest.fixture
def bastion(tmp_path: Path) -> Iterator[Sshd]:
    server = Sshd(tmp_path / "bastion")
    server.start()
    yield server
    server.stop()


def test_a_run_survives_a_restart_of_the_jump_host(
    installation: Installation, sshd: Sshd, bastion: Sshd, tmp_path: Path
) -> None:
    jump = installation.ssh_host(bastion, name="bastion")
    host = installation.ssh_host(sshd, jump_host_id=jump)
    run = installation.launch(installation.target(host, tmp_path / "disk"), **SLOW, repeats=4)
    installation.drive_until(run, lambda: installation.running_attempt(run) is not None)
    bastion.stop()
    bastion.start()
    installation.drive_to_the_end(run)
    assert installation.run(run).state == "done"
    counted = [one for one in installation.attempts(run) if one.status == "timed_out"]
    assert len({one.trial_id for one in counted}) == 4, "each trial ran for its whole time"
    assert "Accepted" in (bastion.folder / "log").read_text()
    wait_until(lambda: not list((sshd.home / ".cache/assay/runs").glob("*/lock")))


def test_a_run_whose_jump_host_is_away_waits_and_names_it(
    installation: Installation, sshd: Sshd, bastion: Sshd, tmp_path: Path
) -> None:
    jump = installation.ssh_host(bastion, name="bastion")
    host = installation.ssh_host(sshd, jump_host_id=jump)
    run = installation.launch(installation.target(host, tmp_path / "disk"), **SLOW, repeats=1)
    bastion.stop()
    drive(run)
    row = installation.run(run)
    assert row.state == "queued"
    assert row.waits_for is not None
    assert row.waits_for["kind"] == "host_away"
    assert "jump host bastion: The connection was refused" in row.waits_for["what"]
