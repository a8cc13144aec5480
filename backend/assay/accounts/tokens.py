"""API tokens: shown once, stored as a hash."""

from datetime import timedelta

from sqlalchemy.orm import Session

from assay.accounts.models import ApiToken
from assay.accounts.roles import Role
from assay.accounts.secrets import fingerprint, new_token
from assay.database import now


def issue(
    session: Session, name: str, role: Role, created_by: str, lifetime: timedelta | None
) -> tuple[ApiToken, str]:
    """A new token: its row, and the secret that nobody can see again."""
    token = new_token()
    row = ApiToken(
        name=name,
        token_hash=fingerprint(token),
        role=role,
        created_by=created_by,
        expires_at=now() + lifetime if lifetime else None,
    )
    session.add(row)
    session.flush()
    return row, token
