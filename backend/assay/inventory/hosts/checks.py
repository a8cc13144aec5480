"""Checks: the API requests them, workers run them, and requests wait for their end."""

import contextlib
from datetime import timedelta
from functools import partial
from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.concurrency import run_in_threadpool
from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import Session

from assay.base.deadline import Deadline
from assay.base.messaging.queue import enqueue
from assay.base.messaging.watching import Watches
from assay.base.turns import disconnection
from assay.inventory.hosts.lifecycle import CHECKED
from assay.tables.clock import moment
from assay.tables.database import reading
from assay.tables.hosts import Check
from assay.tables.ownership import Ownership, take, without_owner

DEDUPLICATED_FOR = timedelta(minutes=2)
"""An equal request within this time returns the pending check instead of a new one."""


def ask(session: Session, host_id: int, kind: str, request: dict[str, Any]) -> Check:
    """Create a check, or return an equal pending one; wake a worker after the commit."""
    pending = session.scalars(
        select(Check).where(
            Check.host_id == host_id,
            Check.kind == kind,
            Check.state.not_in(CHECKED),
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
    return and_(Check.state.not_in(CHECKED), without_owner(Check))


def claim(session: Session, check_id: int, owner: str) -> Ownership[Check] | None:
    """Start a check; return None if another worker owns it or it has ended."""
    begun = {"state": "running", "started_at": moment()}
    return take(session, Check, check_id, owner, unclaimed(), **begun)


CheckWait = Annotated[
    float,
    Query(ge=0, le=600, allow_inf_nan=False, description="Maximum time to wait for the end, s"),
]


async def ended(
    request: Request, check_id: int, seconds: float, *, for_client: bool = False
) -> Check:
    """Wait until the check ends, for at most `seconds`; return its current row.

    `for_client`: return also once the client has disconnected.
    """
    watches: Watches = request.app.state.watches
    deadline, active = Deadline(seconds), partial(_is_active, check_id)
    with disconnection(request) if for_client else contextlib.nullcontext() as gone:
        while True:
            await watches.end(f"check:{check_id}", active, deadline.left(), gone)
            check = await run_in_threadpool(_load, check_id)
            if check.state in CHECKED or deadline.over() or (gone is not None and gone.done()):
                return check


def _is_active(check_id: int) -> bool:
    return _load(check_id).state not in CHECKED


def _load(check_id: int) -> Check:
    with reading() as session:
        return session.get_one(Check, check_id)
