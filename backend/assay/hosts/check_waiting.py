"""Requests that wait for the end of a check, without holding a database session."""

from typing import Annotated

from fastapi import Query, Request
from fastapi.concurrency import run_in_threadpool

from assay.db.database import reading
from assay.deadline import Deadline
from assay.hosts.checks import ENDED
from assay.hosts.models import Check
from assay.messaging.changes import Broadcaster, wait_for

CheckWait = Annotated[
    float,
    Query(ge=0, le=600, allow_inf_nan=False, description="Maximum time to wait for the end, s"),
]


async def ended(request: Request, check_id: int, seconds: float) -> Check:
    """Wait until the check ends, for at most `seconds`; return its current row."""
    broadcaster: Broadcaster = request.app.state.broadcaster
    deadline = Deadline(seconds)
    with broadcaster.subscription(f"check:{check_id}") as changed:
        while True:
            check = await run_in_threadpool(_load, check_id)
            if check.state in ENDED or deadline.over():
                return check
            await wait_for(changed, deadline.left())


def _load(check_id: int) -> Check:
    with reading() as session:
        return session.get_one(Check, check_id)
