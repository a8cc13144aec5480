"""Cancellation of campaigns: a request that the drivers of the runs act on."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.access.audit import record
from assay.base.errors import Conflict
from assay.base.identity import Identity
from assay.runs.campaigns.lifecycle import FINAL, CampaignState, derive
from assay.runs.campaigns.queries import find
from assay.runs.campaigns.token_limits import require_of_campaign
from assay.runs.changes import runs_changed
from assay.runs.lifecycle import ACTIVE
from assay.runs.scheduling.reservations import dispatch, take_turn
from assay.tables.campaigns import Campaign
from assay.tables.clock import now
from assay.tables.runs import Run


class AlreadyEnded(Conflict):
    """The campaign has no active or queued run."""

    code, title = "campaign_ended", "The campaign has already ended"


def cancel(session: Session, campaign_id: int, who: Identity) -> None:
    """Request the end of a campaign; repeating it changes nothing.

    Raises NotFound or AlreadyEnded.
    """
    take_turn(session)
    campaign = find(session, campaign_id, lock=True)
    require_of_campaign(session, who, "campaign.cancel", campaign.id)
    if campaign.cancel_requested_at is not None:
        return
    if (state := state_of(session, campaign)) in FINAL:
        raise AlreadyEnded(f"Campaign {campaign.id} is {state}: there is nothing left to cancel.")
    record(session, who, "campaign.cancelled", f"campaign {campaign.id} {campaign.name}")
    request(session, campaign, who)


def state_of(session: Session, campaign: Campaign) -> CampaignState:
    """Return the current state of a campaign."""
    states = session.scalars(select(Run.state).where(Run.campaign_id == campaign.id)).all()
    return derive(states)


def request(session: Session, campaign: Campaign, who: Identity) -> None:
    """End the queued runs of a locked campaign and wake the drivers of its active ones.

    The caller has called `take_turn` and writes to the audit log. Raises a Problem if `who` may not
    cancel the campaign.
    """
    require_of_campaign(session, who, "campaign.cancel", campaign.id)
    campaign.cancel_requested_at = now(session)
    campaign.cancelled_by = who.actor
    session.flush()
    dispatch(session)  # ends its queued runs
    active = select(Run.id).where(Run.campaign_id == campaign.id, Run.state.in_(ACTIVE))
    runs_changed(session, dict.fromkeys(session.scalars(active), campaign.id))
