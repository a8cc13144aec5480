"""API tokens: shown once, stored as a hash, limited to the role of their user."""

from datetime import timedelta

from sqlalchemy.orm import Session

from assay.accounts.audit import record
from assay.accounts.identity import Identity
from assay.accounts.models import ApiToken
from assay.accounts.roles import Role
from assay.accounts.secrets import fingerprint, new_token
from assay.db.clock import now


def issue(
    session: Session, who: Identity, name: str, role: Role, lifetime: timedelta | None
) -> tuple[ApiToken, str]:
    """Create a token for `who`; return its row and its secret, which is not stored."""
    token = new_token()
    row = ApiToken(
        name=name,
        token_hash=fingerprint(token),
        role=role,
        user_id=who.user_id,
        created_by=who.actor,
        expires_at=now(session) + lifetime if lifetime else None,
    )
    session.add(row)
    session.flush()
    record(session, who, "token.created", f"token {row.id} {row.name}", role=role)
    return row, token


def revoke(session: Session, who: Identity, row: ApiToken) -> None:
    """Delete a token."""
    record(session, who, "token.deleted", f"token {row.id} {row.name}")
    session.delete(row)
