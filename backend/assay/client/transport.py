"""JSON requests to the API: repeated where that is safe, with errors as exceptions.

A request that never arrived is always repeated. One that may have been executed is repeated if a
second execution changes nothing: a GET, a change that does not depend on an entity tag, and a POST,
which has an idempotency key.
"""

import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from http import HTTPStatus
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, TypeAdapter, ValidationError

from assay.client.errors import (
    AssayError,
    NoResponseError,
    UnexpectedResponseError,
    api_error,
    plain,
)

PREFIX = "/api/v1"
LARGEST_PAGE = 200

REPLAYED = "Idempotent-Replayed"
"""The header of a response that is the stored one of an earlier request with the same key."""

FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 5.0
"""Pauses between repetitions double from the first to the longest."""

TIMEOUT_S = 30.0
PATIENCE_S = 30.0

NO_RESPONSE = (httpx.NetworkError, httpx.RemoteProtocolError, httpx.TimeoutException)
NEVER_ARRIVED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""Errors after which the request was not executed; after the others, it may have been."""

BUSY = frozenset(
    {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE}
)

Item = TypeVar("Item")
Body = BaseModel | Mapping[str, Any]


@cache
def _reader(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def parsed(kind: type[Item], document: Any) -> Item:
    """Return a JSON document as an API type; raises UnexpectedResponseError.

    Fields that this version does not know are ignored.
    """
    try:
        return _reader(kind).validate_python(document, strict=False)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UnexpectedResponseError(
            f"The response is not as this client expects it: {where or 'it'}: {first['msg']}. "
            "Use the client of the server's version."
        ) from error


def document(body: Body) -> Any:
    """Return a request body as JSON; only the fields that were set."""
    if isinstance(body, BaseModel):
        return body.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return dict(body)


class Transport:
    """Sends requests with a token; JSON in, JSON out."""

    def __init__(
        self,
        http: httpx.Client,
        patience_s: float = PATIENCE_S,
        on_replay: Callable[[str], None] | None = None,
    ) -> None:
        """Use `http`, which has address and token, and repeat requests for up to `patience_s`.

        `on_replay` is called with a key that was given to `post` if the response is the stored one
        of an earlier request with it.
        """
        self.http = http
        self.patience_s = patience_s
        self._on_replay = on_replay

    def get(
        self,
        path: str,
        *,
        timeout_s: float | None = None,
        patience_s: float | None = None,
        **query: Any,
    ) -> Any:
        """Return the response to a GET.

        `query` has texts, numbers, booleans and lists; None is omitted.
        """
        return self._ask("GET", path, query=query, timeout_s=timeout_s, patience_s=patience_s)

    def download(self, path: str, **query: Any) -> Iterator[bytes]:
        """Yield a file, such as `/runs/7/result.csv`, in parts; it is not requested again."""
        given = {name: value for name, value in query.items() if value is not None}
        try:
            with self.http.stream("GET", PREFIX + path, params=given or None) as answer:
                if answer.status_code != HTTPStatus.OK:
                    answer.read()
                    _read(answer)
                yield from answer.iter_bytes()
        except httpx.HTTPError as error:
            raise NoResponseError(f"{self.http.base_url} ended the download ({error}).") from error

    def text(self, path: str, **query: Any) -> str:
        """Return a file as text."""
        return b"".join(self.download(path, **query)).decode()

    def post(
        self,
        path: str,
        body: Body | None = None,
        timeout_s: float | None = None,
        *,
        key: str | None = None,
        **query: Any,
    ) -> Any:
        """Return the response to a POST.

        Its idempotency key is a new one, or `key`: give one that you keep if this process may be
        restarted and repeat the request.
        """
        sent = str(uuid.uuid4()) if key is None else key
        if not sent.isascii() or not sent.isprintable():
            raise AssayError(f"key is {key!r}, but must have visible ASCII characters only.")
        headers = {"Idempotency-Key": sent}
        return self._ask(
            "POST", path, query=query, body=body, headers=headers, timeout_s=timeout_s, key=key
        )

    def put(self, path: str, body: Body, *, etag: str | None = None) -> Any:
        """Return the response to a PUT; with `etag`, it fails if others changed the object."""
        return self._ask("PUT", path, body=body, headers=_if_match(etag))

    def patch(self, path: str, body: Body, *, etag: str | None = None) -> Any:
        """Return the response to a PATCH; with `etag`, it fails if others changed the object."""
        return self._ask("PATCH", path, body=body, headers=_if_match(etag))

    def delete(self, path: str, *, etag: str | None = None, **query: Any) -> Any:
        """Return the response to a DELETE, or None if it has no body."""
        return self._ask("DELETE", path, query=query, headers=_if_match(etag))

    def pages(self, path: str, *, most: int | None = None, **query: Any) -> Iterator[Any]:
        """Yield the items of a list, or the first `most`; each page is requested when needed."""
        left = most
        while left is None or left > 0:
            limit = LARGEST_PAGE if left is None else min(LARGEST_PAGE, left)
            page = self.get(path, **{**query, "limit": limit})
            yield from page["items"]
            if page["next_cursor"] is None:
                return
            query["cursor"] = page["next_cursor"]
            left = None if left is None else left - len(page["items"])

    def items(
        self, kind: type[Item], path: str, /, *, most: int | None = None, **query: Any
    ) -> Iterator[Item]:
        """Yield the items of a list, or the first `most`, as an API type."""
        for one in self.pages(path, most=most, **query):
            yield parsed(kind, one)

    def all(self, path: str, *, most: int | None = None, **query: Any) -> list[dict[str, Any]]:
        """Return the items of all pages of a list, or the first `most` of them."""
        return list(self.pages(path, most=most, **query))

    def _ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Body | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
        patience_s: float | None = None,
        key: str | None = None,
    ) -> Any:
        request: dict[str, Any] = {"headers": dict(headers or {})}
        if given := {name: value for name, value in (query or {}).items() if value is not None}:
            request["params"] = given
        if body is not None:
            request["json"] = document(body)
        if timeout_s is not None:
            request["timeout"] = timeout_s
        pauses = _Pauses(self.patience_s if patience_s is None else patience_s)
        answer = self._answer(method, PREFIX + path, request, pauses)
        if key is not None and REPLAYED in answer.headers and self._on_replay is not None:
            self._on_replay(key)
        return _read(answer)

    def _answer(
        self, method: str, path: str, request: dict[str, Any], pauses: "_Pauses"
    ) -> httpx.Response:
        """Return the response, of another request if this one was lost or came too early."""
        repeatable = method != "DELETE" and "If-Match" not in request["headers"]
        while True:
            try:
                answer = self.http.request(method, path, **request)
            except NO_RESPONSE as error:
                arrived = not isinstance(error, NEVER_ARRIVED)
                if (arrived and not repeatable) or not pauses.pause():
                    raise NoResponseError(
                        f"{self.http.base_url} does not respond ({error or type(error).__name__}). "
                        "Is `assay up` running?"
                    ) from error
            except (httpx.HTTPError, httpx.InvalidURL, UnicodeEncodeError) as error:
                raise AssayError(f"{self.http.base_url} cannot be requested: {error}") from error
            else:
                if not _is_early(answer, repeatable=repeatable) or not pauses.pause(_wait(answer)):
                    return answer


class _Pauses:
    """The pauses between the repetitions of a request, until patience ends."""

    def __init__(self, patience_s: float) -> None:
        self._end = time.monotonic() + patience_s
        self._next_s = FIRST_PAUSE_S

    def pause(self, least_s: float | None = None) -> bool:
        """Sleep, for at least as long as the server said; return False if that is too long.

        The pauses are random, so that the clients of a restarted server do not come all at once.
        """
        seconds = self._next_s * random.uniform(0.5, 1.0)  # noqa: S311 (spreads load, no secret)
        seconds = max(seconds, least_s or 0.0)
        if time.monotonic() + seconds > self._end:
            return False
        time.sleep(seconds)
        self._next_s = min(2 * self._next_s, LONGEST_PAUSE_S)
        return True


def _if_match(etag: str | None) -> dict[str, str]:
    return {} if etag is None else {"If-Match": etag}


def _wait(answer: httpx.Response) -> float | None:
    """Return the seconds of `Retry-After`; a date, which the API does not use, counts as none."""
    text = answer.headers.get("Retry-After", "")
    return float(text) if text.isdecimal() else None


def _is_early(answer: httpx.Response, *, repeatable: bool) -> bool:
    """Return whether the same request may succeed later.

    409 has `Retry-After` while the first request with this key is executed. A proxy that sends 502
    may have lost the response of a request that was executed.
    """
    if answer.status_code == HTTPStatus.CONFLICT:
        return _wait(answer) is not None
    return answer.status_code in BUSY and (
        repeatable or answer.status_code != HTTPStatus.BAD_GATEWAY
    )


def _read(answer: httpx.Response) -> Any:
    """Return the document in a response; raises ApiError or UnexpectedResponseError."""
    if answer.status_code == HTTPStatus.NO_CONTENT:
        return None
    try:
        found: Any = answer.json()
    except ValueError as error:
        if answer.is_error:
            raise api_error(answer.status_code, None, answer.text, _wait(answer)) from error
        if answer.is_redirect:
            what = f"redirects to {answer.headers.get('Location')}"
        else:
            what = f"responds with {plain(answer.text)!r}"
        raise UnexpectedResponseError(
            f"{answer.url} {what}, which is no response of Assay. Correct the address."
        ) from error
    if answer.is_error:
        raise api_error(answer.status_code, found, answer.text, _wait(answer))
    return found
