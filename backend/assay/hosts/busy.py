"""Runs that need a host as it is."""

from typing import Any

from sqlalchemy.orm import Session

from assay.http.errors import Conflict
from assay.runs.queries import unended


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


def check_free(session: Session, host_id: int) -> None:
    """Raise HostBusy when a run that has not ended needs the host."""
    if busy := unended(session, host_id=host_id):
        raise HostBusy(busy)
