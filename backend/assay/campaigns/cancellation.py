"""Cancelling: a wish written down, which whoever drives the runs sees and fulfils."""

from sqlalchemy.orm import Session

from assay.accounts.audit import record
from assay.accounts.identity import Identity
from assay.campaigns.models import Campaign
from assay.changes import campaign_changed
from assay.database import now
from assay.runs.reservations import dispatch


def cancel(session: Session, campaign: Campaign, who: Identity) -> None:
    """Ask for the end of a campaign; doing so twice, or after its end, changes nothing."""
    if campaign.cancel_requested_at is not None:
        return
    campaign.cancel_requested_at = now()
    campaign.cancelled_by = who.actor
    session.flush()
    record(session, who, "campaign.cancelled", f"campaign {campaign.id} {campaign.name}")
    dispatch(session)  # its waiting runs end here and now
    campaign_changed(session, campaign.id)
