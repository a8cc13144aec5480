"""Following a probe: its events into the database, until something else is due."""

import math
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from enum import Enum, auto

from assay.recording.events import MAX_LINE
from assay.recording.ingest import Batch, Ingested

from assay_worker.answers import Stopped
from assay_worker.connectors.connection import Stream
from assay_worker.driver import together
from assay_worker.driver.cancellations import of_this_process
from assay_worker.driver.host_clock import Pauses
from assay_worker.driver.job import Job
from assay_worker.driver.plan import DEFAULT_SAMPLE_MS
from assay_worker.errors import GenerationTooLowError, ProbeFailedError
from assay_worker.keeper import holds
from assay_worker.loop import begin, wait_for
from assay_worker.probe import ExitCode, Probe, failure

BATCH_BYTES = 256 * 1024
IDLE_S = 0.5
"""How soon a cancellation or a shutdown is seen while the probe has nothing to say."""

AFTER_STOP_S = 300
"""How long a stopped probe's record may take to read: that of a day's absence takes a minute."""

SILENT_S = 5.0
"""How long a probe that samples may say nothing before the run shows it."""

SILENT = (
    "No samples from the probe for some time: its process or its machine may be suspended, or the "
    "connection is delayed."
)

stopping = threading.Event()
"""Set when this process shuts down: every slice ends at once."""


class Outcome(Enum):
    """Why following ended."""

    ENDED = auto()
    DEAD = auto()
    ABSENT = auto()
    SLICE_OVER = auto()
    STOPPING = auto()
    STUCK = auto()


NOT_ENDED = {"stopping": Outcome.STOPPING, "stuck": Outcome.STUCK}
"""Answers of `stop` after which the probe still runs."""


class Batches:
    """A stream, piece by piece; what comes while a piece is stored makes the next one larger."""

    def __init__(self, stream: Stream) -> None:
        """Read nothing yet."""
        self._stream = stream
        self._reading: Future[bytes] | None = None
        self._arrived_at = time.monotonic()
        self.gap_s = self.waited_s = 0.0
        """Seconds from the arrival of the piece before to that of the newest, and how many of them
        nothing was there to be read: less, while the one before was being stored."""
        self.over = False

    def next(self) -> bytes:
        """The next piece; empty when nothing came for `IDLE_S`, or at the end (`over`)."""
        reading = self._reading = self._reading or begin(self._read())
        with suppress(TimeoutError):
            reading.result(IDLE_S)
        if not reading.done():
            return b""
        self._reading, part = None, reading.result()
        self.over = not part
        return part

    async def _read(self) -> bytes:
        began = time.monotonic()
        part = await self._stream.read(BATCH_BYTES)
        before, self._arrived_at = self._arrived_at, time.monotonic()
        self.gap_s, self.waited_s = self._arrived_at - before, self._arrived_at - began
        return part

    def close(self) -> None:
        """Leave the stream."""
        if self._reading is not None:
            self._reading.cancel()
        wait_for(self._stream.close())


class Silence:
    """Notices when samples stop coming in the middle of a trial, and says so on the run."""

    def __init__(self, job: Job) -> None:
        """Samples are due at once where an attempt was under way when the slice before ended."""
        self._job = job
        self._longest_s = max(SILENT_S, 3 * interval_s(job))
        self._measuring = job.participant.current_trial_id is not None
        self._said = job.run.state_reason == SILENT
        # what was said before stays until something is heard
        self._heard_at = -math.inf if self._said else time.monotonic()

    def stored(self, told: Ingested) -> None:
        """Take what a batch brought: samples are due only while an attempt is under way."""
        self._measuring = told.measuring

    def heard(self, anything: bool) -> None:
        """Say on the run that it is silent, or no longer is."""
        if anything:
            self._heard_at = time.monotonic()
        silent = self._measuring and time.monotonic() - self._heard_at > self._longest_s
        if silent == self._said:
            return
        with self._job.writing() as (_, run):
            if silent and run.state_reason is None:
                run.state_reason = SILENT
            elif not silent and run.state_reason == SILENT:
                run.state_reason = None
        self._said = silent


def interval_s(job: Job) -> float:
    """How far apart the run's samples are."""
    return job.run.parameters.get("sample_ms", DEFAULT_SAMPLE_MS) / 1000


class Follower:
    """Stores what a probe says; holds no database connection while it listens."""

    def __init__(self, job: Job, probe: Probe) -> None:
        """Begin at the participant's offset."""
        self._job, self._probe = job, probe
        self._start, self._data = job.participant.offset, b""
        self.stop_answer: Stopped | None = None
        """What the probe answered when a canceled run was stopped."""
        self._stopped_at = math.inf
        self._paused_ns = 0
        self._silence = Silence(job)

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
            pauses = Pauses(job.run.id, self._probe.connection, interval_s(job))
            with of_this_process().watching(job.campaign.id) as cancelled:
                while not batches.over:
                    over = stopping.is_set() or time.monotonic() > until
                    if over or not holds(job.ownership):
                        return Outcome.SLICE_OVER
                    piece = batches.next()
                    self._take(piece, batches, pauses)
                    self._silence.heard(bool(piece))
                    if self.stop_answer is None and cancelled():
                        self.stop_answer = wait_for(self._probe.stop(job.run_dir, generation))
                        self._stopped_at = time.monotonic()
                    if self.stop_answer and self.stop_answer.state in NOT_ENDED:
                        return NOT_ENDED[self.stop_answer.state]
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

    def _take(self, data: bytes, batches: Batches, pauses: Pauses) -> None:
        """Store the whole lines that there are now."""
        if data:
            pauses.heard(batches.gap_s, batches.waited_s)
        self._data += data
        if b"\n" not in data and len(self._data) <= MAX_LINE:
            return
        self._paused_ns = pauses.charged_to(self._data.rpartition(b"\n")[0])
        while self._store() and b"\n" in self._data:
            pass
        pauses.stored()

    def _store(self) -> int:
        """Store whole lines; how many bytes."""
        own, participant_id = self._job.ownership, self._job.participant.id
        batch = Batch(
            participant_id, own.generation, self._start, self._data, paused_ns=self._paused_ns
        )
        told = together.store(batch)
        self._silence.stored(told)
        consumed = told.consumed
        self._start += consumed
        self._data = self._data[consumed:]
        return consumed
