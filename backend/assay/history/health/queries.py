"""Health checks of the parts of this installation.

Free space is checked where the appliance stores its own state: `ASSAY_HOME` and the SQLite
database.
"""

import os
from datetime import timedelta
from pathlib import Path

from sqlalchemy import ColumnElement, select
from sqlalchemy.exc import SQLAlchemyError

from assay import __version__
from assay.access.first_start import is_set_up
from assay.base.messaging.changes import ping
from assay.base.settings import settings
from assay.history.health.schemas import (
    DatabaseHealth,
    DiskHealth,
    Health,
    QueueHealth,
    WorkerHealth,
)
from assay.tables.clock import moment
from assay.tables.database import engine, reading, refusals
from assay.tables.runs import WorkerSeen

MB = 10**6
LEAST_FREE_BYTES = 250 * MB
"""About what runs on a hundred hosts store in an hour."""

LEAST_FREE_SHARE = 0.05
"""Sufficient on a small disk."""

FULL_BYTES = MB
"""With less than this, no write is certain to fit."""


def disk() -> DiskHealth:
    """Return the current state of the appliance's file system with the least free space."""
    return min(map(_inspect, _directories()), key=lambda found: (found.ok, found.free_bytes))


def _directories() -> list[Path]:
    home = settings().home.resolve()
    url = engine().url
    if url.get_backend_name() == "sqlite" and url.database:
        return [home, Path(url.database).resolve().parent]
    return [home]


def _inspect(folder: Path) -> DiskHealth:
    """Return the state of a directory's file system; the directory need not exist yet."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    seen = os.statvfs(existing)
    free, size = seen.f_bavail * seen.f_frsize, seen.f_blocks * seen.f_frsize
    if free >= min(LEAST_FREE_BYTES, LEAST_FREE_SHARE * size):
        return DiskHealth(ok=True, path=str(folder), free_bytes=free)
    how = "full" if free < FULL_BYTES else "nearly full"
    detail = f"The appliance's disk is {how}: {free / MB:.1f} MB free in {folder}. Free some space."
    return DiskHealth(ok=False, path=str(folder), free_bytes=free, detail=detail)


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
