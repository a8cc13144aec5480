"""Ownership: which worker drives a run.

It is taken by one compare-and-set that raises the run's generation, it ends by itself unless it
is renewed, and every later write names its generation: a worker that was thought dead and comes
back can not write any more. The probe refuses a lower generation as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, or_, select, update
from sqlalchemy.orm import Session

from assay.database import among, now
from assay.runs.ingest import StaleGenerationError
from assay.runs.lifecycle import ACTIVE
from assay.runs.models import Run
from assay.settings import settings


@dataclass(frozen=True)
class Ownership:
    """The right to drive a run, until somebody takes a higher generation."""

    run_id: int
    generation: int
    owner: str


def without_driver() -> ColumnElement[bool]:
    """Whether an active run is nobody's.

    An end far in the future was written by a clock that has been set back since, and counts as
    passed: a live owner renews it, a dead one must not hold the run for an hour.
    """
    present = now()
    longest = timedelta(seconds=2 * settings().ownership_seconds)
    return and_(
        Run.state.in_(ACTIVE),
        or_(
            Run.owned_until.is_(None),
            Run.owned_until < present,
            Run.owned_until > present + longest,
        ),
    )


def take(session: Session, run_id: int, owner: str) -> Ownership | None:
    """Become the driver of a run; None when it has one, or needs none."""
    generation = session.execute(
        update(Run)
        .where(Run.id == run_id, without_driver())
        .values(
            owner=owner,
            generation=Run.generation + 1,
            owned_until=_end(),
            retry_at=None,
        )
        .returning(Run.generation)
        .execution_options(synchronize_session=False)
    ).scalar_one_or_none()
    return None if generation is None else Ownership(run_id, generation, owner)


def renew(session: Session, ownerships: Sequence[Ownership]) -> set[Ownership]:
    """Move the ownerships' end; returns those neither taken by another worker nor let go."""
    claimed = [one.run_id for one in ownerships]
    owned = session.execute(
        select(Run.id, Run.generation)
        .where(among(session, Run.id, claimed), Run.owner.is_not(None))
        .order_by(Run.id)  # every worker locks in this order
        .with_for_update()
    ).all()
    generations = dict(map(tuple[int, int], owned))
    ours = {one for one in ownerships if generations.get(one.run_id) == one.generation}
    session.execute(
        update(Run)
        .where(among(session, Run.id, [one.run_id for one in ours]))
        .values(owned_until=_end())
        .execution_options(synchronize_session=False)
    )
    return ours


def release(session: Session, ownership: Ownership) -> None:
    """Let go, so that the next slice need not wait for the ownership's end."""
    session.execute(
        update(Run)
        .where(Run.id == ownership.run_id, Run.generation == ownership.generation)
        .values(owner=None, owned_until=None)
        .execution_options(synchronize_session=False)
    )


def held(session: Session, ownership: Ownership) -> Run:
    """The run, locked for this transaction; raises StaleGenerationError."""
    run = session.scalars(
        select(Run)
        .where(Run.id == ownership.run_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one()
    if run.generation != ownership.generation:
        raise StaleGenerationError(run.id, ownership.generation, run.generation)
    return run


def _end() -> datetime:
    return now() + timedelta(seconds=settings().ownership_seconds)
