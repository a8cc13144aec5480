"""The barrier: several participants start each trial together, at an agreed time.

Each probe reports `ready` before a trial and waits. When all are ready for the same attempt, the
driver stores the release and sends each probe the start time on its host's clock. If an attempt
fails or is interrupted at one participant, the others stop theirs, because the load has changed. If
one participant's probe ends early, the other probes are stopped too, and all are restarted.
The ends of a transfer have to meet before they are ready: one listens, the other is told where.
"""

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from assay.runs.attempts import RUNNING
from assay.runs.recording.ingest import Ingested
from assay.runs.recording.spool_state import Listener
from assay.tables.database import reading
from assay.tables.runs import Attempt, Participant, Trial
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay_worker.answers import Stopped
from assay_worker.driver import transfer
from assay_worker.driver.finish import last_end
from assay_worker.driver.follow import Follower, Outcome
from assay_worker.driver.job import Job, at_each, participant
from assay_worker.driver.standings import (
    COMPLETE,
    UNFINISHED,
    Abort,
    Standing,
    Try,
    to_abort,
    to_connect,
    to_finish,
    to_order,
    to_release,
    to_stop,
)
from assay_worker.loop import in_thread
from assay_worker.probe import Probe

READINGS = 3
"""Readings of a host's clock; the one with the shortest round trip counts."""

FRESH_S = 60.0
"""How long a reading is valid: two clocks drift apart by at most 6 ms in this time."""

DRIFT = 100e-6
"""Maximum drift between two clocks: 50 ppm each, a typical specification of quartz oscillators."""

LEAST_NOTICE_S = 0.2
"""Minimum time between a release and the agreed start; three round trips if that is longer."""


@dataclass(frozen=True)
class Clock:
    """How far a host's boot clock is ahead of this worker's, with its uncertainty."""

    offset_ns: int
    uncertainty_ns: int
    read_at: float
    """Seconds on the monotonic clock."""

    @property
    def error_ns(self) -> int:
        """Maximum error of the offset now, including the drift since the reading."""
        return self.uncertainty_ns + round((time.monotonic() - self.read_at) * DRIFT * 1e9)


async def read_clock(probe: Probe) -> Clock:
    """Compare the host's clock with this worker's; raises HostError.

    The host is assumed to have read its clock in the middle of the round trip.
    """
    found: list[Clock] = []
    for _ in range(READINGS):
        asked = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        there = int((await probe.version())["boottime_ns"])
        answered = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        half = (answered - asked) // 2
        found.append(Clock(there - asked - half, half, time.monotonic()))
    return min(found, key=lambda clock: clock.uncertainty_ns)


@dataclass(frozen=True)
class Followed:
    """Why following a participant ended; `stop_answer` is its probe's answer when stopped."""

    outcome: Outcome
    stop_answer: Stopped | None


async def follow(
    jobs: Sequence[Job], probes: Mapping[int, Probe], fresh: Collection[int] = ()
) -> Mapping[int, Followed]:
    """Follow all probes to their end; returns the outcomes by participant id.

    Several participants start each trial together; the probes of `fresh` ones were just started, so
    attempts in progress that are stored are those of dead probes. Raises the errors of
    `Follower.follow`, a HostError as ParticipantError.
    """
    if len(jobs) > 1:
        return await Barrier(jobs, probes, fresh).follow()
    follower = Follower(jobs[0], probes[jobs[0].participant.id])

    async def one(_: Job) -> Followed:
        return Followed(await follower.follow(), follower.stop_answer)

    return await at_each(jobs, one)


