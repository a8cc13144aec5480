"""Requests that wait for the end of something that changes, however many wait for the same.

One reader per topic looks at it after each change, and no request holds a session or a thread.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Generator

from fastapi.concurrency import run_in_threadpool

from assay.base.messaging.changes import POLL_S, Broadcaster, wait_for

SHORTEST_PAUSE_S = 0.3
"""Between two looks at something that changes all the time."""

log = logging.getLogger(__name__)


class _Watch:
    """Looks at one thing until it is no longer active, or cannot be read."""

    def __init__(self, topic: str, is_active: Callable[[], bool], broadcaster: Broadcaster) -> None:
        self.waiting: set[asyncio.Future[None]] = set()
        self.task = asyncio.create_task(
            self._run(topic, is_active, broadcaster), name=f"end of {topic}"
        )

    async def _run(self, topic: str, is_active: Callable[[], bool], changes: Broadcaster) -> None:
        try:
            with changes.subscription(topic) as changed:
                while await run_in_threadpool(is_active):
                    await asyncio.sleep(SHORTEST_PAUSE_S)
                    await wait_for(changed, POLL_S)
        except Exception:  # the requests find out for themselves
            log.exception("%s cannot be watched", topic)
            await asyncio.sleep(SHORTEST_PAUSE_S)
        finally:
            for one in self.waiting:
                if not one.done():
                    one.set_result(None)


class Watches:
    """What requests of this process wait for; runs on its event loop."""

    def __init__(self, broadcaster: Broadcaster) -> None:
        """Start without requests."""
        self._broadcaster = broadcaster
        self._watches: dict[str, _Watch] = {}

    async def end(
        self,
        topic: str,
        is_active: Callable[[], bool],
        seconds: float,
        gone: asyncio.Future[None] | None = None,
    ) -> None:
        """Wait until `is_active` is false after a change of `topic`, for at most `seconds`.

        Returns early if `gone` is done, or if `is_active` raises: the caller reads what it needs,
        and waits again if that has not ended.
        """
        if seconds <= 0:
            return
        with self._watching(topic, is_active) as ended:
            wanted = {ended} if gone is None else {ended, gone}
            await asyncio.wait(wanted, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)

    @contextlib.contextmanager
    def _watching(
        self, topic: str, is_active: Callable[[], bool]
    ) -> Generator[asyncio.Future[None]]:
        watch = self._watches.get(topic)
        if watch is None or watch.task.done():
            watch = self._watches[topic] = _Watch(topic, is_active, self._broadcaster)
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        watch.waiting.add(ended)
        try:
            yield ended
        finally:
            watch.waiting.discard(ended)
            if not watch.waiting:
                watch.task.cancel()
                if self._watches.get(topic) is watch:
                    del self._watches[topic]
