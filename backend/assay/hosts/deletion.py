"""Deleting a host: refused while it is needed; what was measured on it stays readable.

What Assay left on the host is removed by a worker first, as well as it goes: the host may be gone
for ever. The audit log says how that ended.
"""

from sqlalchemy import delete as delete_rows
from sqlalchemy import exists, select, update
from sqlalchemy.orm import Session

from assay.accounts.audit import record
from assay.accounts.identity import Identity
from assay.database import now
from assay.hosts import checks, lifecycle
from assay.hosts.busy import check_free
from assay.hosts.models import Host
from assay.runs.models import Participant
from assay.targets.models import Target

FAREWELL = "farewell"
"""The kind of check that removes Assay's folder from a host."""

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
        .values(retired_at=now())
    )
    session.flush()
    if host.connection == "ssh" and host.last_seen_at is not None:
        checks.ask(session, host.id, FAREWELL, {})
    else:
        _forget(session, host)


def part(session: Session, host: Host, problem: str | None) -> None:
    """The farewell is over: forget the host, and say in the audit log what stays there, if so."""
    what = f"host {host.id} {host.name}"
    if problem is None:
        record(session, WORKER, "host.cleared", what)
    else:
        record(session, WORKER, "host.not_cleared", what, reason=problem)
    _forget(session, host)


def _forget(session: Session, host: Host) -> None:
    host.credential_id = None
    session.flush()
    if not session.scalar(select(exists().where(Participant.host_id == host.id))):
        session.execute(delete_rows(Target).where(Target.host_id == host.id))
        session.execute(delete_rows(Host).where(Host.id == host.id))
