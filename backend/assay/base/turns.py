"""Requests that wait for something leave room for others: they take turns.

A thousand of them may arrive, or be answered, at the same moment. They take turns, between which
the event loop is free, and occupy neither a thread nor a database session while they wait. What
they wait for is read once for all (`assay.base.messaging.watching`, `assay.base.shared_reads`).

Without turns, a thousand requests that wait for the same change would keep the event loop busy for
a second when it comes.
"""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Generator

from fastapi import Request

SLICE_S = 0.003
"""How long turns follow each other without a pause, which is then as long as they took."""


class Turns:
    """Lets one waiting coroutine continue after the other; used by one event loop."""

    def __init__(self) -> None:
        """Start with nobody waiting."""
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._giving: asyncio.Task[None] | None = None

    async def take(self) -> None:
        """Wait for a turn; it lasts until the next `await` that does not return at once."""
        mine = asyncio.get_running_loop().create_future()
        self._waiting.append(mine)
        if self._giving is None:
            self._giving = asyncio.create_task(self._give(), name="turns")
        await mine

    async def _give(self) -> None:
        try:
            began = time.monotonic()
            while self._waiting:
                if not (first := self._waiting.popleft()).done():  # not canceled
                    first.set_result(None)
                    await asyncio.sleep(0)
                if (took := time.monotonic() - began) > SLICE_S:
                    await asyncio.sleep(took)
                    began = time.monotonic()
        finally:
            self._giving = None


@contextlib.contextmanager
def disconnection(request: Request) -> Generator[asyncio.Task[None]]:
    """Yield a task that ends when the client of a request disconnects; its body was read before."""

    async def wait() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    task = asyncio.create_task(wait())
    try:
        yield task
    finally:
        task.cancel()
