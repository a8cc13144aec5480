"""The check of `If-Match` before a change."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.base.etags import PreconditionFailed, matches
from assay.tables.accounts import AuditEntry


def check(session: Session, if_match: str | None, current: str, what: str) -> None:
    """Raise PreconditionFailed unless `if_match` is absent or names the tag `current`.

    `what` is the object as in the audit log, without its name: `host 5`.
    """
    if if_match is None or matches(if_match, current):
        return
    noun = what.partition(" ")[0]
    newest = session.scalar(
        select(AuditEntry)
        .where(AuditEntry.action == f"{noun}.changed", AuditEntry.object.startswith(f"{what} "))
        .order_by(AuditEntry.id.desc())
        .limit(1)
    )
    raise PreconditionFailed(
        current, newest.actor if newest else None, newest.at if newest else None
    )
