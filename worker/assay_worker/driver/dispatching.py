"""Admission after runs have ended: one round of the dispatcher for all that end at once."""

import asyncio

from assay.runs.scheduling import reservations
from assay.tables.database import writing

from assay_worker.loop import in_thread

GATHER_S = 0.05

_next: asyncio.Task[None] | None = None
_one_at_a_time = asyncio.Lock()


def dispatch() -> None:
    """Admit the queued runs whose resources are free, and wake their workers."""
    with writing() as session:
        reservations.dispatch(session)


async def dispatch_after_end() -> None:
    """Wait for a round that begins after this call; concurrent callers share it."""
    global _next  # noqa: PLW0603 - one round for the process
    if _next is None:
        _next = asyncio.create_task(_round())
    await asyncio.shield(_next)


async def _round() -> None:
    global _next  # noqa: PLW0603
    await asyncio.sleep(GATHER_S)
    async with _one_at_a_time:
        _next = None  # a run that ends from now on needs another round
        await in_thread(dispatch)
