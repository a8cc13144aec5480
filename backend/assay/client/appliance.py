"""The appliance as a program sees it."""

import os
from types import TracebackType
from typing import Self

import httpx

from assay.arrays.schemas import ArrayOut
from assay.client.campaigns import Campaigns, Runs
from assay.client.collections import Collection
from assay.client.errors import AssayError
from assay.client.nouns import Arrays, Hosts, Profiles, Targets
from assay.client.transport import PATIENCE_S, PREFIX, TIMEOUT_S, Transport
from assay.hosts.schemas import HostOut
from assay.profiles.schemas import ProfileOut
from assay.targets.schemas import TargetOut


class Assay(Transport):
    """A connection to an appliance; use it in a `with` block, or close it.

    `get`, `post`, `put`, `patch`, `delete`, `pages` and `all` reach every other endpoint of the
    API, with its JSON documents; `text` and `download` its files. Several threads may use one
    connection.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """Use the server at `url` with `token`, or those of `ASSAY_URL` and `ASSAY_TOKEN`.

        A request that the server does not answer within `timeout_s` is lost; requests are repeated
        for up to `patience_s`. Raises AssayError.
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
        super().__init__(http, patience_s)
        self.campaigns = Campaigns(self)
        self.runs = Runs(self)
        self.hosts = Hosts(self, "host", HostOut)
        self.targets = Targets(self, "target", TargetOut)
        self.arrays = Arrays(self, "array", ArrayOut)
        self.profiles = Profiles(self, "profile", ProfileOut)
        self.schedules = Collection(self, "/schedules")
        self.webhooks = Collection(self, "/webhooks")
        self.host_authorities = Collection(self, "/host-authorities")
        self.credentials = Collection(self, "/credentials")
        self.users = Collection(self, "/users")
        self.tokens = Collection(self, "/tokens")

    def shares(self, campaign_id: int) -> Collection:
        """Return the share links of a campaign."""
        return Collection(self, f"/campaigns/{campaign_id}/shares")

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


def _given(name: str, value: str | None, variable: str) -> str:
    found = os.environ.get(variable) if value is None else value
    if not found:
        raise AssayError(f"{name} is missing. Give it, or set {variable}.")
    return found
