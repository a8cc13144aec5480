"""Questions to the parts of this installation; one that does not answer is part of the answer."""

from datetime import timedelta

from sqlalchemy import ColumnElement, select
from sqlalchemy.exc import SQLAlchemyError

from assay import __version__
from assay.accounts.first_start import is_set_up
from assay.db.clock import moment
from assay.db.database import engine, reading, refusals
from assay.health.disk import disk
from assay.health.schemas import DatabaseHealth, Health, QueueHealth, WorkerHealth
from assay.messaging.changes import ping
from assay.runs.models import WorkerSeen

WORKER_SILENCE = timedelta(seconds=30)
"""A worker that was not heard for this long is not named any more."""


def health() -> Health:
    """Database, disk, queue and workers, each asked now."""
    database, setup_required, workers = _database()
    space = disk()
    problem = ping()
    queue = QueueHealth(ok=problem is None, detail=problem)
    well = (
        database.ok
        and space.ok
        and queue.ok
        and bool(workers)
        and not any(one.problem for one in workers)
    )
    return Health(
        status="ok" if well else "degraded",
        version=__version__,
        setup_required=setup_required,
        database=database,
        disk=space,
        queue=queue,
        workers=workers,
    )


def heard_lately() -> ColumnElement[bool]:
    """SQL for whether a worker is named.

    One heard far in the future was heard before the database's clock was set back.
    """
    return WorkerSeen.seen_at.between(moment(-WORKER_SILENCE), moment(WORKER_SILENCE))


def _database() -> tuple[DatabaseHealth, bool, list[WorkerHealth]]:
    kind = engine().dialect.name
    try:
        with reading() as session:
            setup_required = not is_set_up(session)
            seen = session.scalars(
                select(WorkerSeen).where(heard_lately()).order_by(WorkerSeen.name)
            )
            workers = [
                WorkerHealth(name=one.name, seen_at=one.seen_at, problem=one.problem)
                for one in seen
            ]
    except SQLAlchemyError as error:
        detail = str(error).partition("\n")[0][:300]
        return DatabaseHealth(ok=False, kind=kind, detail=detail), False, []
    refused = refusals.lately()
    return DatabaseHealth(ok=refused is None, kind=kind, detail=refused), setup_required, workers
