"""Checks: the API requests them, and workers run them."""

from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import Session

from assay.db.clock import moment
from assay.db.ownership import Ownership, take, without_owner
from assay.hosts.models import Check
from assay.messaging.queue import enqueue

ENDED = frozenset({"ok", "failed"})
DEDUPLICATED_FOR = timedelta(minutes=2)
"""An equal request within this time returns the pending check instead of a new one."""


def ask(session: Session, host_id: int, kind: str, request: dict[str, Any]) -> Check:
    """Create a check, or return an equal pending one; wake a worker after the commit."""
    pending = session.scalars(
        select(Check).where(
            Check.host_id == host_id,
            Check.kind == kind,
            Check.state.not_in(ENDED),
            Check.created_at > moment(-DEDUPLICATED_FOR),
        )
    )
    for check in pending:
        if check.request == request:
            return check
    check = Check(host_id=host_id, kind=kind, request=request, state="queued")
    session.add(check)
    session.flush()
    enqueue("assay.run_check", check.id, after=session)
    return check


def unclaimed() -> ColumnElement[bool]:
    """Return SQL for checks that have neither ended nor an owner."""
    return and_(Check.state.not_in(ENDED), without_owner(Check))


def claim(session: Session, check_id: int, owner: str) -> Ownership[Check] | None:
    """Start a check; return None if another worker owns it or it has ended."""
    begun = {"state": "running", "started_at": moment()}
    return take(session, Check, check_id, owner, unclaimed(), **begun)
