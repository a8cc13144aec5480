"""Tokens of the database on this machine: access to it grants all permissions."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta

from assay.api.tokens.queries import issue, revoke, shapes
from assay.api.tokens.schemas import TokenIn, TokenOut
from assay.base.identity import Identity, Role
from assay.tables.accounts import ApiToken
from assay.tables.database import writing

LONGEST_COMMAND = timedelta(days=7)

OPERATING_SYSTEM = Identity("command line", "admin", "local")


@contextmanager
def temporary(role: Role) -> Generator[str]:
    """Provide the secret of a token that is deleted at the end of the block."""
    with writing() as session:
        row, token = issue(session, OPERATING_SYSTEM, OPERATING_SYSTEM.actor, role, LONGEST_COMMAND)
    try:
        yield token
    finally:
        with writing() as session:
            revoke(session, OPERATING_SYSTEM, session.get_one(ApiToken, row.id))


def create(wanted: TokenIn) -> tuple[TokenOut, str]:
    """Create a token; return it and its secret."""
    lifetime = None if wanted.expires_in_days is None else timedelta(days=wanted.expires_in_days)
    with writing() as session:
        row, token = issue(
            session, OPERATING_SYSTEM, wanted.name, wanted.role, lifetime, limits=wanted.limits
        )
        return shapes(session, [row])[0], token
