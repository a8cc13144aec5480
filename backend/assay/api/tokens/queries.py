"""API tokens: shown once, stored as a hash, limited to the role of their user and by themselves."""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy.orm import Session

from assay.access.audit import record
from assay.access.secrets import fingerprint, new_token
from assay.api.tokens.schemas import TokenOut, TokenUsage
from assay.base.identity import Identity, Limits, Role, granted
from assay.runs.campaigns.token_usage import usages
from assay.tables.accounts import ApiToken
from assay.tables.clock import now


def shapes(session: Session, rows: Sequence[ApiToken]) -> list[TokenOut]:
    """Return tokens as API types."""
    used = usages(session, [row.id for row in rows])
    return [
        TokenOut(
            id=row.id,
            name=row.name,
            role=row.role,  # pyright: ignore[reportArgumentType] (only roles are ever stored)
            scopes=list(granted(row.role, row.scopes)),  # pyright: ignore[reportArgumentType]
            target_labels=row.target_labels,
            bytes_per_day=row.bytes_per_day,
            campaigns_at_once=row.campaigns_at_once,
            used=TokenUsage.model_validate(used[row.id], from_attributes=True),
            created_by=row.created_by,
            created_at=row.created_at,
            expires_at=row.expires_at,
            last_used_at=row.last_used_at,
        )
        for row in rows
    ]


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
