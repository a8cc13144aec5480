"""The API, as the command line talks to it.

With `ASSAY_TOKEN` (and `ASSAY_URL` for another machine) it is any client. Without, it makes itself
a token in the local database and takes it away at its end.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import httpx

from assay.accounts.identity import Identity
from assay.accounts.models import ApiToken
from assay.accounts.tokens import issue, revoke
from assay.cli.console import Failure
from assay.db.database import writing
from assay.settings import settings

LONGEST_COMMAND = timedelta(days=7)
TIMEOUT_S = 30.0

OPERATING_SYSTEM = Identity("command line", "admin", "local")
"""Reading the database file, or knowing its password, grants everything."""


class Client:
    """JSON in, JSON out; every refusal becomes a Failure with the API's own words."""

    def __init__(self, http: httpx.Client) -> None:
        """`http` carries the address and the token."""
        self._http = http

    def get(self, path: str, **query: str | int) -> Any:
        """The answer to a GET."""
        return self._ask("GET", path, params=query)

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """The answer to a POST."""
        return self._ask("POST", path, json=body)

    def all(self, path: str) -> list[dict[str, Any]]:
        """All pages of a list."""
        items: list[dict[str, Any]] = []
        page: dict[str, Any] = {"next_cursor": None}
        while not items or page["next_cursor"]:
            query = {"cursor": page["next_cursor"]} if page["next_cursor"] else {}
            page = self.get(path, limit=200, **query)
            items.extend(page["items"])
            if not page["items"]:
                break
        return items

    def _ask(self, method: str, path: str, **how: Any) -> Any:
        try:
            answer = self._http.request(method, f"/api/v1{path}", **how)
        except httpx.HTTPError as error:
            raise Failure(
                f"{self._http.base_url} does not answer ({error}). Is `assay up` running?"
            ) from error
        if answer.is_success:
            return answer.json()
        try:
            problem: dict[str, Any] = answer.json()
        except ValueError:
            problem = {"title": answer.reason_phrase, "detail": answer.text[:200]}
        lines = [f"{problem['title']}: {problem['detail']}"]
        lines += [f"  {e['field']}: {e['remedy']}" for e in problem.get("errors", [])]
        raise Failure("\n".join(lines))


def is_addressed() -> bool:
    """Whether the environment names an appliance, or a token of one, to talk to."""
    return "ASSAY_URL" in os.environ or "ASSAY_TOKEN" in os.environ


@contextmanager
def connected() -> Generator[Client]:
    """A client for as long as the block lasts."""
    configured = settings()
    url = os.environ.get("ASSAY_URL", f"http://{configured.host}:{configured.port}")
    if given := os.environ.get("ASSAY_TOKEN"):
        yield from _client(url, given)
        return
    if "ASSAY_URL" in os.environ:
        raise Failure("ASSAY_URL is set, but ASSAY_TOKEN is not: make one there and set it.")
    with writing() as session:
        row, token = issue(
            session, OPERATING_SYSTEM, OPERATING_SYSTEM.actor, "operator", LONGEST_COMMAND
        )
    try:
        yield from _client(url, token)
    finally:
        with writing() as session:
            revoke(session, OPERATING_SYSTEM, session.get_one(ApiToken, row.id))


def _client(url: str, token: str) -> Generator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=url, headers=headers, timeout=TIMEOUT_S) as http:
        yield Client(http)
