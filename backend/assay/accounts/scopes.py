"""What a token may do of what its role allows. Scopes narrow a role and never widen it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self, get_args

from assay.accounts.roles import Role, includes

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
