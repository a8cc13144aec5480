"""Wake-ups for the drivers of runs: messages that may get lost or arrive twice."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, or_, update
from sqlalchemy.orm import Session

from assay.base.messaging.queue import enqueue
from assay.runs.scheduling.capacity import queue_of
from assay.tables.clock import moment
from assay.tables.database import among
from assay.tables.runs import Run

DRIVE_RUN, DISPATCH = "assay.drive_run", "assay.dispatch"
WAKE_AGAIN = timedelta(seconds=10)
"""A wake-up without effect after this time is considered lost; the reconciler sends another."""

LONGEST_REST = timedelta(minutes=1)
"""No retry is later: a later `retry_at` was written before the clock was set back."""


def rests(retry_at: datetime | None, present: datetime) -> bool:
    """Return whether the retry of a run is not due yet."""
    return retry_at is not None and present < retry_at <= present + LONGEST_REST


def is_due() -> ColumnElement[bool]:
    """Return SQL for the opposite of `rests`."""
    return or_(
        Run.retry_at.is_(None), Run.retry_at <= moment(), Run.retry_at > moment(LONGEST_REST)
    )


def wake(session: Session, workers: Mapping[int, str]) -> None:
    """Wake the given worker of each active run after `session` has committed."""
    if not workers:
        return
    session.execute(
        update(Run)
        .where(among(session, Run.id, workers))
        .values(retry_at=moment(WAKE_AGAIN))
        .execution_options(synchronize_session=False)
    )
    for run_id, worker in workers.items():
        enqueue(DRIVE_RUN, run_id, after=session, queue=queue_of(worker))
