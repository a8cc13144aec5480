"""Following a probe: its events into the database, until something else is due."""

import math
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from enum import Enum, auto

from assay.runs.events import MAX_LINE
from assay.runs.ingest import Batch

from assay_worker.connectors.connection import Stream
from assay_worker.driver import together
from assay_worker.driver.cancellations import of_this_process
from assay_worker.driver.job import Job
from assay_worker.errors import GenerationTooLowError, ProbeFailedError
from assay_worker.keeper import holds
from assay_worker.loop import begin, wait_for
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
        self._reading: Future[bytes] | None = None
        self.over = False

    def next(self) -> bytes:
        """The next piece; empty when nothing came for `IDLE_S`, or at the end (`over`)."""
        reading = self._reading = self._reading or begin(self._stream.read(BATCH_BYTES))
        with suppress(TimeoutError):
            reading.result(IDLE_S)
        if not reading.done():
            return b""
        self._reading, part = None, reading.result()
        self.over = not part
        return part

    def close(self) -> None:
        """Leave the stream."""
        if self._reading is not None:
            self._reading.cancel()
        wait_for(self._stream.close())


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
                    over = stopping.is_set() or time.monotonic() > until
                    if over or not holds(job.ownership):
                        return Outcome.SLICE_OVER
                    self._take(batches.next())
                    if self._stop_answer is None and cancelled():
                        self._stop_answer = wait_for(self._probe.stop(job.run_dir, generation))
                        self._stopped_at = time.monotonic()
                    if self._stop_answer in ("stuck", "stopping"):
                        return Outcome.STUCK
                    if time.monotonic() > self._stopped_at + AFTER_STOP_S:
                        raise ProbeFailedError("`follow` has no end, though the probe was stopped")
            finished = wait_for(stream.finish())
        finally:
            batches.close()
        match finished.exit_code:
            case ExitCode.OK:
                return Outcome.ENDED
            case ExitCode.DEAD:
                return Outcome.DEAD
            case ExitCode.NO_RUN:
                return Outcome.ABSENT
            case ExitCode.STUCK:
                return Outcome.STUCK
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
        """Store whole lines; how many bytes."""
        own, participant_id = self._job.ownership, self._job.participant.id
        batch = Batch(participant_id, own.generation, self._start, self._data)
        consumed = together.store(batch).consumed
        self._start += consumed
        self._data = self._data[consumed:]
        return consumed
