"""Cancelling: a wish written down, which whoever drives the runs sees and fulfils."""

from sqlalchemy.orm import Session

from assay.accounts.audit import record
from assay.accounts.identity import Identity
from assay.campaigns.queries import find
from assay.changes import campaign_changed
from assay.database import now
from assay.runs.reservations import dispatch, take_turn


def cancel(session: Session, campaign_id: int, who: Identity) -> None:
    """Ask for the end of a campaign; doing so twice changes nothing. Raises NotFound."""
    take_turn(session)
    campaign = find(session, campaign_id, lock=True)
    if campaign.cancel_requested_at is not None:
        return
    campaign.cancel_requested_at = now()
    campaign.cancelled_by = who.actor
    session.flush()
    record(session, who, "campaign.cancelled", f"campaign {campaign.id} {campaign.name}")
    dispatch(session)  # its waiting runs end here and now
    campaign_changed(session, campaign.id)
