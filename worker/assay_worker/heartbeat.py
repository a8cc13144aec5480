"""The worker's heartbeat: liveness, capacity and current failures."""

import os
from datetime import timedelta

from assay.base.messaging.changes import ping
from assay.base.messaging.queue import delete_queue
from assay.base.settings import settings
from assay.runs.scheduling import capacity
from assay.tables.clock import moment
from assay.tables.database import writing
from assay.tables.runs import WorkerSeen
from sqlalchemy import delete

from assay_worker import background
from assay_worker.driver.run import stopping
from assay_worker.ownership_renewal import worker_name

BEAT_S = 5.0
FORGOTTEN = timedelta(days=1)


def beat() -> None:
    """Record heartbeats of this process until it shuts down."""
    worker = worker_name()
    background.repeat("heartbeat", lambda: record(worker), lambda: stopping.wait(BEAT_S))


def record(worker: str) -> None:
    """Record one heartbeat of `worker`; delete old workers and their queues."""
    with writing() as session:
        gone = session.scalars(
            delete(WorkerSeen)
            .where(WorkerSeen.seen_at < moment(-FORGOTTEN))
            .returning(WorkerSeen.name)
        ).all()
        if not stopping.is_set():
            limit, load = settings().worker_capacity, os.getloadavg()[0]
            capacity.announce(session, worker, limit, load, background.problem())
    for name in gone:
        delete_queue(capacity.queue_of(name))
    if ping() is None:
        touch()


def touch() -> None:
    """Touch the file by which a container's health check sees that this process works."""
    if (file := settings().beat_file) is not None:
        file.touch()


def end() -> None:
    """Withdraw this process's capacity at shutdown."""
    with writing() as session:
        capacity.withdraw(session, worker_name())
    delete_queue(capacity.queue_of(worker_name()))
