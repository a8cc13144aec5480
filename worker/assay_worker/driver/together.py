"""One writer for all that this process follows: steady batches share a transaction.

A follower hands its batch over and waits. The writer stores a lone one at once; where there were
several the last time, it takes what comes within `GATHER_S`. A batch that it leaves out (see
`assay.runs.steady`), and every batch of a transaction that failed, goes back to its follower,
which stores it alone and learns why.

The commit is hurried: what a crash of the database took back with its offset is read again from
the host, whose spool is removed only after an ordinary commit.
"""

import logging
import threading
import time
from concurrent.futures import Future
from queue import SimpleQueue

from assay.database import writing
from assay.once import once
from assay.runs.steady import Spooled, store_steady
from sqlalchemy.exc import SQLAlchemyError

GATHER_S = 0.2

log = logging.getLogger(__name__)

_Handed = tuple[Spooled, Future[int | None]]


def store(batch: Spooled) -> int | None:
    """Store a batch with those of other runs; how many bytes, or None when it is left out."""
    answer: Future[int | None] = Future()
    _writer().put((batch, answer))
    return answer.result()


@once
def _writer() -> SimpleQueue[_Handed]:
    handed: SimpleQueue[_Handed] = SimpleQueue()
    threading.Thread(target=_write_forever, args=[handed], name="writer", daemon=True).start()
    return handed


def _write_forever(handed: SimpleQueue[_Handed]) -> None:
    several = False
    while True:
        gathered = [handed.get()]
        if several:  # one run alone is watched by somebody who should not wait
            time.sleep(GATHER_S)
        while not handed.empty():
            gathered.append(handed.get())
        several = len(gathered) > 1
        stored = _store([batch for batch, _ in gathered])
        for batch, answer in gathered:
            answer.set_result(stored.get(batch.participant_id))


def _store(batches: list[Spooled]) -> dict[int, int]:
    try:
        with writing(hurried=True) as session:
            return store_steady(session, batches)
    except SQLAlchemyError as error:
        log.warning("%d batches go alone: %s", len(batches), error)
    except Exception:  # whatever it is, all followers wait for this thread
        log.exception("%d batches go alone", len(batches))
    return {}
