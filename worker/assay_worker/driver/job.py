"""What a driver works on: a run and its participant as loaded, and the right to write."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from assay.campaigns.models import Campaign
from assay.db.database import reading, writing
from assay.db.ownership import Ownership, held
from assay.hosts.models import Host
from assay.messaging.changes import runs_changed
from assay.runs.models import Participant, Run
from assay.targets.models import Target
from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from assay_worker.hosts import Access, access

DEFAULT_WATCH_MS = 600_000


@dataclass(frozen=True)
class Job:
    """A run with its one participant; matrices have no second one."""

    ownership: Ownership[Run]
    run: Run
    campaign: Campaign
    participant: Participant
    host: Host
    target: Target

    @property
    def started(self) -> bool:
        """Whether a probe may have been started: the folder is written down before it is."""
        return self.participant.run_dir is not None

    @property
    def cancelled(self) -> bool:
        """Whether somebody had cancelled the campaign when this was loaded."""
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
        """How long a probe goes on unwatched."""
        snapshot: dict[str, Any] = self.campaign.profile_snapshot
        body: dict[str, Any] = snapshot.get("body", snapshot)
        watch_ms = self.run.parameters.get("watch_ms") or body.get("watch_ms")
        return int(watch_ms or DEFAULT_WATCH_MS)

    def way(self) -> Access:
        """How to reach the host; raises HostError."""
        with reading() as session:
            return access(session, self.host)

    @contextmanager
    def writing(self, *, host: bool = False) -> Generator[tuple[Session, Run]]:
        """A transaction on the run as its owner, announced as a change of its campaign.

        With `host`, the host's row is locked too, and before the run's: the one order of all.

        Raises StaleGenerationError when another worker has taken the run.
        """
        with writing() as session:
            if host:
                session.get(Host, self.host.id, with_for_update=True)
            run = held(session, self.ownership)
            yield session, run
            session.flush()
            runs_changed(session, {run.id: run.campaign_id})


def load(ownership: Ownership[Run]) -> Job:
    """The run as it is now."""
    with reading() as session:
        participant = session.scalars(
            select(Participant)
            .where(Participant.run_id == ownership.id)
            .order_by(Participant.position)
            .options(
                joinedload(Participant.run).joinedload(Run.campaign),
                joinedload(Participant.host),
                joinedload(Participant.target).joinedload(Target.array),
            )
        ).first()
        if participant is None or participant.target is None:
            raise LookupError(f"run {ownership.id} has no participant with a target")
        run = participant.run
        return Job(ownership, run, run.campaign, participant, participant.host, participant.target)
