"""How many requests may wait at once (`assay.base.turns`); those beyond are refused."""

import resource
from contextlib import suppress
from urllib.parse import parse_qs

from prometheus_client import CollectorRegistry, Gauge
from starlette.types import ASGIApp, Receive, Scope, Send

from assay.api.http.responses import rejection
from assay.base.errors import Problem
from assay.base.settings import settings
from assay.base.turns import Turns

RETRY_AFTER_S = 5

OTHER_FILES = 200
"""Of a process's open files: those that are not connections of waiting requests."""


class TooManyWaiting(Problem):
    """As many requests wait as may."""

    status, code, title = 503, "too_many_waiting", "Too many requests wait"

    def __init__(self, most: int) -> None:
        """Name the limit, and what raises it."""
        by_files = most < settings().waiting_requests
        raised = "the process's limit of open files" if by_files else "ASSAY_WAITING_REQUESTS"
        super().__init__(
            f"{most} requests and event streams wait already, which is the limit of this server.",
            f"Try again in {RETRY_AFTER_S} s, or raise {raised}.",
            headers={"Retry-After": str(RETRY_AFTER_S)},
        )


class WaitingRequests:
    """Counts the requests that wait, and refuses those beyond the limit before they cost much."""

    def __init__(self, app: ASGIApp, turns: Turns, registry: CollectorRegistry) -> None:
        """Wrap `app`."""
        self.app, self.turns, self.number = app, turns, 0
        gauge = Gauge(
            "assay_waiting_requests",
            "Requests and event streams that wait for a change.",
            registry=registry,
        )
        gauge.set_function(lambda: self.number)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request; one that waits in its turn, and if there is a place."""
        if scope["type"] != "http" or not waits(scope):
            await self.app(scope, receive, send)
            return
        if self.number >= (most := limit()):
            await rejection(TooManyWaiting(most))(scope, receive, send)
            return
        self.number += 1
        try:
            await self.turns.take()
            await self.app(scope, receive, send)
        finally:
            self.number -= 1


def allow_files() -> None:
    """Let this process open as many files as the system allows; shells allow 1024."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # where the kernel's own limit was lowered since
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def limit() -> int:
    """Return how many requests may wait: each keeps a file of the process open."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return settings().waiting_requests
    return min(settings().waiting_requests, max(1, files - OTHER_FILES))


def waits(scope: Scope) -> bool:
    """Return whether it is a request with `wait`, or for a stream of events."""
    path: str = scope["path"]
    asked = parse_qs(scope["query_string"].decode("latin-1")).get("wait", ["0"])
    return asked[-1] != "0" or path.endswith("/stream")
