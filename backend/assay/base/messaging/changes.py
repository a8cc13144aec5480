"""Change notifications between processes: "campaign 7 changed, read the database".

`announce` publishes a topic (`campaign:7`, `host:5`, `check:3`) after the commit. Each API process
has one `Broadcaster`, which receives notifications through the queue server's pub/sub and wakes the
topic's subscribers in that process. A lost notification only costs time: subscribers poll every
`POLL_S`.
"""

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import AsyncGenerator, Generator
from functools import cache
from typing import Any

import redis
import redis.asyncio
from sqlalchemy.orm import Session

from assay.base.messaging.queue import (
    FAILURES,
    TIMEOUT_S,
    QueueNotConfiguredError,
    QueueUnavailableError,
    after_commit,
    redis_url,
    trying,
)

CHANNEL = "assay:changes"
POLL_S = 2.0
RECONNECT_S = 1.0
CANCEL_AGAIN_S = 0.1

log = logging.getLogger(__name__)


@cache
def _client(url: str) -> Any:  # redis-py types its commands only in part
    return redis.Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
        url, socket_connect_timeout=TIMEOUT_S, socket_timeout=TIMEOUT_S
    )


def announce(*topics: str, after: Session | None = None) -> None:
    """Publish each topic, now or after the commit of `after`."""
    if after is not None:
        after_commit(after, lambda: announce(*topics))
        return
    try:
        with trying(*FAILURES), _client(redis_url()).pipeline(transaction=False) as commands:
            for topic in topics:
                commands.publish(CHANNEL, topic)
            commands.execute()
    except (*FAILURES, QueueUnavailableError, QueueNotConfiguredError) as error:
        log.warning("change of %s not published: %s", ", ".join(topics), error)


def ping() -> str | None:
    """Return the queue server's problem, or None if it responds."""
    try:
        _client(redis_url()).ping()
    except (*FAILURES, QueueNotConfiguredError) as error:
        return str(error)
    return None


class Broadcaster:
    """Wakes the subscribers of one process; runs on its event loop."""

    def __init__(self) -> None:
        """Start without subscribers."""
        self._subscribers: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    @contextlib.contextmanager
    def subscription(self, topic: str) -> Generator[asyncio.Event]:
        """Subscribe to `topic`; the event is set at each change. Clear it before reading."""
        changed = asyncio.Event()
        self._subscribers[topic].add(changed)
        try:
            yield changed
        finally:
            self._subscribers[topic].discard(changed)
            if not self._subscribers[topic]:
                del self._subscribers[topic]

    def notify(self, topic: str) -> None:
        """Wake all subscribers of `topic`."""
        for changed in self._subscribers.get(topic, ()):
            changed.set()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Receive notifications while the block runs; reconnect after failures."""
        listening = asyncio.create_task(self._run(), name="changes")
        try:
            yield
        finally:
            while not listening.done():  # redis-py swallows a cancellation while it connects
                listening.cancel()
                await asyncio.wait({listening}, timeout=CANCEL_AGAIN_S)

    async def _run(self) -> None:
        while True:
            try:
                await self._listen()
            except (*FAILURES, QueueNotConfiguredError) as error:
                log.warning("change notifications interrupted: %s", error)
            except Exception:  # without this task, every live page would stay delayed
                log.exception("change notifications interrupted")
            await asyncio.sleep(RECONNECT_S)

    async def _listen(self) -> None:
        # redis-py types its asynchronous half only in part
        client: Any = redis.asyncio.Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
            redis_url(), socket_connect_timeout=TIMEOUT_S
        )
        async with client, client.pubsub() as subscription:
            await subscription.subscribe(CHANNEL)
            async for message in subscription.listen():
                if message["type"] == "message":
                    self.notify(message["data"].decode())


async def wait_for(changed: asyncio.Event, seconds: float) -> None:
    """Wait for a change, for at most `seconds` or `POLL_S`."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(changed.wait(), min(seconds, POLL_S))
    changed.clear()
