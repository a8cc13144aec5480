"""The doorbell for a run's driver: one message each, which may get lost or come twice."""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, or_, update
from sqlalchemy.orm import Session

from assay.db.clock import moment
from assay.messaging.queue import enqueue
from assay.runs.models import Run

DRIVE_RUN = "assay.drive_run"
RING_AGAIN = timedelta(seconds=10)
"""A message that nobody answered is missed after this time, and the reconciler rings again."""

LONGEST_REST = timedelta(minutes=1)
"""Nobody lets a run rest for longer: a later `retry_at` was written by a clock since set back."""


def rests(retry_at: datetime | None, present: datetime) -> bool:
    """Whether a run is not to be tried yet."""
    return retry_at is not None and present < retry_at <= present + LONGEST_REST


def is_due() -> ColumnElement[bool]:
    """The opposite of `rests`, for the database."""
    return or_(
        Run.retry_at.is_(None), Run.retry_at <= moment(), Run.retry_at > moment(LONGEST_REST)
    )


def ring(session: Session, *run_ids: int) -> None:
    """Ask for drivers of active runs once `session` has committed."""
    if not run_ids:
        return
    session.execute(
        update(Run)
        .where(Run.id.in_(run_ids))
        .values(retry_at=moment(RING_AGAIN))
        .execution_options(synchronize_session=False)
    )
    for run_id in run_ids:
        enqueue(DRIVE_RUN, run_id, after=session)
