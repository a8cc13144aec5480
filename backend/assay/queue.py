"""The queue, seen from its sending end: tasks are enqueued by name, the worker is not imported.

A message is a doorbell: the database already says what is to be done, and the scheduler finds
what was never rung for. So a queue that does not answer is logged and does not fail the request.
"""

import logging
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from celery import Celery  # pyright: ignore[reportMissingTypeStubs]
from kombu.exceptions import OperationalError
from sqlalchemy.orm import Session

from assay.after_commit import after_commit
from assay.settings import settings
from assay.supervisor.place import queue_socket

CONNECT_TIMEOUT_S = 2

log = logging.getLogger(__name__)


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


@cache
def _producer(url: str) -> Any:  # Celery comes without types
    application: Any = Celery("assay", broker=url, set_as_current=False)
    application.conf.update(
        broker_connection_timeout=CONNECT_TIMEOUT_S,
        broker_transport_options={"socket_connect_timeout": CONNECT_TIMEOUT_S},
        task_publish_retry=False,
        task_ignore_result=True,
    )
    return application


def enqueue(task: str, *args: int | str, after: Session | None = None) -> None:
    """Send the message "do `task` with `args`", at once or once `after` has committed."""
    if after is not None:
        after_commit(after, lambda: enqueue(task, *args))
        return
    try:
        _producer(broker_url()).send_task(task, args=args)
    except (OperationalError, QueueNotSetError, OSError) as error:
        where = urlsplit(settings().redis_url or "").path
        log.warning("queue %s: %s not sent (%s); the scheduler will find it", where, task, error)
