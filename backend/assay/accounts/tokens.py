"""API tokens: shown once, stored as a hash, limited to the role of their user and by themselves."""

from datetime import timedelta

from sqlalchemy.orm import Session

from assay.accounts.audit import record
from assay.accounts.identity import Identity
from assay.accounts.models import ApiToken
from assay.accounts.roles import Role
from assay.accounts.scopes import Limits
from assay.accounts.secrets import fingerprint, new_token
from assay.db.clock import now

NO_LIMITS = Limits()


def issue(
    session: Session,
    who: Identity,
    name: str,
    role: Role,
    lifetime: timedelta | None,
    *,
    limits: Limits = NO_LIMITS,
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
        scopes=None if limits.scopes is None else list(limits.scopes),
        target_labels=dict(limits.target_labels),
        bytes_per_day=limits.bytes_per_day,
        campaigns_at_once=limits.campaigns_at_once,
    )
    session.add(row)
    session.flush()
    what = f"token {row.id} {row.name}"
    record(session, who, "token.created", what, role=role, **limits.given)
    return row, token


def revoke(session: Session, who: Identity, row: ApiToken) -> None:
    """Delete a token."""
    record(session, who, "token.deleted", f"token {row.id} {row.name}")
    session.delete(row)
