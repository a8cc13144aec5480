"""Following a probe: batches of its events into the database, until something else is due."""

import asyncio
import threading
import time
from enum import Enum, auto

from assay.database import reading
from assay.runs import lifecycle
from assay.runs.events import MAX_LINE
from assay.runs.ingest import ingest

from assay_worker.connectors.connection import Stream
from assay_worker.driver import trouble
from assay_worker.driver.job import Job
from assay_worker.errors import GenerationTooLowError
from assay_worker.loop import wait_for
from assay_worker.probe import ExitCode, Probe, failure

BATCH_S = 0.2
BATCH_BYTES = 256 * 1024
IDLE_S = 0.5
"""How soon a cancellation or a shutdown is seen while the probe has nothing to say."""

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
    """A stream in batches: what comes within `BATCH_S` of its first byte, or `BATCH_BYTES`."""

    def __init__(self, stream: Stream) -> None:
        """Read nothing yet."""
        self._stream = stream
        self._reading: asyncio.Task[bytes] | None = None
        self.over = False

    async def next(self) -> bytes:
        """The next batch; empty when nothing came for `IDLE_S`, or at the end (`over`)."""
        parts: list[bytes] = []
        size = 0
        until = time.monotonic() + IDLE_S
        while size < BATCH_BYTES and not self.over:
            if self._reading is None:
                self._reading = asyncio.ensure_future(self._stream.read(64 * 1024))
            await asyncio.wait({self._reading}, timeout=max(0.0, until - time.monotonic()))
            if not self._reading.done():
                break
            part = self._reading.result()
            self._reading = None
            if not parts:
                until = time.monotonic() + BATCH_S
            parts.append(part)
            size += len(part)
            self.over = not part
        return b"".join(parts)

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

    def follow(self, until: float) -> Outcome:
        """Store events until their end, or until `until` on the monotonic clock.

        Raises HostError, BrokenEventError and StaleGenerationError.
        """
        job = self._job
        generation = job.ownership.generation
        stream = wait_for(self._probe.follow(job.run_dir, self._start, generation))
        batches = Batches(stream)
        try:
            while not batches.over:
                if stopping.is_set() or time.monotonic() > until:
                    return Outcome.SLICE_OVER
                if self._take(wait_for(batches.next())) and self._stop_answer is None:
                    self._stop_answer = wait_for(self._probe.stop(job.run_dir, generation))
                if self._stop_answer in ("stuck", "stopping"):
                    return Outcome.STUCK
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

    def _take(self, data: bytes) -> bool:
        """Store a batch; whether the campaign is cancelled."""
        self._data += data
        if b"\n" not in data and len(self._data) <= MAX_LINE:
            with reading() as session:
                return trouble.cancelled(session, self._job)
        while True:
            consumed, cancelled = self._store()
            if consumed == 0 or b"\n" not in self._data:
                return cancelled

    def _store(self) -> tuple[int, bool]:
        """Store whole lines: how many bytes, and whether the campaign is cancelled."""
        job = self._job
        with job.writing() as (session, run):
            done = ingest(
                session, job.participant.id, job.ownership.generation, self._start, self._data
            )
            if done.hello and run.state == lifecycle.PREPARING:
                lifecycle.enter(run, lifecycle.RUNNING)
            cancelled = trouble.cancelled(session, job)
        self._start += done.consumed
        self._data = self._data[done.consumed :]
        return done.consumed, cancelled
