"""Roles, each of which may do what the one before it may."""

from typing import Literal, get_args

Role = Literal["viewer", "operator", "admin"]
"""A viewer reads, an operator launches and registers, an admin manages users and credentials."""

ROLES: tuple[Role, ...] = get_args(Role)


def lower(one: Role, other: Role) -> Role:
    """The one of two roles that may do less."""
    return one if includes(other, one) else other


def includes(role: str, wanted: Role) -> bool:
    """Whether someone with `role` may do what needs `wanted`."""
    return ROLES.index(role) >= ROLES.index(wanted)  # pyright: ignore[reportArgumentType]
