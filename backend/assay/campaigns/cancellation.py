"""Cancellation of campaigns: a request that the drivers of the runs act on."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.accounts.audit import record
from assay.accounts.identity import Identity
from assay.campaigns.lifecycle import FINAL, derive
from assay.campaigns.queries import find
from assay.db.clock import now
from assay.http.errors import Conflict
from assay.messaging.changes import runs_changed
from assay.runs.lifecycle import ACTIVE
from assay.runs.models import Run
from assay.scheduling.reservations import dispatch, take_turn


class AlreadyEnded(Conflict):
    """The campaign has no active or queued run."""

    code, title = "campaign_ended", "The campaign has already ended"


def cancel(session: Session, campaign_id: int, who: Identity) -> None:
    """Request the end of a campaign; repeating it changes nothing.

    Raises NotFound or AlreadyEnded.
    """
    take_turn(session)
    campaign = find(session, campaign_id, lock=True)
    if campaign.cancel_requested_at is not None:
        return
    states = session.scalars(select(Run.state).where(Run.campaign_id == campaign.id)).all()
    if (state := derive(states)) in FINAL:
        raise AlreadyEnded(f"Campaign {campaign.id} is {state}: there is nothing left to cancel.")
    campaign.cancel_requested_at = now(session)
    campaign.cancelled_by = who.actor
    session.flush()
    record(session, who, "campaign.cancelled", f"campaign {campaign.id} {campaign.name}")
    dispatch(session)  # ends its queued runs
    active = select(Run.id).where(Run.campaign_id == campaign.id, Run.state.in_(ACTIVE))
    runs_changed(session, dict.fromkeys(session.scalars(active), campaign.id))
