"""The transitions of a run between its states, and which worker drives it.

*Lost* is not a state but a condition of an active run: its host has been unreachable for longer
than a limit. It never replaces the state.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import Session, object_session

from assay.base.settings import settings
from assay.base.states import (
    ACTIVE,
    CANCELLED,
    DONE,
    FAILED,
    FINAL,
    FINISHING,
    PREPARING,
    QUEUED,
    RUNNING,
)
from assay.inventory.codes import StateCode
from assay.tables import ownership
from assay.tables.clock import moment, now
from assay.tables.ownership import Ownership, without_owner
from assay.tables.runs import Run

TRANSITIONS: dict[str, frozenset[str]] = {
    QUEUED: frozenset({PREPARING, CANCELLED, FAILED}),
    PREPARING: frozenset({QUEUED, RUNNING, FINISHING, FAILED, CANCELLED}),
    RUNNING: frozenset({FINISHING, FAILED, CANCELLED}),
    FINISHING: frozenset({DONE, FAILED, CANCELLED}),
    DONE: frozenset(),
    FAILED: frozenset(),
    CANCELLED: frozenset(),
}


class WrongTransitionError(Exception):
    """A run was asked to make a transition that does not exist."""

    def __init__(self, run_id: int, state: str, wanted: str) -> None:
        """Keep the facts in addition to the message."""
        super().__init__(f"run {run_id} cannot go from {state} to {wanted}")
        self.run_id, self.state, self.wanted = run_id, state, wanted


def is_lost() -> ColumnElement[bool]:
    """Return SQL for whether an active run's host has been unreachable for too long."""
    limit = timedelta(seconds=settings().lost_after_seconds)
    return and_(Run.state.in_(ACTIVE), Run.unreachable_since < moment(-limit))


def lost_among(session: Session, runs: Sequence[Run]) -> set[int]:
    """Return the ids of those runs that are lost."""
    away = [run.id for run in runs if run.unreachable_since is not None]
    if not away:
        return set()
    return set(session.scalars(select(Run.id).where(Run.id.in_(away), is_lost())))


def check(run_id: int, state: str, wanted: str) -> None:
    """Raise WrongTransitionError unless a run may go from `state` to `wanted`."""
    if wanted != state and wanted not in TRANSITIONS[state]:
        raise WrongTransitionError(run_id, state, wanted)


def enter(
    run: Run,
    wanted: str,
    reason: str | None = None,
    error: dict[str, Any] | None = None,
    at: datetime | None = None,
) -> None:
    """Move `run`, which belongs to a session, to a state; raises WrongTransitionError.

    `at` is the current time, if the caller has it. `reason` is shown next to the state; `error`
    (code, title, detail, remedy) is kept once set.
    """
    check(run.id, run.state, wanted)
    if run.state != wanted:
        run.state, run.state_since = wanted, at or _now(run)
    explain(run, None, reason)
    run.error = error or run.error
    if wanted == QUEUED:
        run.started_at = run.worker = None
    else:
        run.waits_for = None
    if wanted == PREPARING and run.started_at is None:
        run.started_at = run.state_since
    if wanted in FINAL:
        run.ended_at = run.state_since


def explain(run: Run, code: StateCode | None, reason: str | None) -> None:
    """Show why a run is in its state, next to the state; `code` tells apart what passes."""
    run.state_code, run.state_reason = code, reason[:1000] if reason else None


def _now(run: Run) -> datetime:
    session = object_session(run)
    if session is None:
        raise ValueError(f"run {run.id} belongs to no session")
    return now(session)


def without_driver() -> ColumnElement[bool]:
    """Return SQL for whether an active run has no driver."""
    return and_(Run.state.in_(ACTIVE), without_owner(Run))


def take_ownership(session: Session, run_id: int, owner: str) -> Ownership[Run] | None:
    """Become the driver of a run; return None if it has one or needs none."""
    return ownership.take(session, Run, run_id, owner, without_driver(), retry_at=None)
