"""Roles; each includes the permissions of the previous one."""

from typing import Literal, get_args

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
