"""Follow a probe: store its events until the log ends or the driver has to act.

Canceled campaigns are polled for, with one query for all drivers of this process.
"""

import asyncio
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from enum import Enum, auto

from assay.base.singletons import singleton
from assay.inventory.codes import StateCode
from assay.runs import lifecycle
from assay.runs.recording.events import MAX_LINE
from assay.runs.recording.ingest import Batch, Ingested
from assay.runs.recording.spool_state import SpoolState
from assay.tables.campaigns import Campaign
from assay.tables.database import reading
from sqlalchemy import select

from assay_worker import background
from assay_worker.answers import Stopped
from assay_worker.connectors.connection import Stream
from assay_worker.driver import batch_writer
from assay_worker.driver.host_clock import Pauses
from assay_worker.driver.job import Job
from assay_worker.driver.plan import DEFAULT_SAMPLE_MS
from assay_worker.errors import GenerationTooLowError, ProbeFailedError
from assay_worker.loop import in_thread
from assay_worker.ownership_renewal import is_valid
from assay_worker.probe import ExitCode, Probe, failure

LOOK_S = 0.5


class Cancellations:
    """Polls the watched campaigns every `LOOK_S`."""

    def __init__(self) -> None:
        """Watch no campaign yet."""
        self._lock = threading.Lock()
        self._watched: Counter[int] = Counter()
        self._cancelled: frozenset[int] = frozenset()
        background.repeat("cancellations", self._look, lambda: time.sleep(LOOK_S))

    @contextmanager
    def watching(self, campaign_id: int) -> Generator[Callable[[], bool]]:
        """Return a function that tells whether the campaign was canceled at the last poll."""
        with self._lock:
            if not self._watched[campaign_id]:
                self._cancelled -= {campaign_id}
            self._watched[campaign_id] += 1
        try:
            yield lambda: campaign_id in self._cancelled
        finally:
            with self._lock:
                self._watched[campaign_id] -= 1
                self._watched += Counter()  # removes campaigns without a watcher

    def _look(self) -> None:
        with self._lock:
            watched = list(self._watched)
        if not watched:
            return
        with reading() as session:
            asked = Campaign.cancel_requested_at.is_not(None)
            found = session.scalars(select(Campaign.id).where(Campaign.id.in_(watched), asked))
            self._cancelled = frozenset(found)


@singleton
def of_this_process() -> Cancellations:
    """Return the shared poller of all followers."""
    return Cancellations()


BATCH_BYTES = 256 * 1024
IDLE_S = 1.0
"""How often cancellation and ownership are checked while the probe sends nothing."""

AFTER_STOP_S = 300
"""Maximum time to read a stopped probe's event log; the log of one day takes about a minute."""

SILENT_S = 5.0
"""How long samples may be missing during a trial before the run shows it."""

SILENT: StateCode = "silent"
SILENT_REASON = (
    "No samples from the probe for some time: its process or its machine may be suspended, or the "
    "connection may be slow."
)


class Outcome(Enum):
    """Why following ended."""

    ENDED = auto()
    DEAD = auto()
    ABSENT = auto()
    NOT_OWNED = auto()
    STOPPING = auto()
    STUCK = auto()


NOT_ENDED = {"stopping": Outcome.STOPPING, "stuck": Outcome.STUCK}
"""Answers of `stop` after which the probe still runs."""


class Pieces:
    """A stream in pieces; data that arrives while a piece is stored goes into the next one."""

    def __init__(self, stream: Stream) -> None:
        """Read nothing yet."""
        self._stream = stream
        self._began_at: float | None = None
        self._arrived_at = time.monotonic()
        self.gap_s = self.waited_s = 0.0
        """Seconds between the arrivals of the last two pieces, and the part of them spent waiting
        for data (the rest was spent storing the previous piece)."""
        self.over = False

    async def next(self) -> bytes:
        """Return the next piece; empty if nothing came for `IDLE_S`, or at the end (`over`)."""
        if self._began_at is None:
            self._began_at = time.monotonic()
        try:
            async with asyncio.timeout(IDLE_S):  # a canceled read loses no data
                piece = await self._stream.read(BATCH_BYTES)
        except TimeoutError:
            return b""
        before, self._arrived_at = self._arrived_at, time.monotonic()
        self.gap_s, self.waited_s = self._arrived_at - before, self._arrived_at - self._began_at
        self._began_at = None
        self.over = not piece
        return piece


