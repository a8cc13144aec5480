"""Protection of hosts that runs use."""

from typing import Any

from sqlalchemy.orm import Session

from assay.http.errors import Conflict
from assay.runs.queries import unended


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
