"""Endpoints of retention: the rules, what they would remove, and the space used."""

from typing import Annotated

from fastapi import APIRouter
from sqlalchemy.orm import Session

from assay.access.audit import record
from assay.access.preconditions import check
from assay.api.accounts.authentication import may
from assay.api.http.routes import Route
from assay.base.errors import Conflict
from assay.base.etags import IfMatch, etag
from assay.base.identity import Identity
from assay.history.retention.preview import preview
from assay.history.retention.removal import is_pending
from assay.history.retention.schemas import RetentionOut, RetentionPreview, RetentionRules
from assay.history.retention.space import used
from assay.tables.clock import now
from assay.tables.retention import ONLY, Retention
from assay.tables.transactions import Reading, Writing

router = APIRouter(prefix="/retention", tags=["retention"], route_class=Route)


class NoRetentionRules(Conflict):
    """There is no rule to apply."""

    code, title = "no_retention_rules", "There are no retention rules"


@router.get("", summary="Show retention rules and the space used")
def show_retention(
    _who: Annotated[Identity, may("retention_rule.read")], session: Reading
) -> RetentionOut:
    """Without rules, everything is kept."""
    return _out(session, session.get(Retention, ONLY))


@router.put("", summary="Change retention rules")
def change_retention(
    body: RetentionRules,
    who: Annotated[Identity, may("retention_rule.change")],
    session: Writing,
    if_match: IfMatch = None,
) -> RetentionOut:
    """Replaces all rules; the scheduler applies them at once, and then every hour."""
    row = session.get(Retention, ONLY, with_for_update=True)
    check(session, if_match, _tag(row), "retention")
    rules = body.model_dump(mode="json")
    if row is None:
        row = Retention(id=ONLY, rules=rules, changed_by=who.actor)
        session.add(row)
    else:
        row.rules, row.changed_by, row.changed_at = rules, who.actor, now(session)
    record(session, who, "retention.changed", "retention rules", **rules)
    session.flush()
    return _out(session, row)


@router.post("/preview", summary="Preview what retention rules remove")
def preview_retention(
    body: RetentionRules, _who: Annotated[Identity, may("retention_rule.read")], session: Reading
) -> RetentionPreview:
    """What these rules would remove if they were applied now; nothing is removed."""
    return preview(session, body)


@router.post("/run", summary="Apply retention rules now", status_code=202)
def apply_retention(
    who: Annotated[Identity, may("retention_rule.apply")], session: Writing
) -> RetentionOut:
    """The scheduler removes in the background what the stored rules select."""
    row = session.get(Retention, ONLY, with_for_update=True)
    if row is None or not any(row.rules.values()):
        raise NoRetentionRules("Everything is kept.", "Set a rule first.")
    row.requested_at = now(session)
    record(session, who, "retention.requested", "retention rules")
    session.flush()
    return _out(session, row)


def _out(session: Session, row: Retention | None) -> RetentionOut:
    return RetentionOut(
        rules=RetentionRules.model_validate(row.rules) if row else RetentionRules(),
        changed_at=row.changed_at if row else None,
        changed_by=row.changed_by if row else None,
        applied_at=row.applied_at if row else None,
        pending=row is not None and is_pending(row),
        space=used(session),
        etag=_tag(row),
    )


def _tag(row: Retention | None) -> str:
    """Return the tag of the rules; before they were set, that of none."""
    return etag(row or Retention(rules=RetentionRules().model_dump(mode="json")), ("rules",))
