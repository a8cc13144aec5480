"""The class of all endpoints: `Location` and `ETag`, and one execution per idempotency key."""

import json
import re
from collections.abc import Awaitable, Callable, Coroutine
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import unquote_to_bytes

from anyio import CapacityLimiter
from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Scope

from assay.api.http.paging import Page
from assay.tables.transactions import begin_writing

Handler = Callable[[Request], Coroutine[Any, Any, Response]]

KEY_HEADER = "Idempotency-Key"

_writers = CapacityLimiter(16)
"""How many requests may write, or wait for a lock that another one holds: fewer than the 40 threads
that all requests share. The holder needs a thread for each next step until its commit, and would
get none while the others wait in all of them."""

ENCODED_SLASH = "%2F"
"""A slash in a path's parameter; everything else in it is decoded."""

_SLASH = re.compile(b"%2[Ff]")


class Named(Protocol):
    """Puts ids in place of the names in a request's path."""

    def __call__(self, route: APIRoute, request: Request) -> Awaitable[None]:
        """Change the path parameters of `request`."""
        ...


class Once(Protocol):
    """Executes a request unless one with its idempotency key was executed before."""

    def __call__(self, route: APIRoute, request: Request, handle: Handler) -> Awaitable[Response]:
        """Return the response of `handle`, or the one of the first request with this key."""
        ...


class Pages(Protocol):
    """Reads a page of a list unless it is known."""

    def __call__(self, route: APIRoute, request: Request, handle: Handler) -> Awaitable[Response]:
        """Return the response of `handle`, or the one of another request for the same page."""
        ...


def creates(route: APIRoute) -> bool:
    """Return whether the endpoint creates an object."""
    return route.status_code == HTTPStatus.CREATED


class Route(APIRoute):
    """An endpoint.

    A response with `etag` gets the header of that name, and one with status 201 the address of what
    was created. Endpoints that create something honor `Idempotency-Key` if the application has an
    `Once` as its state `once`; those of lists read each page once if it has `Pages` as `pages`; all
    take names in their paths if it has a `Named` as `named`.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        """Describe in the OpenAPI document what the endpoint's dependencies say of themselves."""
        super().__init__(*args, **options)
        for one in self.dependant.dependencies:
            if described := getattr(one.call, "description", None):
                self.openapi_extra = {**(self.openapi_extra or {}), **described}

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether the path is this endpoint's; `%2F` is part of a name, and stays so."""
        raw: bytes = scope.get("raw_path") or b""
        if _SLASH.search(raw):
            path = ENCODED_SLASH.encode().join(
                map(unquote_to_bytes, _SLASH.split(raw.partition(b"?")[0]))
            )
            scope = {**scope, "path": path.decode("utf-8", "replace")}
        return super().matches(scope)

    def get_route_handler(self) -> Handler:
        """Return the function that handles a request of this endpoint."""
        handle = super().get_route_handler()
        if _writes(self.dependant):
            handle = _in_turn(handle)
        if _lists(self):

            async def page(request: Request) -> Response:
                pages: Pages = request.app.state.pages
                return await pages(self, request, handle)

            return self._named(page)
        has_etag = "etag" in getattr(self.response_model, "model_fields", ())
        if not creates(self) and not has_etag:
            return self._named(handle)

        async def described(request: Request) -> Response:
            response = await handle(request)
            if response.status_code < HTTPStatus.MULTIPLE_CHOICES:
                _describe(request, response)
            return response

        if not creates(self):
            return self._named(described)

        async def once(request: Request) -> Response:
            if KEY_HEADER not in request.headers:
                return await described(request)
            execute: Once = request.app.state.once
            return await execute(self, request, described)

        return self._named(once)

    def _named(self, handle: Handler) -> Handler:
        """Return `handle` with ids in place of the names in a request's path."""
        if not self.param_convertors:
            return handle

        async def named(request: Request) -> Response:
            if not all(text.isdecimal() for text in request.path_params.values()):
                find: Named | None = getattr(request.app.state, "named", None)
                if find is not None:
                    await find(self, request)
            return await handle(request)

        return named


def _writes(dependant: Dependant) -> bool:
    """Return whether the endpoint has a session that writes."""
    return any(one.call is begin_writing or _writes(one) for one in dependant.dependencies)


def _in_turn(handle: Handler) -> Handler:
    """Return `handle` for at most as many requests at once as may write."""

    async def in_turn(request: Request) -> Response:
        async with _writers:
            return await handle(request)

    return in_turn


def _lists(route: APIRoute) -> bool:
    """Return whether the endpoint returns a page of a list."""
    return isinstance(route.response_model, type) and issubclass(route.response_model, Page)


def _describe(request: Request, response: Response) -> None:
    """Add `ETag` and `Location` to a response; an endpoint may have set its own."""
    if "ETag" in response.headers:  # the endpoint has described what it encoded itself
        return
    body: dict[str, Any] = json.loads(bytes(response.body))
    if tag := body.get("etag"):
        response.headers["ETag"] = tag
    if response.status_code == HTTPStatus.CREATED and "id" in body:
        # what `/profiles/5/copy` creates is at `/profiles/6`
        collection = request.url.path
        for value in request.path_params.values():
            collection = collection.partition(f"/{value}/")[0]
        response.headers.setdefault("Location", f"{collection}/{body['id']}")
