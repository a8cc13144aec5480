"""Deletion of hosts: rejected while runs use the host; its results stay readable.

A worker first removes Assay's files from the host, on a best-effort basis: the host may be gone for
good. The audit log has the outcome. If a host's directory setting changes, the previous directory
is removed in the same way.
"""

from typing import Any

from sqlalchemy import delete as delete_rows
from sqlalchemy import exists, or_, select, update
from sqlalchemy.orm import Session

from assay.access.audit import record
from assay.base.errors import Conflict
from assay.base.identity import Identity
from assay.inventory.hosts import checks, lifecycle
from assay.inventory.hosts.jump_hosts import check_unused
from assay.inventory.use import unended
from assay.tables.clock import moment, now
from assay.tables.hosts import Host
from assay.tables.runs import FormerPlace, Participant, Run
from assay.tables.targets import Target


class HostBusy(Conflict):
    """Runs use the host."""

    code, title = "host_busy", "Queued or active runs use this host"

    def __init__(self, runs: list[int]) -> None:
        """List the runs."""
        listed = ", ".join(str(run) for run in runs)
        super().__init__(f"Runs {listed} use it.", "Cancel their campaigns or wait until they end.")
        self.runs = runs

    @property
    def facts(self) -> dict[str, Any]:
        """The runs, in machine-readable form."""
        return {"runs": self.runs}


def check_free(session: Session, host_id: int) -> None:
    """Raise HostBusy if a run on the host has not ended."""
    if busy := unended(session, host_id=host_id):
        raise HostBusy(busy)


UNINSTALL = "uninstall"
"""The kind of check that removes Assay's directory from a host that is being deleted."""

CLEANUP = "cleanup"
"""The kind of check that removes Assay's previous directory from a host that stays."""

WORKER = Identity("worker", "operator", "local")


def delete(session: Session, host: Host) -> None:
    """Delete the host; if it has results, its row stays under a changed name.

    The state becomes `deleting` first, so that launches on its targets are rejected. Raises
    HostBusy or JumpHostInUse.
    """
    check_free(session, host.id)
    check_unused(session, host.id)
    host.state = lifecycle.DELETING
    host.name = f"{host.name} (deleted, {host.id})"[:200]
    host.retired_at = now(session)
    session.execute(
        update(Target)
        .where(Target.host_id == host.id, Target.retired_at.is_(None))
        .values(retired_at=moment())
    )
    session.flush()
    if _has_directory(host):
        checks.ask(session, host.id, UNINSTALL, {"folder": host.probe_dir})
    else:
        _remove(session, host)


def clean_up_directory(session: Session, host: Host, folder: str | None) -> None:
    """Request the removal of Assay's files from `folder`; None is the default directory."""
    if _has_directory(host):
        checks.ask(session, host.id, CLEANUP, {"folder": folder})


def complete_deletion(session: Session, host: Host, problem: str | None) -> None:
    """Delete the host after the uninstallation; `problem` says what remains on it, if anything."""
    record_cleanup(session, host, problem)
    _remove(session, host)


def record_cleanup(session: Session, host: Host, problem: str | None) -> None:
    """Record in the audit log that a directory was removed, or why not."""
    what = f"host {host.id} {host.name}"
    if problem is None:
        record(session, WORKER, "host.cleared", what)
    else:
        record(session, WORKER, "host.not_cleared", what, reason=problem)


def _has_directory(host: Host) -> bool:
    return host.connection == "ssh" and host.last_seen_at is not None


def _remove(session: Session, host: Host) -> None:
    host.credential_id = host.jump_host_id = None
    session.flush()
    targets = select(Target.id).where(Target.host_id == host.id)
    measured = exists().where(Participant.host_id == host.id)
    read_back = exists().where(Run.read_back_target_id.in_(targets))
    # its runs belong to another host or target now, which can be undone
    taken_over = exists().where(
        or_(FormerPlace.host_id == host.id, FormerPlace.target_id.in_(targets))
    )
    if not session.scalar(select(or_(measured, read_back, taken_over))):
        session.execute(delete_rows(Target).where(Target.host_id == host.id))
        session.execute(delete_rows(Host).where(Host.id == host.id))
