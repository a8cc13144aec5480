"""Doorbells between processes: "something about campaign 7 changed, look at the database".

`announce` rings, after the commit. Each API process has one `Broadcaster`, which listens to the
queue server's pub/sub and wakes whoever waits in that process for a topic (`campaign:7`, `host:5`,
`check:3`). A bell that is not heard costs time only: waiters look again every `LOOK_AGAIN_S`.
"""

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import AsyncGenerator, Generator, Mapping
from functools import cache
from typing import Any

import redis
import redis.asyncio
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from assay.db.database import among
from assay.messaging.after_commit import after_commit
from assay.messaging.queue import (
    FAILURES,
    TIMEOUT_S,
    QueueAwayError,
    QueueNotSetError,
    redis_url,
    trying,
)
from assay.runs.models import Run

CHANNEL = "assay:changes"
LOOK_AGAIN_S = 2.0
RECONNECT_S = 1.0
CANCEL_AGAIN_S = 0.1

log = logging.getLogger(__name__)


@cache
def _client(url: str) -> Any:  # redis-py types its commands only in part
    return redis.Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
        url, socket_connect_timeout=TIMEOUT_S, socket_timeout=TIMEOUT_S
    )


def announce(*topics: str, after: Session | None = None) -> None:
    """Ring for each topic, at once or once `after` has committed."""
    if after is not None:
        after_commit(after, lambda: announce(*topics))
        return
    try:
        with trying(*FAILURES), _client(redis_url()).pipeline(transaction=False) as bells:
            for topic in topics:
                bells.publish(CHANNEL, topic)
            bells.execute()
    except (*FAILURES, QueueAwayError, QueueNotSetError) as error:
        log.warning("change of %s not announced: %s", ", ".join(topics), error)


def ping() -> str | None:
    """What is wrong with the queue server, or None when it answers."""
    try:
        _client(redis_url()).ping()
    except (*FAILURES, QueueNotSetError) as error:
        return str(error)
    return None


def runs_changed(session: Session, campaigns: Mapping[int, int]) -> None:
    """Raise the revisions of runs, and notify their campaigns' subscribers after the commit.

    `campaigns` has the campaign's id for each run's. No campaign is locked: its revision is the
    sum of its runs'.
    """
    if not campaigns:
        return
    chosen = among(session, Run.id, campaigns)
    if len(campaigns) > 1:
        session.execute(select(Run.id).where(chosen).order_by(Run.id).with_for_update())
    session.execute(
        update(Run)
        .where(chosen)
        .values(revision=Run.revision + 1)
        .execution_options(synchronize_session=False)
    )
    announce(*(f"campaign:{one}" for one in sorted(set(campaigns.values()))), after=session)


class Broadcaster:
    """Wakes the waiters of one process; lives on its event loop."""

    def __init__(self) -> None:
        """Nobody waits yet."""
        self._waiters: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    @contextlib.contextmanager
    def listening(self, topic: str) -> Generator[asyncio.Event]:
        """An event that is set at each bell for `topic`; clear it before looking."""
        bell = asyncio.Event()
        self._waiters[topic].add(bell)
        try:
            yield bell
        finally:
            self._waiters[topic].discard(bell)
            if not self._waiters[topic]:
                del self._waiters[topic]

    def ring(self, topic: str) -> None:
        """Wake all who listen to `topic`."""
        for bell in self._waiters.get(topic, ()):
            bell.set()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Listen for as long as the block lasts, whatever the queue server does."""
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
            except (*FAILURES, QueueNotSetError) as error:
                log.warning("changes are not heard: %s", error)
            except Exception:  # without this task, every live page would be late for good
                log.exception("changes are not heard")
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
                    self.ring(message["data"].decode())


async def wait_for(bell: asyncio.Event, seconds: float) -> None:
    """Until the bell rings, or for `seconds`, or until it is time to look again."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(bell.wait(), min(seconds, LOOK_AGAIN_S))
    bell.clear()
