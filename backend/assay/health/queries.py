"""Health checks of the parts of this installation."""

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

WORKER_TIMEOUT = timedelta(seconds=30)
"""A worker without a heartbeat for this long is not listed."""


def health() -> Health:
    """Check database, disk, queue and workers."""
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


def recently_seen() -> ColumnElement[bool]:
    """Return SQL for whether a worker has sent a recent heartbeat.

    A heartbeat in the far future is older than a setback of the database's clock.
    """
    return WorkerSeen.seen_at.between(moment(-WORKER_TIMEOUT), moment(WORKER_TIMEOUT))


def _database() -> tuple[DatabaseHealth, bool, list[WorkerHealth]]:
    kind = engine().dialect.name
    try:
        with reading() as session:
            setup_required = not is_set_up(session)
            seen = session.scalars(
                select(WorkerSeen).where(recently_seen()).order_by(WorkerSeen.name)
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
