"""The class of all endpoints: `Location` and `ETag`, and one execution per idempotency key."""

import json
from collections.abc import Awaitable, Callable, Coroutine
from http import HTTPStatus
from typing import Any, Protocol

from fastapi import Request, Response
from fastapi.routing import APIRoute

from assay.http.paging import Page

Handler = Callable[[Request], Coroutine[Any, Any, Response]]

KEY_HEADER = "Idempotency-Key"


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
    `Once` as its state `once`; those of lists read each page once if it has `Pages` as `pages`.
    """

    def get_route_handler(self) -> Handler:
        """Return the function that handles a request of this endpoint."""
        handle = super().get_route_handler()
        if _lists(self):

            async def page(request: Request) -> Response:
                pages: Pages = request.app.state.pages
                return await pages(self, request, handle)

            return page
        has_etag = "etag" in getattr(self.response_model, "model_fields", ())
        if not creates(self) and not has_etag:
            return handle

        async def described(request: Request) -> Response:
            response = await handle(request)
            if response.status_code < HTTPStatus.MULTIPLE_CHOICES:
                _describe(request, response)
            return response

        if not creates(self):
            return described

        async def once(request: Request) -> Response:
            if KEY_HEADER not in request.headers:
                return await described(request)
            execute: Once = request.app.state.once
            return await execute(self, request, described)

        return once


def _lists(route: APIRoute) -> bool:
    """Return whether the endpoint returns a page of a list."""
    return isinstance(route.response_model, type) and issubclass(route.response_model, Page)


def _describe(request: Request, response: Response) -> None:
    """Add `ETag` and `Location` to a response; an endpoint may have set its own `Location`."""
    body: dict[str, Any] = json.loads(bytes(response.body))
    if tag := body.get("etag"):
        response.headers["ETag"] = tag
    if response.status_code == HTTPStatus.CREATED and "id" in body:
        # what `/profiles/5/copy` creates is at `/profiles/6`
        collection = request.url.path
        for value in request.path_params.values():
            collection = collection.partition(f"/{value}/")[0]
        response.headers.setdefault("Location", f"{collection}/{body['id']}")
