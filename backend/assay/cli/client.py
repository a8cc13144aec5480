"""API client of the command line.

It authenticates with `ASSAY_TOKEN` (and `ASSAY_URL` for another machine). Without them, it creates
a temporary token in the local database.
"""

import os
import time
import uuid
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from http import HTTPStatus
from typing import Any

import httpx

from assay.accounts.identity import Identity
from assay.accounts.models import ApiToken
from assay.accounts.roles import Role
from assay.accounts.tokens import issue, revoke
from assay.cli.console import CommandError
from assay.db.database import writing
from assay.http.routes import KEY_HEADER
from assay.settings import settings

RETRIES_S = (0.2, 1.0, 3.0)
"""Pauses before a request is repeated."""

LOST = (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)
"""Errors of a connection that was open: the request may have been executed."""

LONGEST_COMMAND = timedelta(days=7)
TIMEOUT_S = 30.0
LARGEST_PAGE = 200

OPERATING_SYSTEM = Identity("command line", "admin", "local")
"""Access to the database grants all permissions."""


class Client:
    """JSON client; every error response becomes a CommandError with the API's text."""

    def __init__(self, http: httpx.Client) -> None:
        """Use `http`, which has the address and the token."""
        self._http = http

    def get(self, path: str, **query: str | int | Sequence[str]) -> Any:
        """Return the response to a GET."""
        return self._ask("GET", path, params=query)

    def post(
        self, path: str, body: dict[str, Any] | None = None, timeout_s: float = TIMEOUT_S
    ) -> Any:
        """Return the response to a POST; one that is lost is requested again, with the same key."""
        headers = {KEY_HEADER: str(uuid.uuid4())}
        return self._ask("POST", path, json=body, timeout=timeout_s, headers=headers)

    def put(self, path: str, body: dict[str, Any]) -> Any:
        """Return the response to a PUT."""
        return self._ask("PUT", path, json=body)

    def patch(self, path: str, body: dict[str, Any]) -> Any:
        """Return the response to a PATCH."""
        return self._ask("PATCH", path, json=body)

    def delete(self, path: str, **query: str | bool) -> Any:
        """Return the response to a DELETE."""
        return self._ask("DELETE", path, params=query)

    def all(
        self, path: str, *, most: int | None = None, **query: str | int | Sequence[str]
    ) -> list[dict[str, Any]]:
        """Return the items of all pages of a list, or the first `most` of them."""
        items: list[dict[str, Any]] = []
        while most is None or len(items) < most:
            limit = LARGEST_PAGE if most is None else min(LARGEST_PAGE, most - len(items))
            page = self.get(path, limit=limit, **query)
            items.extend(page["items"])
            if page["next_cursor"] is None:
                break
            query["cursor"] = page["next_cursor"]
        return items

    def _ask(self, method: str, path: str, **how: Any) -> Any:
        try:
            answer = self._repeated(method, path, how)
        except httpx.HTTPError as error:
            raise CommandError(
                f"{self._http.base_url} does not respond ({error}). Is `assay up` running?"
            ) from error
        if answer.is_success:
            return answer.json()
        try:
            problem: dict[str, Any] = answer.json()
        except ValueError:
            problem = {"title": answer.reason_phrase, "detail": answer.text[:200]}
        lines = [f"{problem['title']}: {problem['detail']}"]
        lines += [f"  {e['field']}: {e['remedy']}" for e in problem.get("errors", [])]
        raise CommandError("\n".join(lines))

    def _repeated(self, method: str, path: str, how: dict[str, Any]) -> httpx.Response:
        """Return the response, of another request if the connection was lost or one is running."""
        for pause_s in RETRIES_S:
            try:
                answer = self._http.request(method, f"/api/v1{path}", **how)
            except LOST:
                time.sleep(pause_s)
                continue
            if (
                answer.headers.get("Retry-After") is None
                or answer.status_code != HTTPStatus.CONFLICT
            ):
                return answer
            time.sleep(pause_s)
        return self._http.request(method, f"/api/v1{path}", **how)


def is_addressed() -> bool:
    """Return whether the environment names an appliance or a token."""
    return "ASSAY_URL" in os.environ or "ASSAY_TOKEN" in os.environ


@contextmanager
def connected(role: Role = "operator") -> Generator[Client]:
    """Provide a client while the block runs; `role` is that of a temporary token."""
    configured = settings()
    url = os.environ.get("ASSAY_URL", f"http://{configured.host}:{configured.port}")
    if given := os.environ.get("ASSAY_TOKEN"):
        yield from _client(url, given)
        return
    if "ASSAY_URL" in os.environ:
        raise CommandError(
            "ASSAY_URL is set, but ASSAY_TOKEN is not. Create a token there and set it."
        )
    with writing() as session:
        row, token = issue(session, OPERATING_SYSTEM, OPERATING_SYSTEM.actor, role, LONGEST_COMMAND)
    try:
        yield from _client(url, token)
    finally:
        with writing() as session:
            revoke(session, OPERATING_SYSTEM, session.get_one(ApiToken, row.id))


def _client(url: str, token: str) -> Generator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=url, headers=headers, timeout=TIMEOUT_S) as http:
        yield Client(http)
