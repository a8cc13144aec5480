"""Turns for the work of requests that arrive or are answered in a crowd.

A thousand requests that wait for the same change would otherwise keep the event loop busy for a
second when it comes. They take turns, and between these the loop is free for other requests.
"""

import asyncio
import time
from collections import deque

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
