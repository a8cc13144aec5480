"""One writer thread for all runs of this process: the batches of many runs share a transaction.

A follower has at most one batch here and waits until it is stored, so a flooding host is read no
faster than its batches are stored, and never starves other runs. A single batch is stored at once;
if there were several the last time, the writer collects batches for `GATHER_S`, unless enough for
a whole transaction wait. If a transaction fails, each follower stores its batch alone and so learns
whether it was the cause.

The commit is relaxed: if a database crash reverts rows, their offset is reverted with them, and
they are read again from the host, whose spool is removed only after a durable commit.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from queue import SimpleQueue

from assay.base.singletons import singleton
from assay.runs.recording.ingest import Batch, Ingested, ingest_all
from assay.tables.database import writing
from sqlalchemy.exc import SQLAlchemyError

from assay_worker import background
from assay_worker.loop import in_thread

GATHER_S = 0.2
MAX_BATCHES = 512
MAX_BYTES = 8 * 2**20
"""Maximum bytes of events in one transaction; the rest goes into the next one."""

log = logging.getLogger(__name__)

_Answer = Ingested | Exception | None


@dataclass(frozen=True)
class _Request:
    """A batch and the future that its follower awaits."""

    batch: Batch
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[_Answer]


async def store(batch: Batch) -> Ingested:
    """Store a batch; raises the errors of `assay.runs.recording.ingest.ingest`."""
    loop = asyncio.get_running_loop()
    request = _Request(batch, loop, loop.create_future())
    _queue().put(request)
    found = await request.answer
    if found is None:
        found = await in_thread(_store_alone, replace(batch, known=None))
    if isinstance(found, Exception):
        raise found
    return found


def _store_alone(batch: Batch) -> Ingested | Exception:
    with writing(relaxed=True) as session:
        return ingest_all(session, [batch])[0]


@singleton
def _queue() -> SimpleQueue[_Request]:
    queue: SimpleQueue[_Request] = SimpleQueue()
    background.start("batch writer", lambda: _write_forever(queue))
    return queue


def _write_forever(queue: SimpleQueue[_Request]) -> None:
    several = False
    while True:
        requests = [queue.get()]
        # a single run is stored without delay, and so is what fills a transaction by itself
        if several and queue.qsize() < MAX_BATCHES:
            time.sleep(GATHER_S)
        size = len(requests[0].batch.data)
        while not queue.empty() and len(requests) < MAX_BATCHES and size < MAX_BYTES:
            requests.append(queue.get())
            size += len(requests[-1].batch.data)
        several = len(requests) > 1
        _answer(requests, _store([request.batch for request in requests]))


def _store(batches: Sequence[Batch]) -> Sequence[_Answer]:
    """Return each batch's outcome; None for all if nothing was stored."""
    try:
        with writing(relaxed=True) as session:
            return ingest_all(session, batches)
    except SQLAlchemyError as error:
        log.warning("%d batches are stored one by one: %s", len(batches), error)
    except Exception:  # every follower waits for this thread, so it must not die
        log.exception("%d batches are stored one by one", len(batches))
    return [None] * len(batches)


def _answer(requests: Sequence[_Request], answers: Sequence[_Answer]) -> None:
    """Wake all followers with one call: each call costs a write to the loop's pipe."""

    def wake() -> None:
        for request, found in zip(requests, answers, strict=True):
            if not request.answer.done():  # done if its driver was canceled
                request.answer.set_result(found)

    requests[0].loop.call_soon_threadsafe(wake)
