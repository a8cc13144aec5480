"""The appliance as a program sees it."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypedDict, Unpack, get_type_hints

import httpx

from assay.api.accounts.schemas import AuditOut
from assay.api.tokens.schemas import Me
from assay.base.nouns import NOUNS
from assay.client.access import Credentials, HostAuthorities, ShareLinks, Tokens, Users
from assay.client.automation import Schedules, Webhooks
from assay.client.campaigns import Campaigns
from assay.client.errors import AssayError
from assay.client.inventory import Arrays, Hosts, Profiles, Targets, Tools
from assay.client.resources import Resource, query
from assay.client.runs import Runs
from assay.client.transport import PATIENCE_S, PREFIX, TIMEOUT_S, Transport, parsed
from assay.history.health.schemas import Health
from assay.history.overview.schemas import Overview
from assay.history.schemas import Matches
from assay.history.search.schemas import SearchResult
from assay.runs.verdicts.schemas import CheckedCriteria, CriteriaText, MetricOut


class AuditFilter(TypedDict, total=False):
    """Which entries the audit log has, and in which order; `since` and `until` are times."""

    actor: str
    since: str
    until: str
    q: str
    sort: str


class MatchFilter(TypedDict, total=False):
    """Of which hosts and arrays matches are."""

    host: str
    host_id: int
    array: str
    array_id: int


class Assay(Transport):
    """A connection to an appliance; use it in a `with` block, or close it.

    `get`, `post`, `put`, `patch`, `delete`, `pages` and `all` reach every other endpoint of the
    API, with its JSON documents; `text` and `download` its files. Several threads may use one
    connection.
    """

    campaigns: Campaigns
    runs: Runs
    hosts: Hosts
    targets: Targets
    arrays: Arrays
    profiles: Profiles
    schedules: Schedules
    webhooks: Webhooks
    tools: Tools
    host_authorities: HostAuthorities
    credentials: Credentials
    users: Users
    tokens: Tokens

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        patience_s: float = PATIENCE_S,
        on_replay: Callable[[str], None] | None = None,
    ) -> None:
        """Use the server at `url` with `token`, or those of `ASSAY_URL` and `ASSAY_TOKEN`.

        A request that the server does not answer within `timeout_s` is lost; requests are repeated
        for up to `patience_s`. `on_replay` is called with a key that you gave if the response is
        that of an earlier request with it. Raises AssayError.
        """
        url = _given("url", url, "ASSAY_URL").rstrip("/").removesuffix(PREFIX)
        token = _given("token", token, "ASSAY_TOKEN").strip()
        if not url.startswith(("http://", "https://")):
            raise AssayError(f"url is {url!r}, but must be like https://assay.example:8080.")
        if not token.isascii() or not token.isprintable():
            raise AssayError("token has characters that no token has. Copy it again.")
        headers = {"Authorization": f"Bearer {token}"}
        try:
            http = httpx.Client(base_url=url, headers=headers, timeout=timeout_s)
        except httpx.InvalidURL as error:
            raise AssayError(f"url is {url!r}, which is no address: {error}.") from error
        super().__init__(http, patience_s, on_replay)
        for name, noun in NOUNS.items():
            setattr(self, noun.attribute, RESOURCES[name](self))

    def shares(self, campaign_id: int) -> ShareLinks:
        """Return the share links of a campaign."""
        return ShareLinks(self, campaign_id)

    def search(self, words: str, *, limit: int = 5) -> SearchResult:
        """Return the objects that match all words, at most `limit` of each type."""
        return parsed(SearchResult, self.get("/search", q=words, limit=limit))

    def audit(self, *, most: int | None = None, **where: Unpack[AuditFilter]) -> Iterator[AuditOut]:
        """Yield the entries of the audit log that match all filters, newest first."""
        return self.items(AuditOut, "/audit", most=most, **query(where))

    def matches(self, **where: Unpack[MatchFilter]) -> Matches:
        """Return what may have been registered again, and the decisions so far."""
        return parsed(Matches, self.get("/matches", **where))

    def overview(self) -> Overview:
        """Return active and queued runs, problems and recent results."""
        return parsed(Overview, self.get("/overview"))

    def health(self) -> Health:
        """Return the health of the installation."""
        return parsed(Health, self.get("/health"))

    def me(self) -> Me:
        """Return what the token may do, and what it has used of its limits."""
        return parsed(Me, self.get("/me"))

    def metrics(self) -> Sequence[MetricOut]:
        """Return the metrics that criteria may limit, of every test kind."""
        return [parsed(MetricOut, one) for one in self.get("/metrics")["items"]]

    def check_criteria(self, criteria: CriteriaText | Mapping[str, object]) -> CheckedCriteria:
        """Return the meaning of each criterion, or the mistake in it; changes nothing."""
        return parsed(CheckedCriteria, self.post("/criteria/check", criteria))

    def close(self) -> None:
        """Close the connection."""
        self.http.close()

    def __enter__(self) -> Self:
        """Return the connection."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connection."""
        self.close()


_HINTS = get_type_hints(Assay)

RESOURCES: Mapping[str, type[Resource[Any, Any]]] = {
    name: _HINTS[noun.attribute] for name, noun in NOUNS.items()
}
"""What can be requested of each noun, by the name of its group of commands."""


def _given(name: str, value: str | None, variable: str) -> str:
    found = os.environ.get(variable) if value is None else value
    if not found:
        raise AssayError(f"{name} is missing. Give it, or set {variable}.")
    return found
