"""Requests that wait for the end of a check, without holding a database session."""

import contextlib
from functools import partial
from typing import Annotated

from fastapi import Query, Request
from fastapi.concurrency import run_in_threadpool

from assay.db.database import reading
from assay.deadline import Deadline
from assay.hosts.checks import ENDED
from assay.hosts.models import Check
from assay.http.disconnection import disconnection
from assay.messaging.watching import Watches

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
            if check.state in ENDED or deadline.over() or (gone is not None and gone.done()):
                return check


def _is_active(check_id: int) -> bool:
    return _load(check_id).state not in ENDED


def _load(check_id: int) -> Check:
    with reading() as session:
        return session.get_one(Check, check_id)
