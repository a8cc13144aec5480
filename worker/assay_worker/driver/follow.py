"""Following a probe: its events into the database, until something else is due."""

import asyncio
import math
import threading
import time
from enum import Enum, auto

from assay.database import writing
from assay.runs import lifecycle
from assay.runs.events import MAX_LINE
from assay.runs.ingest import ingest
from assay.runs.models import Run
from assay.runs.steady import Spooled

from assay_worker.connectors.connection import Stream
from assay_worker.driver import together
from assay_worker.driver.cancellations import of_this_process
from assay_worker.driver.job import Job
from assay_worker.errors import GenerationTooLowError, ProbeFailedError
from assay_worker.loop import wait_for
from assay_worker.probe import ExitCode, Probe, failure

BATCH_BYTES = 256 * 1024
IDLE_S = 0.5
"""How soon a cancellation or a shutdown is seen while the probe has nothing to say."""

AFTER_STOP_S = 300
"""How long a stopped probe's record may take to read: that of a day's absence takes a minute."""

stopping = threading.Event()
"""Set when this process shuts down: every slice ends at once."""


class Outcome(Enum):
    """Why following ended."""

    ENDED = auto()
    DEAD = auto()
    ABSENT = auto()
    SLICE_OVER = auto()
    STUCK = auto()


class Batches:
    """A stream, piece by piece; what comes while a piece is stored makes the next one larger."""

    def __init__(self, stream: Stream) -> None:
        """Read nothing yet."""
        self._stream = stream
        self._reading: asyncio.Task[bytes] | None = None
        self.over = False

    async def next(self) -> bytes:
        """The next piece; empty when nothing came for `IDLE_S`, or at the end (`over`)."""
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._stream.read(BATCH_BYTES))
        await asyncio.wait({self._reading}, timeout=IDLE_S)
        if not self._reading.done():
            return b""
        part = self._reading.result()
        self._reading = None
        self.over = not part
        return part

    async def close(self) -> None:
        """Leave the stream."""
        if self._reading is not None:
            self._reading.cancel()
        await self._stream.close()


class Follower:
    """Stores what a probe says; holds no database connection while it listens."""

    def __init__(self, job: Job, probe: Probe) -> None:
        """Begin at the participant's offset."""
        self._job, self._probe = job, probe
        self._start, self._data = job.participant.offset, b""
        self._stop_answer: str | None = None
        self._stopped_at = math.inf

    def follow(self, until: float) -> Outcome:
        """Store events until their end, or until `until` on the monotonic clock.

        Raises HostError, BrokenEventError and StaleGenerationError; ProbeFailedError when a
        cancelled probe was stopped and its record goes on and on.
        """
        job = self._job
        generation = job.ownership.generation
        stream = wait_for(self._probe.follow(job.run_dir, self._start, generation))
        batches = Batches(stream)
        try:
            with of_this_process().watching(job.campaign.id) as cancelled:
                while not batches.over:
                    if stopping.is_set() or time.monotonic() > until:
                        return Outcome.SLICE_OVER
                    self._take(wait_for(batches.next()))
                    if self._stop_answer is None and cancelled():
                        self._stop_answer = wait_for(self._probe.stop(job.run_dir, generation))
                        self._stopped_at = time.monotonic()
                    if self._stop_answer in ("stuck", "stopping"):
                        return Outcome.STUCK
                    if time.monotonic() > self._stopped_at + AFTER_STOP_S:
                        raise ProbeFailedError("`follow` has no end, though the probe was stopped")
            finished = wait_for(stream.finish())
        finally:
            wait_for(batches.close())
        match finished.exit_code:
            case ExitCode.OK:
                return Outcome.ENDED
            case ExitCode.DEAD:
                return Outcome.DEAD
            case ExitCode.NO_RUN:
                return Outcome.ABSENT
            case ExitCode.FENCED:
                raise GenerationTooLowError(finished.complaint)
            case _:
                raise failure(self._probe.path, finished)

    def _take(self, data: bytes) -> None:
        """Store the whole lines that there are now."""
        self._data += data
        if b"\n" not in data and len(self._data) <= MAX_LINE:
            return
        while self._store() and b"\n" in self._data:
            pass

    def _store(self) -> int:
        """Store whole lines, with those of other runs if they are steady; how many bytes."""
        own, participant_id = self._job.ownership, self._job.participant.id
        consumed = together.store(
            Spooled(own.run_id, participant_id, own.generation, self._start, self._data)
        )
        if consumed is None:
            consumed = self._store_alone()
        self._start += consumed
        self._data = self._data[consumed:]
        return consumed

    def _store_alone(self) -> int:
        own, participant_id = self._job.ownership, self._job.participant.id
        with writing(hurried=True) as session:  # the ingest locks the run, and announces itself
            done = ingest(session, participant_id, own.generation, self._start, self._data)
            if done.hello:
                run = session.get_one(Run, own.run_id)
                if run.state == lifecycle.PREPARING:
                    lifecycle.enter(run, lifecycle.RUNNING)
        return done.consumed
