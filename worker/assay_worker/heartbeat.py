"""The worker's heartbeat, for the health page: that it lives, and what fails in it."""

import os
from datetime import timedelta

from assay.db.clock import moment
from assay.db.database import writing
from assay.runs.models import WorkerSeen
from sqlalchemy import delete

from assay_worker import background
from assay_worker.driver.run import stopping
from assay_worker.ownership_renewal import worker_name

BEAT_S = 5.0
FORGOTTEN = timedelta(days=1)


def beat() -> None:
    """Record heartbeats of this process from now on, until it shuts down."""
    name = worker_name()
    background.repeat("heartbeat", lambda: record(name), lambda: stopping.wait(BEAT_S))


def record(name: str) -> None:
    """Record one heartbeat of the worker `name`, and forget workers that are long gone."""
    seen = {"seen_at": moment(), "load": os.getloadavg()[0], "problem": background.problem()}
    with writing() as session:
        session.execute(delete(WorkerSeen).where(WorkerSeen.seen_at < moment(-FORGOTTEN)))
        session.merge(WorkerSeen(name=name, **seen))
