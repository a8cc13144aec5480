"""Tokens as API types, with what they have used."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from assay.accounts.models import ApiToken
from assay.accounts.scopes import granted
from assay.tokens.schemas import TokenOut, TokenUsage
from assay.tokens.usage import usages


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
