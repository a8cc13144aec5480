"""What the rules would remove now: the same selection as the removal's, without removing.

The rules select what ended long enough ago and is not protected.
"""

from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, exists, func, or_, select
from sqlalchemy.orm import Session

from assay.history.retention.schemas import (
    RemovalItem,
    RemovalPreview,
    RetentionPreview,
    RetentionRule,
    RetentionRules,
)
from assay.history.retention.space import RAW, SAMPLES, bytes_of, results_bytes
from assay.runs.campaigns.deletion import is_baseline, is_waived
from assay.runs.lifecycle import FINAL
from assay.tables.campaigns import Campaign
from assay.tables.clock import moment
from assay.tables.database import among
from assay.tables.labels import CampaignLabel
from assay.tables.runs import Run


def campaigns_due(rule: RetentionRule) -> list[ColumnElement[bool]]:
    """Return SQL for the campaigns that a rule selects: all runs ended before its time."""
    before = moment(-timedelta(days=rule.older_than_days))
    its_run = Run.campaign_id == Campaign.id
    recent = exists().where(
        its_run,
        or_(
            Run.state.not_in(FINAL),
            Run.rules.is_(None),  # its result is not stored yet
            func.coalesce(Run.ended_at, Run.created_at) >= before,
        ),
    )
    return [
        Campaign.deleted_at.is_(None),
        Campaign.created_at < before,
        ~recent,
        ~_protected(rule),
    ]


def _protected(rule: RetentionRule) -> ColumnElement[bool]:
    """Return SQL for whether someone relies on a campaign."""
    found: list[ColumnElement[bool]] = [is_baseline(), is_waived()]
    if rule.keep_labeled:
        found.append(exists().where(CampaignLabel.owner_id == Campaign.id))
    if rule.keep_referenced:
        found.append(Campaign.reference.is_not(None))
    return or_(*found)


MOST_ITEMS = 100


def preview(session: Session, rules: RetentionRules) -> RetentionPreview:
    """Return what each of the rules removes, by itself."""
    return RetentionPreview(
        raw_logs=_of_runs(session, rules.raw_logs, Run.raw_removed_at, RAW),
        samples=_of_runs(session, rules.samples, Run.samples_removed_at, SAMPLES),
        campaigns=_of_campaigns(session, rules.campaigns),
    )


def runs_due(rule: RetentionRule, removed_at: Any) -> Select[int]:
    """Select the runs whose data a rule removes, unless it was removed at `removed_at`."""
    due = select(Campaign.id).where(*campaigns_due(rule))
    return select(Run.id).where(Run.campaign_id.in_(due), removed_at.is_(None))


def _of_runs(
    session: Session, rule: RetentionRule | None, removed_at: Any, tables: Any
) -> RemovalPreview | None:
    if rule is None:
        return None
    due = runs_due(rule, removed_at)
    ended = func.coalesce(Run.ended_at, Run.created_at)
    oldest = session.execute(
        select(Run.id, Run.title, ended, Campaign.id, Campaign.name)
        .join(Campaign, Campaign.id == Run.campaign_id)
        .where(Run.id.in_(due))
        .order_by(ended, Run.id)
        .limit(MOST_ITEMS)
    ).all()
    counts = select(func.count(Run.id), func.count(Run.campaign_id.distinct()))
    runs, campaigns = session.execute(counts.where(Run.id.in_(due))).one()
    sizes = _sizes(session, tables, [row[0] for row in oldest])
    return RemovalPreview(
        campaigns=campaigns,
        runs=runs,
        bytes=bytes_of(session, tables, due),
        items=[
            RemovalItem(
                campaign_id=campaign_id,
                campaign=name,
                run_id=run_id,
                test=title,
                ended_at=ended_at,
                bytes=sizes.get(run_id, 0),
            )
            for run_id, title, ended_at, campaign_id, name in oldest
        ],
    )


def _of_campaigns(session: Session, rule: RetentionRule | None) -> RemovalPreview | None:
    if rule is None:
        return None
    due = select(Campaign.id).where(*campaigns_due(rule))
    runs = select(Run.id).where(Run.campaign_id.in_(due))
    oldest = session.scalars(
        select(Campaign).where(Campaign.id.in_(due)).order_by(Campaign.id).limit(MOST_ITEMS)
    ).all()
    ended = session.execute(
        select(Run.campaign_id, func.max(Run.ended_at))
        .where(among(session, Run.campaign_id, [one.id for one in oldest]))
        .group_by(Run.campaign_id)
    )
    ends = dict(map(tuple[int, Any], ended))
    return RemovalPreview(
        campaigns=session.scalar(select(func.count()).select_from(due.subquery())) or 0,
        runs=session.scalar(select(func.count()).select_from(runs.subquery())) or 0,
        bytes=_everything(session, runs),
        items=[
            RemovalItem(
                campaign_id=one.id,
                campaign=one.name,
                run_id=None,
                test=None,
                ended_at=ends.get(one.id),
                bytes=_everything(session, select(Run.id).where(Run.campaign_id == one.id)),
            )
            for one in oldest
        ],
    )


def _everything(session: Session, runs: Select[int]) -> int:
    return bytes_of(session, (*RAW, *SAMPLES), runs) + results_bytes(session, runs)


def _sizes(session: Session, tables: Any, run_ids: list[int]) -> dict[int, int]:
    """Return the size of each run's data in these tables."""
    found = dict.fromkeys(run_ids, 0)
    for table, columns in tables:
        size = sum((func.length(column) for column in columns[1:]), func.length(columns[0]))
        rows = session.execute(
            select(table.run_id, func.sum(size))
            .where(among(session, table.run_id, run_ids))
            .group_by(table.run_id)
        )
        for run_id, count in rows:
            found[run_id] += int(count or 0)
    return found
