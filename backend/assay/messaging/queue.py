"""The queue, seen from its sending end: tasks are enqueued by name, the worker is not imported.

A message is a doorbell: the database already says what is to be done, and the scheduler finds
what was never rung for. So a queue that does not answer is logged and does not fail the request;
nor does it hold many up: one waits for it, then nobody for a while.
"""

import logging
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import redis
from celery import Celery  # pyright: ignore[reportMissingTypeStubs]
from kombu.exceptions import OperationalError
from sqlalchemy.orm import Session

from assay.messaging.after_commit import after_commit
from assay.settings import settings
from assay.supervisor.place import queue_socket

TIMEOUT_S = 1.0
"""Longest wait for the queue to take a connection, or a message."""

OUTAGE_S = 1.0
"""After a failure nobody tries for so long."""

FAILURES = (redis.RedisError, OperationalError, OSError, ValueError)
"""What a client raises whose queue does not answer.

redis-py sometimes tells a time-out by ValueError: it reads on in a buffer that it has closed.
"""

log = logging.getLogger(__name__)


class QueueAwayError(Exception):
    """The queue did not answer a moment ago."""

    def __init__(self) -> None:
        """There is nothing more to know."""
        super().__init__("the queue did not answer a moment ago")


class QueueNotSetError(Exception):
    """No queue is known to this process."""

    def __init__(self) -> None:
        """Say who sets it."""
        super().__init__("ASSAY_REDIS_URL is not set, and no `assay up` runs on this home")


def redis_url() -> str:
    """The queue's address for redis-py: `redis://…`, `rediss://…` or `unix:///path`.

    Raises QueueNotSetError when there is none.
    """
    url = settings().redis_url
    if url:
        return url.replace("redis+socket://", "unix://", 1)
    # a command beside a running `assay up`
    socket = queue_socket(settings().home)
    if not socket.exists():
        raise QueueNotSetError
    return f"unix://{socket}"


def broker_url() -> str:
    """The same address for Celery, which calls a Unix socket `redis+socket://`."""
    url = redis_url()
    return url.replace("unix://", "redis+socket://", 1)


_away_until: dict[str, float] = {}


@contextmanager
def trying(*failures: type[Exception]) -> Generator[None]:
    """Use the queue; raises QueueAwayError at once while an outage lasts, or QueueNotSetError.

    Any of `failures` in the block begins an outage, and is raised.
    """
    url = redis_url()
    if monotonic() < _away_until.get(url, 0.0):
        raise QueueAwayError
    try:
        yield
    except failures:
        _away_until[url] = monotonic() + OUTAGE_S
        raise


@cache
def _producer(url: str) -> Any:  # Celery comes without types
    application: Any = Celery("assay", broker=url, set_as_current=False)
    application.conf.update(
        broker_connection_timeout=TIMEOUT_S,
        broker_transport_options={
            "socket_connect_timeout": TIMEOUT_S,
            "socket_timeout": TIMEOUT_S,
            "max_retries": 0,
        },
        task_publish_retry=False,
        task_ignore_result=True,
    )
    return application


def enqueue(
    task: str, *args: int | str, after: Session | None = None, queue: str | None = None
) -> None:
    """Send the message "do `task` with `args`", at once or once `after` has committed.

    Any worker receives it, or with `queue` only the consumers of that one.
    """
    if after is not None:
        after_commit(after, lambda: enqueue(task, *args, queue=queue))
        return
    try:
        with trying(*FAILURES):
            _producer(broker_url()).send_task(task, args=args, queue=queue)
    except (*FAILURES, QueueAwayError, QueueNotSetError) as error:
        where = urlsplit(settings().redis_url or "").path
        log.warning("queue %s: %s not sent (%s); the scheduler will find it", where, task, error)


def delete_queue(name: str) -> None:
    """Delete a queue that has no consumer any more, with the messages left in it."""
    try:
        with trying(*FAILURES), redis.from_url(redis_url()) as client:
            client.delete(name, f"_kombu.binding.{name}")
    except (*FAILURES, QueueAwayError, QueueNotSetError) as error:
        log.warning("queue %s not deleted: %s", name, error)
