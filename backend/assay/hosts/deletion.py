"""Deleting a host: refused while it is needed; what was measured on it stays readable."""

from sqlalchemy import delete as delete_rows
from sqlalchemy import exists, select, update
from sqlalchemy.orm import Session

from assay.database import now
from assay.hosts import lifecycle
from assay.hosts.busy import check_free
from assay.hosts.models import Host
from assay.runs.models import Participant
from assay.targets.models import Target


def delete(session: Session, host: Host) -> None:
    """Take the host out of use; its row stays, under a freed name, when it has results.

    Raises HostBusy. From here on the host is `deleting`, and launches on its targets are refused.
    """
    check_free(session, host.id)
    if session.scalar(select(exists().where(Participant.host_id == host.id))):
        host.state = lifecycle.DELETING
        host.name = f"{host.name} (deleted, {host.id})"[:200]
        host.credential_id = None
        session.execute(
            update(Target)
            .where(Target.host_id == host.id, Target.retired_at.is_(None))
            .values(retired_at=now())
        )
    else:
        session.execute(delete_rows(Target).where(Target.host_id == host.id))
        session.execute(delete_rows(Host).where(Host.id == host.id))
