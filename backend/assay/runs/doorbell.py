"""The doorbell for a run's driver: one message, which may get lost or come twice."""

from datetime import timedelta

from sqlalchemy import update
from sqlalchemy.orm import Session

from assay.database import now
from assay.queue import enqueue
from assay.runs.models import Run

DRIVE_RUN = "assay.drive_run"
RING_AGAIN = timedelta(seconds=10)
"""A message that nobody answered is missed after this time, and the reconciler rings again."""


def ring(session: Session, run_id: int) -> None:
    """Ask for a driver of an active run once `session` has committed."""
    session.execute(
        update(Run)
        .where(Run.id == run_id)
        .values(retry_at=now() + RING_AGAIN)
        .execution_options(synchronize_session=False)
    )
    enqueue(DRIVE_RUN, run_id, after=session)
