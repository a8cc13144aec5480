"""The connection of the command line.

It authenticates with `ASSAY_TOKEN` (and `ASSAY_URL` for another machine). Without them, it creates
a temporary token in the local database.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta

from assay.accounts.identity import Identity
from assay.accounts.models import ApiToken
from assay.accounts.roles import Role
from assay.accounts.tokens import issue, revoke
from assay.cli.console import CommandError
from assay.client import Assay, AssayError
from assay.db.database import writing
from assay.settings import settings

LONGEST_COMMAND = timedelta(days=7)

PATIENCE_S = 5.0
"""A person at a terminal wants to know soon that the appliance is stopped."""

OPERATING_SYSTEM = Identity("command line", "admin", "local")
"""Access to the database grants all permissions."""


def is_addressed() -> bool:
    """Return whether the environment names an appliance or a token."""
    return bool(os.environ.get("ASSAY_URL") or os.environ.get("ASSAY_TOKEN"))


@contextmanager
def connected(role: Role = "operator") -> Generator[Assay]:
    """Provide a connection while the block runs; its errors become errors of the command.

    `role` is that of a temporary token.
    """
    try:
        with _token(role) as token, Assay(address(), token, patience_s=PATIENCE_S) as assay:
            yield assay
    except AssayError as error:
        raise CommandError(str(error)) from error


def address() -> str:
    """Return the address of the appliance: `ASSAY_URL`, or that of this machine."""
    configured = settings()
    local = f"http://{configured.host}:{configured.port}"
    return (os.environ.get("ASSAY_URL") or local).rstrip("/")


@contextmanager
def _token(role: Role) -> Generator[str]:
    """Provide the token of the environment, or a temporary one."""
    if given := os.environ.get("ASSAY_TOKEN"):
        yield given
        return
    if os.environ.get("ASSAY_URL"):
        raise CommandError(
            "ASSAY_URL is set, but ASSAY_TOKEN is not. Create a token there and set it."
        )
    with writing() as session:
        row, token = issue(session, OPERATING_SYSTEM, OPERATING_SYSTEM.actor, role, LONGEST_COMMAND)
    try:
        yield token
    finally:
        with writing() as session:
            revoke(session, OPERATING_SYSTEM, session.get_one(ApiToken, row.id))
