"""Deleting a host: refused while it is needed; what was measured on it stays readable.

What Assay left on the host is removed by a worker first, as well as it goes: the host may be gone
for ever. The audit log says how that ended. A folder that a host is told to use no more is cleared
in the same way.
"""

from sqlalchemy import delete as delete_rows
from sqlalchemy import exists, select, update
from sqlalchemy.orm import Session

from assay.accounts.audit import record
from assay.accounts.identity import Identity
from assay.db.clock import moment
from assay.hosts import checks, lifecycle
from assay.hosts.busy import check_free
from assay.hosts.models import Host
from assay.runs.models import Participant
from assay.targets.models import Target

FAREWELL = "farewell"
"""The kind of check that removes Assay's folder from a host, which is forgotten then."""

CLEARING = "clearing"
"""The kind of check that removes Assay's former folder from a host that stays."""

WORKER = Identity("worker", "operator", "local")


def delete(session: Session, host: Host) -> None:
    """Take the host out of use; its row stays, under a freed name, when it has results.

    Raises HostBusy. From here on the host is `deleting`, and launches on its targets are refused.
    """
    check_free(session, host.id)
    host.state = lifecycle.DELETING
    host.name = f"{host.name} (deleted, {host.id})"[:200]
    session.execute(
        update(Target)
        .where(Target.host_id == host.id, Target.retired_at.is_(None))
        .values(retired_at=moment())
    )
    session.flush()
    if _has_folder(host):
        checks.ask(session, host.id, FAREWELL, {"folder": host.probe_dir})
    else:
        _forget(session, host)


def leave_folder(session: Session, host: Host, folder: str | None) -> None:
    """Have a worker remove what Assay left in the host's former folder; None is its default."""
    if _has_folder(host):
        checks.ask(session, host.id, CLEARING, {"folder": folder})


def part(session: Session, host: Host, problem: str | None) -> None:
    """The farewell is over: forget the host."""
    note_cleared(session, host, problem)
    _forget(session, host)


def note_cleared(session: Session, host: Host, problem: str | None) -> None:
    """Say in the audit log that a folder was removed, or why something stays there."""
    what = f"host {host.id} {host.name}"
    if problem is None:
        record(session, WORKER, "host.cleared", what)
    else:
        record(session, WORKER, "host.not_cleared", what, reason=problem)


def _has_folder(host: Host) -> bool:
    return host.connection == "ssh" and host.last_seen_at is not None


def _forget(session: Session, host: Host) -> None:
    host.credential_id = None
    session.flush()
    if not session.scalar(select(exists().where(Participant.host_id == host.id))):
        session.execute(delete_rows(Target).where(Target.host_id == host.id))
        session.execute(delete_rows(Host).where(Host.id == host.id))
