"""What still uses a host or a target, and so decides whether it may be deleted."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.base.states import ACTIVE, QUEUED
from assay.tables.runs import Participant, Run
from assay.tables.targets import Target


def unended(
    session: Session, *, host_id: int | None = None, target_id: int | None = None
) -> list[int]:
    """Return ids of queued and active runs on a host or a target, or with files read back there."""
    if target_id is not None:
        on_it = Participant.target_id == target_id
        read_back = Run.read_back_target_id == target_id
    else:
        on_it = Participant.host_id == host_id
        its_targets = select(Target.id).where(Target.host_id == host_id)
        read_back = Run.read_back_target_id.in_(its_targets)
    on_it_runs = select(Participant.run_id).where(on_it)
    found = select(Run.id).where(
        Run.state.in_([QUEUED, *ACTIVE]), Run.id.in_(on_it_runs) | read_back
    )
    return sorted(session.scalars(found))