class Silence:
    """Detects that samples stop in the middle of a trial, and shows it on the run."""

    def __init__(self, job: Job) -> None:
        """Expect samples at once if an attempt was under way when the previous driver stopped."""
        self._job = job
        self._limit_s = max(SILENT_S, 3 * interval_s(job))
        self._measuring = (
            job.participant.current_trial_id is not None and job.participant.ready is None
        )
        self._shown = job.run.state_code == SILENT
        # a reason set by a previous driver stays until data arrives
        self._heard_at = -math.inf if self._shown else time.monotonic()

    def stored(self, batch: Ingested) -> None:
        """Note a stored batch: samples are expected only while an attempt is under way."""
        self._measuring = batch.measuring

    async def heard(self, anything: bool) -> None:
        """Update whether the run shows its probe as silent."""
        if anything:
            self._heard_at = time.monotonic()
        silent = self._measuring and time.monotonic() - self._heard_at > self._limit_s
        if silent != self._shown:
            await in_thread(self._show, silent)
            self._shown = silent

    def _show(self, silent: bool) -> None:
        with self._job.writing() as (_, run):
            if silent and run.state_reason is None:
                lifecycle.explain(run, SILENT, SILENT_REASON)
            elif not silent and run.state_code == SILENT:
                lifecycle.explain(run, None, None)


def interval_s(job: Job) -> float:
    """Return the run's sampling interval in seconds."""
    return job.run.parameters.get("sample_ms", DEFAULT_SAMPLE_MS) / 1000


class Follower:
    """Stores a probe's events; holds no thread and no database connection while it waits."""

    def __init__(
        self, job: Job, probe: Probe, stored: Callable[[Ingested], None] = lambda _: None
    ) -> None:
        """Start at the participant's offset; `stored` is called for each stored batch."""
        self._job, self._probe, self._stored = job, probe, stored
        self._stop_asked = False
        self._start, self._data = job.participant.offset, b""
        self._known: SpoolState | None = None
        self.stop_answer: Stopped | None = None
        """What the probe answered when a canceled run was stopped."""
        self._stopped_at = math.inf
        self._paused_ns = 0
        self._silence = Silence(job)

    def ask_stop(self) -> None:
        """Request that the probe be stopped; its events are still followed to their end."""
        self._stop_asked = True

    async def follow(self) -> Outcome:
        """Store events until their end, or until this process no longer owns the run.

        Raises HostError, BrokenEventError and StaleGenerationError; ProbeFailedError if the event
        log of a stopped probe does not end.
        """
        job = self._job
        stream = await self._probe.follow(job.run_dir, self._start, job.ownership.generation)
        try:
            if (outcome := await self._read(Pieces(stream))) is not None:
                return outcome
            finished = await stream.finish()
        finally:
            await stream.close()
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

    async def _read(self, pieces: Pieces) -> Outcome | None:
        """Store a stream's pieces; returns None at its end, else why reading stopped early."""
        job = self._job
        pauses = await Pauses.begin(
            job.run.id, job.participant.id, self._probe.connection, interval_s(job)
        )
        with of_this_process().watching(job.campaign.id) as cancelled:
            while not pieces.over:
                if not is_valid(job.ownership):
                    return Outcome.NOT_OWNED
                piece = await pieces.next()
                await self._take(piece, pieces, pauses)
                await self._silence.heard(bool(piece))
                if self.stop_answer is None and (cancelled() or self._stop_asked):
                    generation = job.ownership.generation
                    self.stop_answer = await self._probe.stop(job.run_dir, generation)
                    self._stopped_at = time.monotonic()
                if self.stop_answer and self.stop_answer.state in NOT_ENDED:
                    return NOT_ENDED[self.stop_answer.state]
                if time.monotonic() > self._stopped_at + AFTER_STOP_S:
                    raise ProbeFailedError("`follow` did not end after the probe was stopped")
        return None

    async def _take(self, data: bytes, pieces: Pieces, pauses: Pauses) -> None:
        """Store the whole lines received so far."""
        if data:
            pauses.heard(pieces.gap_s, pieces.waited_s)
        self._data += data
        if b"\n" not in data and len(self._data) <= MAX_LINE:
            return
        self._paused_ns = await pauses.charged_to(self._data.rpartition(b"\n")[0])
        while await self._store() and b"\n" in self._data:
            pass
        pauses.stored()

    async def _store(self) -> int:
        """Store whole lines; returns the number of bytes stored."""
        own, participant_id = self._job.ownership, self._job.participant.id
        batch = Batch(
            participant_id, own.generation, self._start, self._data, self._paused_ns, self._known
        )
        stored = await batch_writer.store(batch)
        self._known = stored.state
        self._silence.stored(stored)
        self._stored(stored)
        self._start += stored.consumed
        self._data = self._data[stored.consumed :]
        return stored.consumed
