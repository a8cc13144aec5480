"""Lists of the API whose objects are given by id or name, with the types of the API.

Each list has what the API permits: tokens are read and deleted, credentials are also created, and
webhooks also changed.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, TypedDict, TypeVar, Unpack
from urllib.parse import quote

from pydantic import BaseModel

from assay.accounts.roles import Role
from assay.accounts.schemas import UserChange, UserIn, UserOut
from assay.authorities.schemas import HostAuthorityChange, HostAuthorityIn, HostAuthorityOut
from assay.client.nouns import Reference
from assay.client.transport import TIMEOUT_S, Transport, parsed
from assay.credentials.schemas import CredentialIn, CredentialKind, CredentialOut
from assay.kinds.programs import ToolDefinition
from assay.sharing.schemas import NewShareLink, ShareLinkIn, ShareLinkOut
from assay.tokens.schemas import TokenOut
from assay.tools.schemas import ToolCheckIn, ToolCheckOut, ToolOut

Out = TypeVar("Out", bound=BaseModel)
In = TypeVar("In", bound=BaseModel)
Made = TypeVar("Made", bound=BaseModel)
Change = TypeVar("Change", bound=BaseModel)


class OrderFilter(TypedDict, total=False):
    """In which order a list is."""

    sort: str


class NameFilter(OrderFilter, total=False):
    """Which objects a list has, by the words of their names, and in which order."""

    q: str


class RoleFilter(NameFilter, total=False):
    """Which users or tokens a list has, and in which order."""

    role: Role | Sequence[Role]


class CredentialFilter(NameFilter, total=False):
    """Which credentials a list has, and in which order."""

    kind: CredentialKind | Sequence[CredentialKind]


class Collection(Generic[Out]):
    """A list whose objects are read and deleted."""

    def __init__(self, api: Transport, path: str, kind: type[Out]) -> None:
        """Use the list at `path`, whose items are of `kind`."""
        self._api, self._path, self._kind = api, path, kind

    def get(self, which: Reference) -> Out:
        """Return an object; raises NotFoundError."""
        return parsed(self._kind, self._api.get(self.path_of(which)))

    def delete(self, which: Reference, *, etag: str | None = None) -> None:
        """Delete an object; with `etag`, only if nobody changed it since."""
        self._api.delete(self.path_of(which), etag=etag)

    def path_of(self, which: Reference) -> str:
        """Return the path of an object, below which its further endpoints are."""
        return f"{self._path}/{quote(str(which), safe='')}"

    def _all(self, most: int | None, where: Mapping[str, object]) -> Iterator[Out]:
        return self._api.items(self._kind, self._path, most=most, **where)


class Extensible(Collection[Out], Generic[Out, In, Made]):
    """A list to which objects of type `In` are added; the response is of type `Made`."""

    def __init__(self, api: Transport, path: str, kind: type[Out], made: type[Made]) -> None:
        """Use the list at `path`, whose items are of `kind`, new ones of `made`."""
        super().__init__(api, path, kind)
        self._made = made

    def create(self, body: In | Mapping[str, object], *, key: str | None = None) -> Made:
        """Create an object; a secret is only in this response. `key` is its idempotency key."""
        return parsed(self._made, self._api.post(self._path, body, key=key))


class Changeable(Extensible[Out, In, Made], Generic[Out, In, Made, Change]):
    """A list whose objects are also changed."""

    def change(
        self,
        which: Reference,
        changes: Change | Mapping[str, object],
        *,
        etag: str | None = None,
    ) -> Out:
        """Change fields; omitted ones stay. With `etag`, raise ChangedError if others changed it.

        A dictionary has the fields as the API takes them.
        """
        return parsed(self._kind, self._api.patch(self.path_of(which), changes, etag=etag))


class HostAuthorities(
    Changeable[HostAuthorityOut, HostAuthorityIn, HostAuthorityOut, HostAuthorityChange]
):
    """The authorities whose host certificates are trusted."""

    def __init__(self, api: Transport) -> None:
        """Use this connection."""
        super().__init__(api, "/host-authorities", HostAuthorityOut, HostAuthorityOut)

    def list(
        self, *, most: int | None = None, **where: Unpack[NameFilter]
    ) -> Iterator[HostAuthorityOut]:
        """Yield the authorities that match all filters, newest first unless `sort` differs."""
        return self._all(most, where)


class Users(Changeable[UserOut, UserIn, UserOut, UserChange]):
    """The people who log in."""

    def __init__(self, api: Transport) -> None:
        """Use this connection."""
        super().__init__(api, "/users", UserOut, UserOut)

    def list(self, *, most: int | None = None, **where: Unpack[RoleFilter]) -> Iterator[UserOut]:
        """Yield the users that match all filters, the oldest first unless `sort` differs."""
        return self._all(most, where)


class Credentials(Extensible[CredentialOut, CredentialIn, CredentialOut]):
    """The keys and passwords for hosts; their secrets are never returned."""

    def __init__(self, api: Transport) -> None:
        """Use this connection."""
        super().__init__(api, "/credentials", CredentialOut, CredentialOut)

    def list(
        self, *, most: int | None = None, **where: Unpack[CredentialFilter]
    ) -> Iterator[CredentialOut]:
        """Yield the credentials that match all filters, newest first unless `sort` differs."""
        return self._all(most, where)

    def renew(self, which: Reference, certificate: str | None) -> CredentialOut:
        """Replace the SSH user certificate of a key with this one, or remove it."""
        body = {"certificate": certificate}
        return parsed(CredentialOut, self._api.put(f"{self.path_of(which)}/certificate", body))


class Tokens(Collection[TokenOut]):
    """API tokens; only a person in a browser, or the command line, creates them."""

    def __init__(self, api: Transport) -> None:
        """Use this connection."""
        super().__init__(api, "/tokens", TokenOut)

    def list(self, *, most: int | None = None, **where: Unpack[RoleFilter]) -> Iterator[TokenOut]:
        """Yield the tokens that match all filters, newest first unless `sort` differs."""
        return self._all(most, where)


class ShareLinks(Extensible[ShareLinkOut, ShareLinkIn, NewShareLink]):
    """The links that show the report of a campaign without a login; `delete` revokes one."""

    def __init__(self, api: Transport, campaign_id: int) -> None:
        """Use this connection."""
        super().__init__(api, f"/campaigns/{campaign_id}/shares", ShareLinkOut, NewShareLink)

    def list(
        self, *, most: int | None = None, **where: Unpack[OrderFilter]
    ) -> Iterator[ShareLinkOut]:
        """Yield the links, newest first unless `sort` differs."""
        return self._all(most, where)


class Tools(Extensible[ToolOut, ToolDefinition, ToolOut]):
    """The programs that tests of transfers may use."""

    def __init__(self, api: Transport) -> None:
        """Use this connection."""
        super().__init__(api, "/tools", ToolOut, ToolOut)

    def list(self, *, most: int | None = None, **where: Unpack[NameFilter]) -> Iterator[ToolOut]:
        """Yield the tools that match all filters, the oldest first unless `sort` differs."""
        return self._all(most, where)

    def replace(
        self,
        which: Reference,
        definition: ToolDefinition | Mapping[str, object],
        *,
        etag: str | None = None,
    ) -> ToolOut:
        """Replace the definition of a tool; with `etag`, only if nobody changed it since."""
        return parsed(ToolOut, self._api.put(self.path_of(which), definition, etag=etag))

    def check(
        self,
        which: Reference,
        hosts: ToolCheckIn | Mapping[str, object],
        *,
        wait_s: float = 0.0,
    ) -> ToolCheckOut:
        """Check whether two hosts have what a tool needs; wait up to `wait_s` (600) for the end."""
        path, timeout_s = f"{self.path_of(which)}/check", wait_s + TIMEOUT_S
        return parsed(ToolCheckOut, self._api.post(path, hosts, timeout_s, wait=wait_s))
