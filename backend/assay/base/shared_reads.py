"""Reads of the database that many requests need at once: one read answers all of them."""

import asyncio
import time
from collections.abc import Callable, Hashable
from contextlib import AsyncExitStack
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from anyio import CapacityLimiter, to_thread
from cachetools import TTLCache

READERS = 2
"""Reads at once: they need CPU time and connections, of which other requests need most."""

PAUSE_S, LONGEST_PAUSE_S = 0.3, 2.0
REST = 10
"""The pause after a read of one key: `REST` times as long as the read took, between these."""

MOST_KEYS = 10_000

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class SharedReads(Generic[Key, Value]):
    """Reads by key, for requests that can wait a moment; used by one event loop.

    A value is as new as if each request had read it for itself: the read begins after the request
    asked for it. Those that come while one is running share the next one, after a pause.
    """

    def __init__(self) -> None:
        """Start without reads."""
        self._next: dict[Key, asyncio.Task[Value]] = {}
        self._turns: WeakValueDictionary[Key, asyncio.Lock] = WeakValueDictionary()
        self._due = TTLCache[Key, float](MOST_KEYS, LONGEST_PAUSE_S)
        self._readers, self._threads = CapacityLimiter(READERS), CapacityLimiter(READERS)

    async def get(self, key: Key, read: Callable[[], Value]) -> Value:
        """Return what `read`, or that of another request for the same key, returns in a thread."""
        upcoming = self._next.get(key)
        if upcoming is None:
            upcoming = self._next[key] = asyncio.create_task(self._read(key, read))
            upcoming.add_done_callback(_seen)
        return await asyncio.shield(upcoming)  # others wait for it, too

    async def _read(self, key: Key, read: Callable[[], Value]) -> Value:
        async with AsyncExitStack() as held:
            try:
                await held.enter_async_context(self._turns.setdefault(key, asyncio.Lock()))
                await asyncio.sleep(self._due.get(key, 0.0) - time.monotonic())
                await held.enter_async_context(self._readers)
            finally:
                del self._next[key]  # what is asked for from now on needs another read
            began = time.monotonic()
            try:
                return await to_thread.run_sync(read, limiter=self._threads)
            finally:
                ended = time.monotonic()
                pause = min(max(PAUSE_S, REST * (ended - began)), LONGEST_PAUSE_S)
                self._due[key] = ended + pause


def _seen(read: asyncio.Task[Value]) -> None:
    """Look at the error of a read whose requests have all been disconnected: it is no bug."""
    if not read.cancelled():
        read.exception()
