"""The barrier: several participants start each trial together, at an agreed time.

Each probe reports `ready` before a trial and waits. When all are ready for the same attempt, the
driver writes down that it is released, and tells each probe when to start by that host's own clock.
Where the attempt of one failed or was interrupted, the others stop theirs: they would measure
another load. Where a participant's probe has ended before the others', theirs are stopped as well,
and all begin anew together.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from assay.db.database import reading
from assay.recording.ingest import Ingested
from assay.runs.attempts import RUNNING
from assay.runs.models import Attempt, Participant, Trial
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay_worker.answers import Stopped
from assay_worker.driver.finish import last_end
from assay_worker.driver.follow import Follower, Outcome
from assay_worker.driver.job import Job, at_each, participant
from assay_worker.loop import in_thread
from assay_worker.probe import Probe

READINGS = 3
"""Readings of a host's clock, of which the one with the shortest answer counts."""

FRESH_S = 60.0
"""How long a reading serves: two quartz clocks drift apart by 6 ms meanwhile."""

LEAST_NOTICE_S = 0.2
"""Between a release and the agreed start at least; three times the longest answer otherwise."""

UNFINISHED = frozenset({"failed", "stopped", "interrupted"})
"""Statuses of an attempt after which the others stop theirs."""

Try = tuple[int, int]
"""An attempt that all participants make together: the position of its trial, and its number."""


@dataclass(frozen=True)
class Clock:
    """How far a host's boot clock is ahead of this worker's, and by how much that may be wrong."""

    offset_ns: int
    uncertainty_ns: int
    read_at: float
    """Seconds on the monotonic clock."""


async def read_clock(probe: Probe) -> Clock:
    """Compare the host's clock with ours; raises HostError.

    The host's reading lies somewhere between question and answer: its middle is assumed.
    """
    found: list[Clock] = []
    for _ in range(READINGS):
        asked = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        there = int((await probe.version())["boottime_ns"])
        answered = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        half = (answered - asked) // 2
        found.append(Clock(there - asked - half, half, time.monotonic()))
    return min(found, key=lambda clock: clock.uncertainty_ns)


@dataclass
class Standing:
    """How far a participant is: the attempt that waits there, the last that ended, and how."""

    ready: Try | None = None
    ended: Try | None = None
    status: str = ""


@dataclass(frozen=True)
class Abort:
    """An attempt that a participant has to stop, since that of another did not finish."""

    participant_id: int
    attempt: Try


def to_release(standings: Mapping[int, Standing]) -> Try | None:
    """Return the attempt that all participants are ready for."""
    waiting = {standing.ready for standing in standings.values()}
    return waiting.pop() if len(waiting) == 1 else None


def to_abort(standings: Mapping[int, Standing]) -> list[Abort]:
    """Return the attempts that participants have to stop.

    Where all wait for different attempts, the earliest can never begin.
    """
    unfinished = {s.ended for s in standings.values() if s.ended and s.status in UNFINISHED}
    waiting = {standing.ready for standing in standings.values()}
    if None not in waiting and len(waiting) > 1:
        unfinished.add(min(one for one in waiting if one))
    return [
        Abort(participant_id, attempt)
        for attempt in sorted(unfinished)
        for participant_id, standing in standings.items()
        if standing.ended is None or standing.ended < attempt
    ]


@dataclass(frozen=True)
class Followed:
    """Why following a participant ended; `stop_answer` is what its probe said when stopped."""

    outcome: Outcome
    stop_answer: Stopped | None


async def follow(jobs: Sequence[Job], probes: Mapping[int, Probe]) -> Mapping[int, Followed]:
    """Follow all probes to their ends, by participant id; several start each trial together.

    Raises what `Follower.follow` does, a HostError as ParticipantError.
    """
    if len(jobs) > 1:
        return await Barrier(jobs, probes).follow()
    follower = Follower(jobs[0], probes[jobs[0].participant.id])

    async def one(_: Job) -> Followed:
        return Followed(await follower.follow(), follower.stop_answer)

    return await at_each(jobs, one)


class Barrier:
    """Starts and stops the attempts of a run's participants together."""

    def __init__(self, jobs: Sequence[Job], probes: Mapping[int, Probe]) -> None:
        """Know nothing yet of where the participants are."""
        self._jobs = {job.participant.id: job for job in jobs}
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

    async def follow(self) -> Mapping[int, Followed]:
        """Follow all participants, and release and abort their attempts meanwhile."""
        self._standings |= await in_thread(self._stored)
        self._changed.set()
        keeping = asyncio.create_task(self._keep())
        following = asyncio.create_task(at_each(self._all, self._follow_one))
        try:
            await asyncio.wait((keeping, following), return_when=asyncio.FIRST_COMPLETED)
            if not following.done():
                keeping.result()  # it ends by an error alone
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
            for position, number, status in stored.ended:
                standing.ended, standing.status = (position, number), status
            standing.ready = stored.ready
            self._changed.set()

        return note

    async def _follow_one(self, job: Job) -> Followed:
        participant_id = job.participant.id
        follower = self._followers[participant_id]
        outcome = await follower.follow()
        standing = self._standings[participant_id]
        standing.ready = None
        if outcome is not Outcome.ENDED or not await in_thread(_is_done, participant_id):
            for other_id, other in self._followers.items():
                if other_id != participant_id:
                    other.ask_stop()
        self._changed.set()
        return Followed(outcome, follower.stop_answer)

    async def _keep(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            for abort in to_abort(self._standings):
                if abort not in self._aborted:
                    self._aborted.add(abort)
                    await self._tell(abort.participant_id, abort.attempt, None)
            released = to_release(self._standings)
            if released and released not in self._released:
                self._released.add(released)
                await self._release(released)

    async def _release(self, attempt: Try) -> None:
        """Agree on a start; one that a driver before this one may have told is aborted instead."""
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
        """Release or abort an attempt; a probe that is gone is its follower's business."""
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
        """How far each participant is, by what is stored of it.

        An attempt that has ended is of interest only while another participant still makes it:
        one of an earlier plan says nothing about this one's.
        """
        found = {participant_id: Standing() for participant_id in self._jobs}
        under_way: set[Try] = set()
        with reading() as session:
            for participant_id, standing in found.items():
                ready = session.get_one(Participant, participant_id).ready
                for position, number, status in session.execute(
                    select(Trial.position, Attempt.number, Attempt.status)
                    .join(Trial, Trial.id == Attempt.trial_id)
                    .where(Attempt.participant_id == participant_id)
                    .order_by(Attempt.id.desc())
                    .limit(2)
                ):
                    if status == RUNNING:
                        under_way.add((position, number))
                        standing.ready = (position, number) if number == ready else None
                    elif standing.ended is None:
                        standing.ended, standing.status = (position, number), status
        for standing in found.values():
            if standing.ended not in under_way:
                standing.ended, standing.status = None, ""
        return found

    def _note_release(self, attempt: Try, clocks: Mapping[int, Clock]) -> bool:
        """Write down that an attempt begins; returns False where that was so before."""
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
        for participant_id, clock in clocks.items():
            one = session.get_one(Participant, participant_id)
            known = one.clock or {}
            if when == "end" or when not in known:
                told = {"offset_ns": clock.offset_ns, "uncertainty_ns": clock.uncertainty_ns}
                one.clock = known | {when: told}


def _is_done(participant_id: int) -> bool:
    """Whether the probe has measured its whole plan."""
    with reading() as session:
        ended = last_end(session, participant_id)
    return ended is not None and ended.status == "done"
