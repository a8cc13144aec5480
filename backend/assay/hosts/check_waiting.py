"""Requests that wait for the end of a check, without holding a database session."""

from collections.abc import Awaitable
from typing import Annotated

from fastapi import Query, Request
from fastapi.concurrency import run_in_threadpool

from assay.db.database import reading
from assay.hosts.checks import ENDED
from assay.hosts.models import Check
from assay.messaging.changes import Broadcaster, until

CheckWait = Annotated[
    float,
    Query(ge=0, le=600, allow_inf_nan=False, description="Maximum time to wait for the end, s"),
]


async def ended(request: Request, check_id: int, seconds: float) -> Check:
    """Wait until the check ends, for at most `seconds`; return its current row."""
    broadcaster: Broadcaster = request.app.state.broadcaster

    def load() -> Awaitable[Check]:
        return run_in_threadpool(_load, check_id)

    return await until(
        broadcaster, f"check:{check_id}", load, lambda check: check.state in ENDED, seconds
    )


def _load(check_id: int) -> Check:
    with reading() as session:
        return session.get_one(Check, check_id)
