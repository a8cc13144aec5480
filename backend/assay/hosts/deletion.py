"""Deleting a host: refused while it is needed; what was measured on it stays readable."""

from typing import Any

from sqlalchemy import delete as delete_rows
from sqlalchemy import exists, select, update
from sqlalchemy.orm import Session

from assay.database import now
from assay.errors import Conflict
from assay.hosts import lifecycle
from assay.hosts.models import Host
from assay.runs import lifecycle as run_lifecycle
from assay.runs.models import Participant, Run
from assay.targets.models import Target


class HostBusy(Conflict):
    """Runs need the host."""

    code, title = "host_busy", "Runs wait for this host or are active there"

    def __init__(self, runs: list[int]) -> None:
        """Name the runs."""
        listed = ", ".join(str(run) for run in runs)
        super().__init__(f"Runs {listed} need it. Cancel their campaigns, or wait for their end.")
        self.runs = runs

    @property
    def facts(self) -> dict[str, Any]:
        """The runs, for a program."""
        return {"runs": self.runs}


def delete(session: Session, host: Host) -> None:
    """Take the host out of use; its row stays, under a freed name, when it has results.

    Raises HostBusy. From here on the host is `deleting`, and launches on its targets are refused.
    """
    busy = session.scalars(
        select(Run.id)
        .join(Participant, Participant.run_id == Run.id)
        .where(Participant.host_id == host.id, Run.state.not_in(run_lifecycle.FINAL))
        .order_by(Run.id)
    ).all()
    if busy:
        raise HostBusy(list(busy))
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
