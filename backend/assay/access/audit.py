"""The audit log: each entry is written in the transaction of its change."""

from typing import Any

from sqlalchemy.orm import Session

from assay.base.identity import Identity
from assay.tables.accounts import AuditEntry


def record(session: Session, who: Identity, action: str, what: str, **detail: Any) -> None:
    """Record that `who` did `action` (`host.created`) to `what` (`host 5 web-1`)."""
    session.add(
        AuditEntry(
            actor=who.actor,
            action=action,
            object=what[:200],
            detail=detail,
            address=who.address[:64],
        )
    )
