"""Deletion of campaigns with everything that they measured, and its undo.

A deleted campaign is hidden at once, and its rows are removed after `UNDO` in small transactions,
because a long one would delay those of other processes. They stay for as long as a run has not
ended or its files are still on a host: a worker needs the rows to remove the files. Files on a host
that was itself deleted are removed, or reported, with the host.

What someone relies on is protected: neither a person nor a retention rule deletes it.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, exists, select, tuple_
from sqlalchemy.orm import Session, aliased

from assay.access.audit import record
from assay.base.errors import Conflict, NotFound
from assay.base.identity import Identity
from assay.base.messaging.changes import announce
from assay.inventory.hosts.lifecycle import DELETING
from assay.runs import lifecycle as runs
from assay.runs.campaigns import cancellation
from assay.runs.campaigns.lifecycle import FINAL
from assay.runs.campaigns.queries import check_tag, find
from assay.runs.campaigns.token_limits import require_of_campaign
from assay.runs.campaigns.token_usage import settle
from assay.runs.scheduling.reservations import take_turn
from assay.tables.campaigns import Campaign
from assay.tables.clock import moment, now
from assay.tables.hosts import Host
from assay.tables.labels import CampaignLabel
from assay.tables.runs import Participant, RawChunk, Run
from assay.tables.samples import LinkBlock, MarkBlock, SampleBlock
from assay.tables.verdicts import CampaignWaiver, Waiver

BASELINE = "baseline"
"""The key of the label, with any value, of a campaign that others are compared with."""


class CampaignProtected(Conflict):
    """The campaign is a baseline or has a waiver."""

    code, title = "campaign_protected", "The campaign is kept"


def is_baseline() -> ColumnElement[bool]:
    """Return SQL for whether a campaign has the label of baselines."""
    return exists().where(CampaignLabel.owner_id == Campaign.id, CampaignLabel.key == BASELINE)


def is_waived() -> ColumnElement[bool]:
    """Return SQL for whether someone accepted a criterion of a campaign, at any time."""
    run = aliased(Run)
    of_run = exists().where(run.campaign_id == Campaign.id, Waiver.run_id == run.id)
    return of_run | exists().where(CampaignWaiver.campaign_id == Campaign.id)


def check_deletable(session: Session, campaign: Campaign) -> None:
    """Raise CampaignProtected for a campaign that someone relies on."""
    facts = select(is_baseline(), is_waived()).where(Campaign.id == campaign.id)
    baseline, waived = session.execute(facts).one()
    if baseline:
        raise CampaignProtected(
            f"Campaign {campaign.id} has the label `{BASELINE}`.",
            "Remove the label, then delete it.",
        )
    if waived:
        raise CampaignProtected(
            f"Campaign {campaign.id} has a waiver, so it is the record of an accepted deviation. "
            "It cannot be deleted."
        )


UNDO = timedelta(minutes=1)
"""How long a deletion can be undone."""

MOST_ROWS = 100
"""Maximum number of chunks or blocks per transaction: up to about 10 MB."""

_BULK: tuple[type[Any], ...] = (RawChunk, SampleBlock, MarkBlock, LinkBlock)
"""Large rows of a run."""
_PURGER = Identity("scheduler", "operator", "local")


class CampaignActive(Conflict):
    """The campaign has an active or queued run."""

    code, title = "campaign_active", "The campaign has not ended"


class NotDeleted(Conflict):
    """The campaign is not deleted."""

    code, title = "campaign_not_deleted", "The campaign is not deleted"


class UndoExpired(Conflict):
    """The campaign was deleted too long ago."""

    code, title = "undo_expired", "The deletion cannot be undone any more"


def delete_campaign(
    session: Session,
    campaign_id: int,
    who: Identity,
    *,
    cancel: bool,
    if_match: str | None = None,
) -> tuple[Campaign, datetime]:
    """Hide the campaign; return it with the time until which this can be undone.

    With `cancel`, its active and queued runs are canceled. Raises NotFound, CampaignProtected,
    CampaignActive or PreconditionFailed, and a Problem if `who` may not delete or cancel it.
    """
    take_turn(session)
    campaign = find(session, campaign_id, lock=True)
    require_of_campaign(session, who, "campaign.delete", campaign.id)
    check_tag(session, campaign, if_match)
    check_deletable(session, campaign)
    state = cancellation.state_of(session, campaign)
    unended = state not in FINAL and campaign.cancel_requested_at is None
    if unended and not cancel:
        raise CampaignActive(
            f"Campaign {campaign.id} is {state}.",
            "Cancel it first, or delete it with `cancel=true`.",
        )
    present = now(session)
    campaign.deleted_at = present
    what = f"campaign {campaign.id} {campaign.name}"
    record(session, who, "campaign.deleted", what, cancelled=unended)
    if unended:
        cancellation.request(session, campaign, who)
    session.flush()
    announce(f"campaign:{campaign.id}", after=session)
    return campaign, present + UNDO


def undelete(session: Session, campaign_id: int, who: Identity) -> None:
    """Show a deleted campaign again; runs that were canceled stay canceled.

    Raises NotFound, NotDeleted or UndoExpired.
    """
    campaign = session.get(Campaign, campaign_id, with_for_update=True)
    if campaign is None:
        raise NotFound("campaign", campaign_id)
    require_of_campaign(session, who, "campaign.restore", campaign.id)
    if campaign.deleted_at is None:
        raise NotDeleted(f"Campaign {campaign.id} exists: there is nothing to undo.")
    if campaign.deleted_at <= now(session) - UNDO:
        raise UndoExpired(
            f"Campaign {campaign.id} was deleted more than {UNDO.total_seconds():.0f} s ago.",
            "Launch it again to measure again.",
        )
    campaign.deleted_at = None
    session.flush()
    record(session, who, "campaign.restored", f"campaign {campaign.id} {campaign.name}")
    announce(f"campaign:{campaign.id}", after=session)


def purge_next(session: Session) -> bool:
    """Remove part of a campaign that was deleted long enough ago; return false if none is due."""
    campaign = session.scalars(
        select(Campaign)
        .where(_is_due())
        .order_by(Campaign.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    ).first()
    if campaign is None:
        return False
    settle(session, campaign_id=campaign.id)  # while its attempts are still there
    of_campaign = select(Run.id).where(Run.campaign_id == campaign.id)
    run_id = session.scalars(of_campaign.order_by(Run.id).limit(1)).first()
    if run_id is None:
        record(session, _PURGER, "campaign.purged", f"campaign {campaign.id} {campaign.name}")
        session.execute(delete(Campaign).where(Campaign.id == campaign.id))
    elif not any(remove_part(session, table, run_id) for table in _BULK):
        session.execute(delete(Run).where(Run.id == run_id))
    return True


def _is_due() -> ColumnElement[bool]:
    its_run = Run.campaign_id == Campaign.id
    unended = exists().where(its_run, Run.state.not_in(runs.FINAL))
    unswept = exists().where(
        its_run,
        Participant.run_id == Run.id,
        Participant.run_dir.is_not(None),
        Participant.swept_at.is_(None),
        Host.id == Participant.host_id,
        Host.state != DELETING,
    )
    return and_(Campaign.deleted_at <= moment(-UNDO), ~unended, ~unswept)


def remove_part(session: Session, table: type[Any], run_id: int) -> bool:
    """Remove at most `MOST_ROWS` of a run's rows; return false if it has none."""
    key: tuple[Any, ...] = tuple(table.__table__.primary_key)
    part = session.execute(select(*key).where(table.run_id == run_id).limit(MOST_ROWS)).all()
    if part:
        session.execute(delete(table).where(tuple_(*key).in_(part)))
    return bool(part)
