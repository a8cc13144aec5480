"""Which campaigns need attention: a run failed, or failed a criterion, and nobody took care of it.

Derived and never stored, but for who has seen a campaign (`assay.runs.campaigns.seen`). A failure
needs no attention once somebody has seen it or waived the criterion, in a campaign that somebody
canceled, and once a later campaign has repeated the run: the same test of the same profile at the
same places, in any version of the profile. A repetition that fails needs attention itself.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Select, and_, exists, or_, select, true
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from assay.runs.lifecycle import DONE, FAILED
from assay.runs.verdicts.outcomes import effective
from assay.tables.campaigns import Campaign
from assay.tables.database import among
from assay.tables.runs import Run
from assay.tables.verdicts import Verdict


def failures(where: ColumnElement[bool] | None = None) -> Select[int, int, bool]:
    """Select campaign, run, and whether it is the run that failed, of each that needs attention.

    `where` limits the runs that are looked at.
    """
    limited = true() if where is None else where
    failed = (
        select(Run.id).join(Campaign).where(limited, Run.state == FAILED, _since_seen(Run.ended_at))
    )
    judged = (
        select(Verdict.run_id)
        .join(Run, Run.id == Verdict.run_id)
        .join(Campaign)
        .where(
            limited,
            Verdict.outcome == "fail",
            effective() == "fail",
            _since_seen(Verdict.judged_at),
        )
    )
    return (
        select(Run.campaign_id, Run.id.label("run_id"), (Run.state == FAILED).label("failed"))
        .join(Campaign)
        .where(Run.id.in_(failed.union(judged)), _counts(Campaign), ~_is_repeated())
    )


def needing_attention() -> Select[int]:
    """Select the ids of the campaigns that need attention."""
    return failures().with_only_columns(Run.campaign_id)


def needing_among(session: Session, campaign_ids: Sequence[int]) -> set[int]:
    """Return which of these campaigns need attention."""
    these = failures(among(session, Run.campaign_id, campaign_ids))
    return set(session.scalars(these.with_only_columns(Run.campaign_id).distinct()))


def _since_seen(
    at: InstrumentedAttribute[datetime | None] | InstrumentedAttribute[datetime],
) -> ColumnElement[bool]:
    return or_(Campaign.seen_at.is_(None), Campaign.seen_at < at)


def _counts(campaign: type[Campaign]) -> ColumnElement[bool]:
    """Return SQL for whether failures of a campaign need attention at all."""
    return and_(campaign.deleted_at.is_(None), campaign.cancel_requested_at.is_(None))


def _is_repeated() -> ColumnElement[bool]:
    later, its_campaign = aliased(Run), aliased(Campaign)
    return exists().where(
        later.subject == Run.subject,
        later.campaign_id > Run.campaign_id,
        its_campaign.id == later.campaign_id,
        its_campaign.deleted_at.is_(None),
        or_(later.state == DONE, and_(later.state == FAILED, _counts(its_campaign))),
    )
