"""Response times of the API by endpoint, and an id for each request."""

import re
import secrets
import time
from http import HTTPStatus

from fastapi.routing import APIRoute
from prometheus_client import CollectorRegistry, Histogram
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.logs import REQUEST_ID, request_id

ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
OTHER = "other"
"""Label of pages, their files, scrapes and unknown paths."""
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class RequestMeter:
    """Measures the time from a request to the first byte of its response: a stream never ends."""

    def __init__(self, app: ASGIApp, registry: CollectorRegistry) -> None:
        """Wrap `app`."""
        self.app = app
        self.seconds = Histogram(
            "assay_http_response_seconds",
            "Time to the first byte of the response.",
            ("method", "route", "status"),
            buckets=BUCKETS,
            registry=registry,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request; the response carries the id that its log lines have."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        given = Headers(scope=scope).get(REQUEST_ID, "")
        request_id.set(given if ID.fullmatch(given) else secrets.token_hex(8))

        async def send_measured(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[REQUEST_ID] = request_id.get() or ""
                self._measured(scope, message["status"], began)
            await send(message)

        try:
            await self.app(scope, receive, send_measured)
        except Exception:  # what handles it is around this
            self._measured(scope, HTTPStatus.INTERNAL_SERVER_ERROR, began)
            raise

    def _measured(self, scope: Scope, status: int, began: float) -> None:
        route = scope.get("route")
        path = route.path if isinstance(route, APIRoute) and route.include_in_schema else OTHER
        labels = (scope["method"], path, str(int(status)))
        self.seconds.labels(*labels).observe(time.perf_counter() - began)
