"""Questions to a host: asked here, answered by a worker, waited for without holding a session."""

from datetime import timedelta
from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.concurrency import run_in_threadpool
from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import Session

from assay.db.clock import moment
from assay.db.database import reading
from assay.db.ownership import Ownership, take, without_owner
from assay.deadline import Deadline
from assay.hosts.models import Check
from assay.messaging.changes import Broadcaster, wait_for
from assay.messaging.queue import enqueue

ENDED = frozenset({"ok", "failed"})
SAME_QUESTION = timedelta(minutes=2)
"""A question that was asked within this time and is not answered yet is not asked again."""

Wait = Annotated[
    float,
    Query(ge=0, le=600, allow_inf_nan=False, description="Longest time to wait for the end, s"),
]


def ask(session: Session, host_id: int, kind: str, request: dict[str, Any]) -> Check:
    """Write the question down, and ring for a worker once that is committed."""
    pending = session.scalars(
        select(Check).where(
            Check.host_id == host_id,
            Check.kind == kind,
            Check.state.not_in(ENDED),
            Check.created_at > moment(-SAME_QUESTION),
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
    """Whether a check that is not answered yet is nobody's."""
    return and_(Check.state.not_in(ENDED), without_owner(Check))


def claim(session: Session, check_id: int, owner: str) -> Ownership[Check] | None:
    """Begin to answer a check; None when another worker does, or nobody needs to."""
    begun = {"state": "running", "started_at": moment()}
    return take(session, Check, check_id, owner, unclaimed(), **begun)


async def ended(request: Request, check_id: int, seconds: float) -> Check:
    """The check as it is when it has ended, or after `seconds`."""
    broadcaster: Broadcaster = request.app.state.broadcaster
    deadline = Deadline(seconds)
    with broadcaster.listening(f"check:{check_id}") as bell:
        while True:
            check = await run_in_threadpool(_load, check_id)
            if check.state in ENDED or deadline.over():
                return check
            await wait_for(bell, deadline.left())


def _load(check_id: int) -> Check:
    with reading() as session:
        return session.get_one(Check, check_id)
