"""Which worker drives a run."""

from sqlalchemy import ColumnElement, and_
from sqlalchemy.orm import Session

from assay.db import ownership
from assay.db.ownership import Ownership, without_owner
from assay.runs.lifecycle import ACTIVE
from assay.runs.models import Run


def without_driver() -> ColumnElement[bool]:
    """Return SQL for whether an active run has no driver."""
    return and_(Run.state.in_(ACTIVE), without_owner(Run))


def take(session: Session, run_id: int, owner: str) -> Ownership[Run] | None:
    """Become the driver of a run; return None if it has one or needs none."""
    return ownership.take(session, Run, run_id, owner, without_driver(), retry_at=None)
