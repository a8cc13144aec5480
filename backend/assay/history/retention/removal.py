"""Applying the rules, in small transactions: a long one would delay those of other processes.

A run says that its raw log or its samples were removed before the first of their rows is, so no
page shows part of them as the whole. Campaigns are deleted as by a person: hidden at once, removed
later.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Select, exists, or_, select

from assay.access.audit import record
from assay.base.identity import Identity
from assay.history.retention.preview import campaigns_due, runs_due
from assay.history.retention.schemas import RetentionRule, RetentionRules
from assay.history.retention.space import RAW, SAMPLES, bytes_of
from assay.runs.campaigns.deletion import delete_campaign, remove_part
from assay.tables.campaigns import Campaign
from assay.tables.clock import moment, now
from assay.tables.database import reading, writing
from assay.tables.retention import ONLY, Retention
from assay.tables.runs import Run

EVERY = timedelta(hours=1)
"""How often the rules are applied."""

_RETENTION = Identity("retention", "operator", "local")


def apply_next() -> bool:
    """Remove the next thing that the rules select; return false if nothing is due now."""
    with reading() as session:
        found = session.scalars(select(Retention).where(Retention.id == ONLY, _is_due())).first()
        if found is None:
            return False
        rules, began = RetentionRules.model_validate(found.rules), now(session)
    if _remove_campaign(rules.campaigns):
        return True
    for rule, column, tables, what in _PARTS:
        if _remove_of_run(getattr(rules, rule), column, tables, what):
            return True
    with writing() as session:
        row = session.get_one(Retention, ONLY, with_for_update=True)
        row.applied_at = began
    return False


def is_pending(row: Retention) -> bool:
    """Return whether the rules are applied next, not within `EVERY`."""
    since = max(filter(None, (row.changed_at, row.requested_at)))
    return row.applied_at is None or since > row.applied_at


def _is_due() -> Any:
    applied = Retention.applied_at
    return or_(
        applied.is_(None),
        applied <= moment(-EVERY),
        Retention.changed_at > applied,
        Retention.requested_at > applied,
    )


def _remove_campaign(rule: RetentionRule | None) -> bool:
    """Delete the oldest campaign that a rule selects; return whether there was one."""
    if rule is None:
        return False
    due = select(Campaign.id).where(*campaigns_due(rule))
    campaign_id = _first(due.order_by(Campaign.id))
    if campaign_id is None:
        return False
    with writing() as session:
        if session.scalar(due.where(Campaign.id == campaign_id)):  # still
            delete_campaign(session, campaign_id, _RETENTION, cancel=False)
    return True


def _first(chosen: Select[int]) -> int | None:
    """Return the first of these ids; read apart, so that what writes stays short."""
    with reading() as session:
        return session.scalars(chosen.limit(1)).first()


_PARTS: tuple[tuple[str, Any, Any, str], ...] = (
    ("raw_logs", Run.raw_removed_at, RAW, "raw_log"),
    ("samples", Run.samples_removed_at, SAMPLES, "samples"),
)
"""The rules about parts of runs: their column, their tables, and their word in the audit log."""


def _remove_of_run(rule: RetentionRule | None, column: Any, tables: Any, what: str) -> bool:
    """Remove part of the data of the next run that a rule selects; return whether there was one."""
    bulk: Sequence[type[Any]] = [table for table, _ in tables]
    left = or_(*(exists().where(table.run_id == Run.id) for table in bulk))
    newest = select(Run.id).where(column.is_not(None)).order_by(column.desc()).limit(1)
    run_id = _first(select(Run.id).where(Run.id.in_(newest.scalar_subquery()), left))
    if run_id is None and rule is not None:
        run_id = _first(runs_due(rule, column).order_by(Run.id))
    if run_id is None:  # what a crash left
        run_id = _first(select(Run.id).where(column.is_not(None), left))
    if run_id is None:
        return False
    with writing() as session:
        run = session.get(Run, run_id, with_for_update=True)
        if run is None:
            return True
        if getattr(run, column.key) is None:
            if (
                rule is None
                or session.scalar(runs_due(rule, column).where(Run.id == run_id)) is None
            ):
                return True  # someone protected it
            size = bytes_of(session, tables, select(Run.id).where(Run.id == run.id))
            named = f"run {run.id} {run.title}"
            record(session, _RETENTION, f"run.{what}_removed", named, bytes=size)
            setattr(run, column.key, now(session))
            session.flush()
        any(remove_part(session, table, run.id) for table in bulk)
    return True
