"""A login that a host accepted before is tried again for a minute, and a new one is not."""

from pathlib import Path

import asyncssh
from assay.tables.database import now, writing
from assay.tables.hosts import Host
from testing.installation import Installation, drive, try_now
from testing.sshd import Sshd

OTHER = asyncssh.generate_private_key("ssh-ed25519").export_public_key()


def reject(server: Sshd) -> bytes:
    """Make the host reject its credential; returns the keys that it accepted."""
    keys = server.folder / "authorized_keys"
    accepted = keys.read_bytes()
    keys.write_bytes(OTHER)
    return accepted


def launched(installation: Installation, server: Sshd, folder: Path, *, known: bool) -> int:
    host = installation.ssh_host(server)
    run = installation.launch(installation.target(host, folder / "scratch"))
    with writing() as session:
        session.get_one(Host, host).last_seen_at = now() if known else None
    return run


def test_a_run_waits_for_a_login_that_is_rejected_for_a_moment(
    installation: Installation, sshd: Sshd, tmp_path: Path
) -> None:
    run = launched(installation, sshd, tmp_path, known=True)
    accepted = reject(sshd)
    drive(run)
    waiting = installation.run(run)
    assert (waiting.state, waiting.error) == ("preparing", None)
    assert (waiting.state_reason or "").startswith("The host rejected the login: ")
    assert "(retrying)" in (waiting.state_reason or "")
    (sshd.folder / "authorized_keys").write_bytes(accepted)
    try_now(run)
    installation.drive_to_the_end(run)
    done = installation.run(run)
    assert (done.state, done.state_reason) == ("done", None)
    host = installation.host(installation.participant(run).host_id)
    assert (host.state, host.state_reason) == ("ready", None)


def test_a_login_that_stays_rejected_fails_the_run_with_the_number_of_attempts(
    installation: Installation, sshd: Sshd, tmp_path: Path
) -> None:
    run = launched(installation, sshd, tmp_path, known=True)
    reject(sshd)
    drive(run)
    for attempt in range(2, 9):
        assert installation.run(run).state == "preparing", attempt
        try_now(run)
    failed = installation.run(run)
    assert failed.state == "failed"
    assert failed.error is not None and failed.error["code"] == "auth_failed"
    assert "8 attempts, although Assay has reached the host before" in failed.error["detail"]
    assert installation.reservations(run) == []


def test_a_login_that_was_never_accepted_fails_the_run_at_once(
    installation: Installation, sshd: Sshd, tmp_path: Path
) -> None:
    run = launched(installation, sshd, tmp_path, known=False)
    reject(sshd)
    drive(run)
    failed = installation.run(run)
    assert failed.state == "failed"
    assert failed.error is not None and "attempts" not in failed.error["detail"]
