"""What a driver works on: a run, its participants and its ownership."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, TypeVar

from assay.base import logs
from assay.runs.changes import runs_changed
from assay.tables.campaigns import Campaign
from assay.tables.database import reading, writing
from assay.tables.hosts import Host
from assay.tables.ownership import Ownership, held
from assay.tables.runs import Participant, Run
from assay.tables.targets import Target
from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from assay_worker.errors import GenerationTooLowError, HostError
from assay_worker.hosts import Access, access

DEFAULT_WATCH_MS = 600_000

T = TypeVar("T")


@dataclass(frozen=True)
class Job:
    """One participant of a run, as loaded; `participants` are all of the run.

    Without a `target`, the participant's end of a transfer is the memory of its host.
    """

    ownership: Ownership[Run]
    run: Run
    campaign: Campaign
    participant: Participant
    host: Host
    target: Target | None
    participants: Sequence[Participant]

    @property
    def started(self) -> bool:
        """Whether a probe may have been started: the folder is stored before the start."""
        return any(one.run_dir is not None for one in self.participants)

    @property
    def together(self) -> bool:
        """Whether the run has several participants, so that messages have to name the host."""
        return len(self.participants) > 1

    @property
    def measured(self) -> bool:
        """Whether events of the run are stored."""
        return any(one.offset for one in self.participants)

    @property
    def cancelled(self) -> bool:
        """Whether cancellation of the campaign had been requested when this was loaded."""
        return self.campaign.cancel_requested_at is not None

    @property
    def run_dir(self) -> str:
        """The run's folder on the host."""
        return self.participant.run_dir or ""

    @property
    def name(self) -> str:
        """The run's name on the host."""
        return PurePosixPath(self.run_dir).name

    @property
    def watch_ms(self) -> int:
        """The watch deadline: how long a probe continues unwatched, in milliseconds."""
        snapshot: dict[str, Any] = self.campaign.profile_snapshot
        body: dict[str, Any] = snapshot.get("body", snapshot)
        watch_ms = self.run.parameters.get("watch_ms") or body.get("watch_ms")
        return int(watch_ms or DEFAULT_WATCH_MS)

    def way(self) -> Access:
        """Return how to connect to the host; raises HostError."""
        with reading() as session:
            return access(session, self.host)

    @contextmanager
    def writing(self, hosts: Collection[int] = ()) -> Generator[tuple[Session, Run]]:
        """Open a transaction on the run as its owner; subscribers are notified of the change.

        Hosts are locked before the run, as in every transaction.

        Raises StaleGenerationError if another worker has taken the run.
        """
        with writing() as session:
            for host_id in sorted(hosts):
                session.get(Host, host_id, with_for_update=True)
            run = held(session, self.ownership)
            yield session, run
            session.flush()
            runs_changed(session, {run.id: run.campaign_id})


def load(ownership: Ownership[Run]) -> list[Job]:
    """Load the run: one job per participant, in order."""
    with reading() as session:
        participants = session.scalars(
            select(Participant)
            .where(Participant.run_id == ownership.id)
            .order_by(Participant.position)
            .options(
                joinedload(Participant.run).joinedload(Run.campaign),
                joinedload(Participant.host),
                joinedload(Participant.target).joinedload(Target.array),
            )
        ).all()
        if not participants:
            raise LookupError(f"run {ownership.id} has no participant")
        return [_job(ownership, one, participants) for one in participants]


def reloaded(job: Job) -> Job:
    """Load the job again."""
    return next(one for one in load(job.ownership) if one.participant.id == job.participant.id)


def _job(ownership: Ownership[Run], one: Participant, participants: Sequence[Participant]) -> Job:
    return Job(ownership, one.run, one.run.campaign, one, one.host, one.target, participants)


class ParticipantError(Exception):
    """A host error and the participant at which it occurred."""

    def __init__(self, job: Job, error: HostError) -> None:
        """Keep both."""
        super().__init__(str(error))
        self.job, self.error = job, error


async def at_each(jobs: Sequence[Job], work: Callable[[Job], Awaitable[T]]) -> Mapping[int, T]:
    """Call `work` for all participants concurrently; returns the results by participant id.

    If one fails, the others are canceled. Raises ParticipantError for a HostError.
    """
    if len(jobs) == 1:  # saves a task per run
        return {jobs[0].participant.id: await _at(jobs[0], work)}
    tasks = [asyncio.create_task(_at(job, work)) for job in jobs]
    try:
        found = await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    return {job.participant.id: one for job, one in zip(jobs, found, strict=True)}


async def _at(job: Job, work: Callable[[Job], Awaitable[T]]) -> T:
    with participant(job):
        return await work(job)


@contextmanager
def participant(job: Job) -> Generator[None]:
    """Raise a HostError of the block as a ParticipantError of this participant."""
    try:
        with logs.of_trial(job.participant.current_trial_id):
            yield
    except GenerationTooLowError:
        raise
    except HostError as error:
        if job.together:
            error.name(job.host.name)
        raise ParticipantError(job, error) from error
