"""One writer for all that this process follows: the batches of many runs share a transaction.

A follower hands its batch over and waits. The writer stores a lone one at once; where there were
several the last time, it takes what comes within `GATHER_S`. Each batch of a transaction that
failed goes back to its follower, which stores it alone and learns whether it was to blame.

The commit is relaxed: what a crash of the database took back with its offset is read again from
the host, whose spool is removed only after an ordinary commit.
"""

import logging
import time
from collections.abc import Sequence
from concurrent.futures import Future
from queue import SimpleQueue

from assay.db.database import writing
from assay.once import once
from assay.recording.ingest import Batch, Ingested, ingest_all
from sqlalchemy.exc import SQLAlchemyError

from assay_worker import background

GATHER_S = 0.2

log = logging.getLogger(__name__)

_Answer = Ingested | Exception | None
_Handed = tuple[Batch, Future[_Answer]]


def store(batch: Batch) -> Ingested:
    """Store a batch with those of other runs; raises what `assay.recording.ingest.ingest` does."""
    answer: Future[_Answer] = Future()
    _writer().put((batch, answer))
    found = answer.result()
    if found is None:
        with writing(relaxed=True) as session:
            (found,) = ingest_all(session, [batch])
    if isinstance(found, Exception):
        raise found
    return found


@once
def _writer() -> SimpleQueue[_Handed]:
    handed: SimpleQueue[_Handed] = SimpleQueue()
    background.start("batch writer", lambda: _write_forever(handed))
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
        found = _store([batch for batch, _ in gathered])
        for (_, answer), one in zip(gathered, found, strict=True):
            answer.set_result(one)


def _store(batches: Sequence[Batch]) -> Sequence[_Answer]:
    """What became of each; None for all where nothing was stored."""
    try:
        with writing(relaxed=True) as session:
            return ingest_all(session, batches)
    except SQLAlchemyError as error:
        log.warning("%d batches go alone: %s", len(batches), error)
    except Exception:  # whatever it is, all followers wait for this thread
        log.exception("%d batches go alone", len(batches))
    return [None] * len(batches)
