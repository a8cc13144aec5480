"""What the rules select: ended long enough ago, and not protected."""

from datetime import timedelta

from sqlalchemy import ColumnElement, exists, func, or_

from assay.campaigns.models import Campaign
from assay.campaigns.protection import is_baseline, is_waived
from assay.db.clock import moment
from assay.labels.models import CampaignLabel
from assay.retention.schemas import RetentionRule
from assay.runs.lifecycle import FINAL
from assay.runs.models import Run


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
