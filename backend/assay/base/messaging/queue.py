"""The sending side of the task queue: tasks are enqueued by name, without importing the worker.

A message is only a wake-up: the database has the work, and the scheduler finds work without a
message. So a queue failure is logged and does not fail the request. After a failure, further
attempts fail at once for a while instead of waiting.

What follows a session's commit, such as sending a message, does not run after a rollback.
"""

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import redis
from celery import Celery  # pyright: ignore[reportMissingTypeStubs]
from kombu.exceptions import OperationalError
from sqlalchemy import event
from sqlalchemy.orm import Session

from assay.base.home import queue_socket
from assay.base.settings import settings

log = logging.getLogger(__name__)


_KEY = "after_commit"


def after_commit(session: Session, action: Callable[[], None]) -> None:
    """Call `action` after `session` has committed; a rollback discards it."""
    session.info.setdefault(_KEY, []).append(action)


@event.listens_for(Session, "after_commit")
def _act(session: Session) -> None:  # pyright: ignore[reportUnusedFunction]
    for action in session.info.pop(_KEY, []):
        action()


@event.listens_for(Session, "after_rollback")
def _drop(session: Session) -> None:  # pyright: ignore[reportUnusedFunction]
    session.info.pop(_KEY, None)


TIMEOUT_S = 1.0
"""Timeout for a connection and for a message."""

OUTAGE_S = 1.0
"""No attempt is made for this long after a failure."""

FAILURES = (redis.RedisError, OperationalError, OSError, ValueError)
"""Exceptions that clients raise if the queue does not respond.

redis-py sometimes raises ValueError at a timeout, because it reads from a closed buffer.
"""


class QueueUnavailableError(Exception):
    """The queue did not respond a moment ago."""

    def __init__(self) -> None:
        """Use a fixed message."""
        super().__init__("the queue did not respond a moment ago")


class QueueNotConfiguredError(Exception):
    """This process has no queue address."""

    def __init__(self) -> None:
        """Name the missing setting."""
        super().__init__("ASSAY_REDIS_URL is not set, and `assay up` is not running in ASSAY_HOME")


def redis_url() -> str:
    """Return the queue's address for redis-py: `redis://…`, `rediss://…` or `unix:///path`.

    Raises QueueNotConfiguredError if there is none.
    """
    url = settings().redis_url
    if url:
        return url.replace("redis+socket://", "unix://", 1)
    # a command of the user while `assay up` is running
    socket = queue_socket(settings().home)
    if not socket.exists():
        raise QueueNotConfiguredError
    return f"unix://{socket}"


def private_folder() -> Path:
    """Return the directory of the embedded queue server's socket."""
    return queue_socket(settings().home).parent


def broker_url() -> str:
    """Return the address for Celery, whose scheme for Unix sockets is `redis+socket://`."""
    url = redis_url()
    return url.replace("unix://", "redis+socket://", 1)


_away_until: dict[str, float] = {}


@contextmanager
def trying(*failures: type[Exception]) -> Generator[None]:
    """Run a block that uses the queue; any of `failures` in it starts an outage and is raised.

    During an outage, raises QueueUnavailableError at once. Raises QueueNotConfiguredError if there
    is no address.
    """
    url = redis_url()
    if monotonic() < _away_until.get(url, 0.0):
        raise QueueUnavailableError
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
    except (*FAILURES, QueueUnavailableError, QueueNotConfiguredError) as error:
        where = urlsplit(settings().redis_url or "").path
        log.warning("queue %s: %s not sent (%s); the scheduler will find it", where, task, error)


def delete_queue(name: str) -> None:
    """Delete a queue that no longer has a consumer, with its messages."""
    try:
        with trying(*FAILURES), redis.from_url(redis_url()) as client:
            client.delete(name, f"_kombu.binding.{name}")
    except (*FAILURES, QueueUnavailableError, QueueNotConfiguredError) as error:
        log.warning("queue %s not deleted: %s", name, error)