class Barrier:
    """Starts and stops the attempts of a run's participants together."""

    def __init__(
        self, jobs: Sequence[Job], probes: Mapping[int, Probe], fresh: Collection[int] = ()
    ) -> None:
        """Start without any known progress; the probes of `fresh` participants have none."""
        self._fresh = frozenset(fresh)
        self._jobs = {job.participant.id: job for job in jobs}
        self._exchanges = {
            participant_id: transfer.exchange(job) for participant_id, job in self._jobs.items()
        }
        self._probes = probes
        self._changed = asyncio.Event()
        self._standings = {participant_id: Standing() for participant_id in self._jobs}
        self._followers = {
            participant_id: Follower(job, probes[participant_id], self._noter(participant_id))
            for participant_id, job in self._jobs.items()
        }
        self._clocks: dict[int, Clock] = {}
        self._released: set[Try] = set()
        self._aborted: set[Abort] = set()
        self._connected: set[tuple[int, Try]] = set()
        self._ordered: set[Try] = set()
        self._finished: set[tuple[int, Try]] = set()

    async def follow(self) -> Mapping[int, Followed]:
        """Follow all participants while releasing and aborting their attempts."""
        self._standings |= await in_thread(self._stored)
        self._changed.set()
        keeping = asyncio.create_task(self._keep())
        following = asyncio.create_task(at_each(self._all, self._follow_one))
        try:
            await asyncio.wait((keeping, following), return_when=asyncio.FIRST_COMPLETED)
            if not following.done():
                keeping.result()  # it ends only with an error
            found = following.result()
        finally:
            keeping.cancel()
            following.cancel()
            await asyncio.wait((keeping, following))
        if self._clocks:
            self._clocks.clear()
            await in_thread(self._note_clocks, "end", await self._read_clocks())
        return found

    @property
    def _all(self) -> list[Job]:
        return list(self._jobs.values())

    def _noter(self, participant_id: int) -> Callable[[Ingested], None]:
        def note(stored: Ingested) -> None:
            standing = self._standings[participant_id]
            standing.unfinished |= {
                (position, number)
                for position, number, status in stored.ended
                if status in UNFINISHED
            }
            standing.completed |= {
                (position, number)
                for position, number, status in stored.ended
                if status == COMPLETE
            }
            standing.attempt, standing.ready = stored.attempt, stored.ready
            standing.listening = stored.listening
            self._changed.set()

        return note

    async def _follow_one(self, job: Job) -> Followed:
        participant_id = job.participant.id
        follower = self._followers[participant_id]
        outcome = await follower.follow()
        standing = self._standings[participant_id]
        standing.attempt, standing.ready, standing.over = None, False, True
        standing.listening = None
        is_done = outcome is Outcome.ENDED and await in_thread(_is_done, participant_id)
        if not is_done and outcome is not Outcome.NOT_OWNED:
            for other_id, other in self._followers.items():
                if other_id != participant_id:
                    other.ask_stop()
        self._changed.set()
        return Followed(outcome, follower.stop_answer)

    async def _keep(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            for abort in to_abort(self._standings, self._released):
                if abort not in self._aborted:
                    self._aborted.add(abort)
                    await self._tell(abort.participant_id, abort.attempt, None)
            for participant_id in to_stop(self._standings, self._released):
                self._followers[participant_id].ask_stop()
            await asyncio.gather(
                *(self._connect(*pair) for pair in to_connect(self._standings, self._exchanges))
            )
            ordered = to_order(self._standings)
            if ordered and ordered not in self._ordered:
                self._ordered.add(ordered)
                await self._order(ordered)
            for finished in to_finish(self._standings):
                if finished not in self._finished:
                    self._finished.add(finished)
                    await self._finish(*finished)
            released = to_release(self._standings)
            if released and released not in self._released:
                self._released.add(released)
                await self._release(released)

    async def _connect(self, listening_id: int, other_id: int) -> None:
        """Pass the listener of a transfer's attempt to the other end, once."""
        standing = self._standings[listening_id]
        attempt, listener = standing.attempt, standing.listening
        if attempt is None or listener is None or (other_id, attempt) in self._connected:
            return
        self._connected.add((other_id, attempt))
        job, generation = self._jobs[other_id], self._jobs[other_id].ownership.generation
        with participant(job):
            at = await transfer.address(self._jobs[listening_id], listener, job)
            probe = self._probes[other_id]
            await probe.connect(job.run_dir, attempt[0], (at, listener.port), generation)

    async def _order(self, attempt: Try) -> None:
        """Pass both ends of a transfer by another program their commands."""
        source, sink = self._all
        listeners = [self._standings[one.participant.id].listening for one in (source, sink)]
        with participant(source):
            found = await transfer.by_program(source, sink, listeners, attempt)
            orders = (source, found.for_source()), (sink, found.for_sink())
        for job, text in orders:
            with participant(job):
                probe, generation = self._probes[job.participant.id], job.ownership.generation
                await probe.order(job.run_dir, attempt[0], text, generation)

    async def _finish(self, participant_id: int, attempt: Try) -> None:
        """Tell an end that the program has ended at the other one."""
        job, probe = self._jobs[participant_id], self._probes[participant_id]
        with participant(job):
            await probe.finish(job.run_dir, attempt[0], job.ownership.generation)

    async def _release(self, attempt: Try) -> None:
        """Agree on a start time; abort an attempt that an earlier driver may have released."""
        clocks = await self._read_clocks()
        if not await in_thread(self._note_release, attempt, clocks):
            await asyncio.gather(*(self._tell(one, attempt, None) for one in self._jobs))
            return
        notice_s = max(LEAST_NOTICE_S, 6e-9 * max(one.uncertainty_ns for one in clocks.values()))
        at = time.clock_gettime_ns(time.CLOCK_BOOTTIME) + round(notice_s * 1e9)
        await asyncio.gather(
            *(self._tell(one, attempt, at + clocks[one].offset_ns) for one in self._jobs)
        )

    async def _tell(self, participant_id: int, attempt: Try, at: int | None) -> None:
        """Release or abort an attempt; the follower handles a probe that is gone."""
        job = self._jobs[participant_id]
        probe, generation = self._probes[participant_id], job.ownership.generation
        with participant(job):
            await probe.release(job.run_dir, attempt[0], at, generation)

    async def _read_clocks(self) -> Mapping[int, Clock]:
        oldest = min((one.read_at for one in self._clocks.values()), default=0.0)
        if not self._clocks or time.monotonic() - oldest > FRESH_S:
            found = await at_each(
                self._all, lambda job: read_clock(self._probes[job.participant.id])
            )
            self._clocks = dict(found)
        return self._clocks

    def _stored(self) -> dict[int, Standing]:
        """Return each participant's progress as stored.

        Unfinished attempts count only for trials that another participant is still running.
        """
        found = {participant_id: Standing() for participant_id in self._jobs}
        with reading() as session:
            running = session.execute(
                select(Attempt.participant_id, Attempt.trial_id, Trial.position, Attempt.number)
                .join(Trial, Trial.id == Attempt.trial_id)
                .where(Attempt.participant_id.in_(found), Attempt.status == RUNNING)
            ).all()
            for participant_id, _, position, number in running:
                if participant_id in self._fresh:
                    continue
                standing = found[participant_id]
                standing.attempt = position, number
                stored = session.get_one(Participant, participant_id)
                standing.ready = stored.ready == number
                standing.listening = Listener(*stored.listening) if stored.listening else None
            for participant_id, position, number, status in session.execute(
                select(Attempt.participant_id, Trial.position, Attempt.number, Attempt.status)
                .join(Trial, Trial.id == Attempt.trial_id)
                .where(Attempt.trial_id.in_({trial_id for _, trial_id, *_ in running}))
                .where(Attempt.status.in_((*UNFINISHED, COMPLETE)))
            ):
                standing = found[participant_id]
                ended = standing.completed if status == COMPLETE else standing.unfinished
                ended.add((position, number))
        return found

    def _note_release(self, attempt: Try, clocks: Mapping[int, Clock]) -> bool:
        """Store that an attempt is released; returns False if it already was."""
        position, number = attempt
        job = self._all[0]
        with job.writing() as (session, run):
            trial = session.scalars(
                select(Trial).where(Trial.run_id == run.id, Trial.position == position)
            ).one()
            if trial.released >= number:
                return False
            trial.released = number
            self._store_clocks(session, "start", clocks)
        return True

    def _note_clocks(self, when: str, clocks: Mapping[int, Clock]) -> None:
        with self._all[0].writing() as (session, _):
            self._store_clocks(session, when, clocks)

    def _store_clocks(self, session: Session, when: str, clocks: Mapping[int, Clock]) -> None:
        """Store the first reading in use, the last one, and the one with the largest error."""
        for participant_id, clock in clocks.items():
            one = session.get_one(Participant, participant_id)
            known = one.clock or {}
            told = {"offset_ns": clock.offset_ns, "uncertainty_ns": clock.error_ns}
            worst = max((known.get("worst", told), told), key=lambda of: of["uncertainty_ns"])
            first = {} if when in known and when != "end" else {when: told}
            one.clock = known | first | {"worst": worst}


def _is_done(participant_id: int) -> bool:
    """Return whether the probe completed its plan."""
    with reading() as session:
        ended = last_end(session, participant_id)
    return ended is not None and ended.status == "done"
