"""The actor of a request, as authentication found it: its role, and the scopes of its token.

Each role includes the permissions of the previous one. Scopes are what a token may do of what its
role allows: they narrow a role and never widen it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self, get_args

Role = Literal["viewer", "operator", "admin"]
"""A viewer reads, an operator launches and registers, an admin manages users and credentials."""

ROLES: tuple[Role, ...] = get_args(Role)


def lower(one: Role, other: Role) -> Role:
    """Return the lower of two roles."""
    return one if includes(other, one) else other


def higher(one: Role, other: Role) -> Role:
    """Return the higher of two roles."""
    return one if includes(one, other) else other


def includes(role: str, wanted: Role) -> bool:
    """Return whether `role` has the permissions of `wanted`."""
    return ROLES.index(role) >= ROLES.index(wanted)  # pyright: ignore[reportArgumentType]


Scope = Literal["read", "launch", "hosts", "edit", "admin"]

SCOPES: tuple[Scope, ...] = get_args(Scope)

ROLE_OF: Mapping[Scope, Role] = {
    "read": "viewer",
    "launch": "operator",
    "hosts": "operator",
    "edit": "operator",
    "admin": "admin",
}
"""The role that each scope requires."""

MEANING: Mapping[Scope, str] = {
    "read": "read everything, and estimate campaigns",
    "launch": "launch and cancel campaigns",
    "hosts": "register, change, check and delete hosts, targets and arrays, and approve host keys",
    "edit": "change profiles; rename, label, annotate and delete campaigns; waive criteria",
    "admin": "manage users, tokens, credentials and tools, and read the audit log",
}
"""What each scope allows."""


TARGET_LABELS = "target_labels"

LIMITS = (TARGET_LABELS, "bytes_per_day", "campaigns_at_once")
"""The limits that a token may have besides its scopes."""


@dataclass(frozen=True)
class Limits:
    """What a token may do of what its role allows, and how much; null is no limit."""

    scopes: Sequence[Scope] | None = None
    target_labels: Mapping[str, str] = field(default_factory=dict[str, str])
    bytes_per_day: int | None = None
    campaigns_at_once: int | None = None

    @property
    def given(self) -> dict[str, Any]:
        """Those that are set."""
        return {name: value for name, value in vars(self).items() if value}

    @classmethod
    def of(cls, row: Any) -> Self:
        """Return those of a token's row."""
        return cls(row.scopes, row.target_labels, row.bytes_per_day, row.campaigns_at_once)


def scopes_of(role: Role) -> tuple[Scope, ...]:
    """Return all scopes that a role includes."""
    return tuple(scope for scope in SCOPES if includes(role, ROLE_OF[scope]))


def granted(role: Role, chosen: Collection[str] | None) -> tuple[Scope, ...]:
    """Return those of the chosen scopes that a role includes; all of them if none were chosen."""
    return tuple(one for one in scopes_of(role) if chosen is None or one in chosen)


def lowest_role(scopes: Iterable[Scope]) -> Role:
    """Return the lowest role that includes all scopes."""
    needed: Role = "viewer"
    for scope in scopes:
        if includes(ROLE_OF[scope], needed):
            needed = ROLE_OF[scope]
    return needed


@dataclass(frozen=True)
class Identity:
    """The actor of a request and its address; a token's `user_id` is that of its user."""

    actor: str
    role: Role
    address: str
    user_id: int | None = None
    session_id: int | None = None
    token_id: int | None = None
    is_use_due: bool = False
    """Whether the token's last use has to be recorded."""
    scopes: tuple[Scope, ...] = SCOPES
    """What a token may do of what the role allows."""
    limits: tuple[str, ...] = ()
    """What narrows the token: `scopes`, if they were chosen, and the names of its limits."""
    is_schedule: bool = False
    """Whether it is a schedule that launches, not a user."""

    @property
    def principal(self) -> str:
        """Who is asking: the token, or in a browser the user."""
        return f"user {self.user_id}" if self.token_id is None else f"token {self.token_id}"
