"""The worker's sign of life, for the health page."""

import logging
import os
import socket
import threading
from datetime import timedelta

from assay.database import now, writing
from assay.runs.models import WorkerSeen
from sqlalchemy import delete
from sqlalchemy.exc import SQLAlchemyError

from assay_worker.driver.follow import stopping

BEAT_S = 5.0
FORGOTTEN = timedelta(days=1)

log = logging.getLogger(__name__)


def beat() -> None:
    """Say that this process lives, from now on."""
    threading.Thread(target=_forever, name="heartbeat", daemon=True).start()


def _forever() -> None:
    name = f"{socket.gethostname()}:{os.getpid()}"
    while True:
        try:
            with writing() as session:
                session.execute(delete(WorkerSeen).where(WorkerSeen.seen_at < now() - FORGOTTEN))
                session.merge(WorkerSeen(name=name, seen_at=now(), load=os.getloadavg()[0]))
        except SQLAlchemyError as error:
            log.warning("no sign of life written: %s", error)
        if stopping.wait(BEAT_S):
            return
