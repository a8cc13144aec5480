"""Uninstallation from a deleted host: nothing of Assay remains, if the host is reachable."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from assay.inventory.hosts.deletion import clean_up_directory, delete
from assay.tables.accounts import AuditEntry
from assay.tables.database import now, reading, writing
from assay.tables.hosts import Check, Host
from assay_worker import scheduler
from assay_worker.connectors import ssh
from assay_worker.scheduler import reconcile_checks
from sqlalchemy import select, update
from testing.installation import Installation, run_check
from testing.sshd import Sshd


def leave(host_id: int) -> int:
    """Delete a host as the API does; return the check that uninstalls."""
    with writing() as session:
        delete(session, session.get_one(Host, host_id))
    with reading() as session:
        return session.scalars(select(Check.id).where(Check.kind == "uninstall")).one()


def outcome() -> tuple[str, dict[str, Any]]:
    with reading() as session:
        entry = session.scalars(select(AuditEntry)).one()
        return entry.action, entry.detail


def hosts() -> list[Host]:
    with reading() as session:
        return list(session.scalars(select(Host)))


def cut_off(server: Sshd) -> list[Path]:
    """Return the files of interrupted uploads."""
    return list(server.home.glob(".cache/assay/probe/*/assay-probe.*.new"))


@pytest.fixture
def cut_uploads() -> Iterator[pytest.MonkeyPatch]:
    """Lose the connection when an upload is about to be renamed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssh, "UPLOAD", 'cat > "$1"; kill -9 $PPID')
        yield patch


def test_deleting_a_host_removes_assay_from_it(installation: Installation, sshd: Sshd) -> None:
    host_id = installation.ssh_host(sshd)
    assert installation.check(host_id).error is None
    assert (sshd.home / ".cache/assay/probe").is_dir()
    run_check(leave(host_id))
    assert outcome() == ("host.cleared", {})
    assert hosts() == []
    assert list((sshd.home / ".cache").iterdir()) == []


def test_uninstallation_removes_interrupted_uploads(
    installation: Installation, sshd: Sshd, cut_uploads: pytest.MonkeyPatch
) -> None:
    host_id = installation.ssh_host(sshd)
    for _ in range(2):
        assert installation.check(host_id).error is not None
    of_an_older_probe, _ = cut_off(sshd)
    older = sshd.home / ".cache/assay/probe" / ("0" * 64)
    older.mkdir()
    of_an_older_probe.rename(older / of_an_older_probe.name)
    cut_uploads.undo()
    assert installation.check(host_id).error is None
    assert len(cut_off(sshd)) == 2
    run_check(leave(host_id))
    assert outcome() == ("host.cleared", {})
    assert list((sshd.home / ".cache").iterdir()) == []


def test_old_interrupted_uploads_are_removed(
    installation: Installation, sshd: Sshd, cut_uploads: pytest.MonkeyPatch
) -> None:
    host_id = installation.ssh_host(sshd)
    assert installation.check(host_id).error is not None
    cut_uploads.undo()
    assert installation.check(host_id).error is None
    (rest,) = cut_off(sshd)
    two_hours_ago = time.time() - 7200
    os.utime(rest, (two_hours_ago, two_hours_ago))
    assert installation.check(host_id).error is None
    assert cut_off(sshd) == []
    assert list(sshd.home.glob(".cache/assay/probe/*/assay-probe"))


def test_files_of_others_in_the_configured_directory_are_kept(
    installation: Installation, sshd: Sshd
) -> None:
    folder = sshd.home / "it's mine"
    (folder / "probe" / "notes").mkdir(parents=True)
    (folder / "runs" / "r1-p0-of-another").mkdir(parents=True)
    host_id = installation.ssh_host(sshd, probe_dir=str(folder))
    assert installation.check(host_id).error is None
    run_check(leave(host_id))
    action, detail = outcome()
    assert action == "host.not_cleared"
    assert "it's mine could not be removed" in detail["reason"]
    assert [path.name for path in (folder / "probe").iterdir()] == ["notes"]
    assert [path.name for path in (folder / "runs").iterdir()] == ["r1-p0-of-another"]
    assert hosts() == []


def test_assay_is_removed_only_from_the_previous_directory(
    installation: Installation, sshd: Sshd
) -> None:
    former, new = sshd.home / "former", sshd.home / "new"
    host_id = installation.ssh_host(sshd, probe_dir=str(former))
    assert installation.check(host_id).error is None
    with writing() as session:
        host = session.get_one(Host, host_id)
        host.probe_dir = str(new)
        clean_up_directory(session, host, str(former))
    assert installation.check(host_id).error is None
    assert former.is_dir()
    with reading() as session:
        check_id = session.scalars(select(Check.id).where(Check.kind == "cleanup")).one()
    run_check(check_id)
    assert outcome() == ("host.cleared", {})
    assert not former.exists()
    assert list(new.glob("probe/*/assay-probe"))
    assert installation.host(host_id).state == "ready"


def test_an_unreachable_host_is_deleted_and_the_reason_logged(
    installation: Installation, sshd: Sshd
) -> None:
    host_id = installation.ssh_host(sshd)
    assert installation.check(host_id).error is None
    sshd.stop()
    run_check(leave(host_id))
    action, detail = outcome()
    assert action == "host.not_cleared"
    assert "refused" in detail["reason"]
    assert hosts() == []


def test_without_a_worker_the_host_is_deleted_after_a_timeout(installation: Installation) -> None:
    host_id = installation.local_host()
    with writing() as session:
        host = session.get_one(Host, host_id)
        host.connection, host.last_seen_at = "ssh", now()
    check_id = leave(host_id)
    with writing() as session:
        long_ago = now() - 2 * scheduler.UNANSWERED
        session.execute(update(Check).where(Check.id == check_id).values(created_at=long_ago))
    reconcile_checks()
    assert outcome()[0] == "host.not_cleared"
    assert hosts() == []
    run_check(check_id)  # a message that comes too late
