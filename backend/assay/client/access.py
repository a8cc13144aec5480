"""Who may reach hosts and Assay: credentials, authorities, users, tokens, share links, a login."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Unpack

import httpx

from assay.api.accounts.schemas import CSRF_HEADER, UserChange, UserIn, UserOut
from assay.api.sharing.schemas import NewShareLink, ShareLinkIn, ShareLinkOut
from assay.api.tokens.schemas import TokenOut
from assay.base import nouns
from assay.base.identity import Role
from assay.client.errors import AssayError
from assay.client.resources import (
    Creatable,
    Deletable,
    Managed,
    NameFilter,
    OrderFilter,
    Reference,
)
from assay.client.transport import PATIENCE_S, TIMEOUT_S, Transport, parsed
from assay.inventory.authorities.schemas import (
    HostAuthorityChange,
    HostAuthorityIn,
    HostAuthorityOut,
)
from assay.inventory.credentials.schemas import CredentialIn, CredentialKind, CredentialOut


class RoleFilter(NameFilter, total=False):
    """Which users or tokens a list has, and in which order."""

    role: Role | Sequence[Role]


class CredentialFilter(NameFilter, total=False):
    """Which credentials a list has, and in which order."""

    kind: CredentialKind | Sequence[CredentialKind]


class HostAuthorities(
    Managed[HostAuthorityOut, HostAuthorityIn, HostAuthorityOut, HostAuthorityChange]
):
    """The authorities whose host certificates are trusted."""

    noun, _kind, _made = nouns.AUTHORITY, HostAuthorityOut, HostAuthorityOut

    def list(
        self, *, most: int | None = None, **where: Unpack[NameFilter]
    ) -> Iterator[HostAuthorityOut]:
        """Yield the authorities that match all filters, newest first unless `sort` differs."""
        return self._all(most, where)


class Users(Managed[UserOut, UserIn, UserOut, UserChange]):
    """The people who log in."""

    noun, _kind, _made = nouns.USER, UserOut, UserOut

    def list(self, *, most: int | None = None, **where: Unpack[RoleFilter]) -> Iterator[UserOut]:
        """Yield the users that match all filters, the oldest first unless `sort` differs."""
        return self._all(most, where)


class Credentials(
    Creatable[Reference, CredentialOut, CredentialIn, CredentialOut],
    Deletable[Reference, CredentialOut],
):
    """The keys and passwords for hosts; their secrets are never returned."""

    noun, _kind, _made = nouns.CREDENTIAL, CredentialOut, CredentialOut

    def list(
        self, *, most: int | None = None, **where: Unpack[CredentialFilter]
    ) -> Iterator[CredentialOut]:
        """Yield the credentials that match all filters, newest first unless `sort` differs."""
        return self._all(most, where)

    def renew(self, which: Reference, certificate: str | None) -> CredentialOut:
        """Replace the SSH user certificate of a key with this one, or remove it."""
        body = {"certificate": certificate}
        return parsed(CredentialOut, self._api.put(f"{self.path_of(which)}/certificate", body))


class Tokens(Deletable[int, TokenOut]):
    """API tokens; only a person in a browser, or the command line, creates them."""

    noun, _kind = nouns.TOKEN, TokenOut

    def list(self, *, most: int | None = None, **where: Unpack[RoleFilter]) -> Iterator[TokenOut]:
        """Yield the tokens that match all filters, newest first unless `sort` differs."""
        return self._all(most, where)


class ShareLinks(
    Creatable[int, ShareLinkOut, ShareLinkIn, NewShareLink], Deletable[int, ShareLinkOut]
):
    """The links that show the report of a campaign without a login; `delete` revokes one."""

    _kind, _made = ShareLinkOut, NewShareLink

    def __init__(self, api: Transport, campaign_id: int) -> None:
        """Use the links of a campaign."""
        super().__init__(api, f"{nouns.CAMPAIGN.path}/{campaign_id}/shares")

    def list(
        self, *, most: int | None = None, **where: Unpack[OrderFilter]
    ) -> Iterator[ShareLinkOut]:
        """Yield the links, newest first unless `sort` differs."""
        return self._all(most, where)


@contextmanager
def logged_in(
    url: str, name: str, password: str, patience_s: float = PATIENCE_S
) -> Generator[Transport]:
    """Provide requests as a person, who may create tokens, while the block runs; then log out.

    A request without a response is repeated for up to `patience_s`. A failed logout is ignored: the
    session expires by itself. Raises AssayError.
    """
    try:
        http = httpx.Client(base_url=url.rstrip("/"), timeout=TIMEOUT_S)
    except httpx.InvalidURL as error:
        raise AssayError(f"url is {url!r}, which is no address: {error}.") from error
    with http:
        transport = Transport(http, patience_s)
        session = transport.post("/session", {"name": name, "password": password})
        http.headers[CSRF_HEADER] = session["csrf"]
        try:
            yield transport
        finally:
            with suppress(AssayError):
                transport.delete("/session")
