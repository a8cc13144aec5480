"""Marking a campaign as seen: somebody knows that it failed, and it needs no attention any more.

What fails in it afterwards needs attention again.
"""

from sqlalchemy.orm import Session

from assay.access.audit import record
from assay.base.identity import Identity
from assay.base.messaging.changes import announce
from assay.runs.campaigns.attention import needing_among
from assay.runs.campaigns.queries import find
from assay.runs.campaigns.token_limits import require_of_campaign
from assay.tables.campaigns import Campaign
from assay.tables.clock import now


def mark_seen(session: Session, campaign_id: int, who: Identity) -> None:
    """Record that `who` has seen the failures; changes nothing if it needs no attention.

    Raises NotFound, and a Problem if `who` may not change the campaign.
    """
    campaign = _changeable(session, campaign_id, who)
    if not needing_among(session, [campaign.id]):
        return
    campaign.seen_at, campaign.seen_by = now(session), who.actor
    _changed(session, campaign, who, "campaign.seen")


def mark_unseen(session: Session, campaign_id: int, who: Identity) -> None:
    """Undo `mark_seen`; raises as it does."""
    campaign = _changeable(session, campaign_id, who)
    if campaign.seen_at is None:
        return
    campaign.seen_at = campaign.seen_by = None
    _changed(session, campaign, who, "campaign.unseen")


def _changeable(session: Session, campaign_id: int, who: Identity) -> Campaign:
    campaign = find(session, campaign_id, lock=True)
    require_of_campaign(session, who, "campaign.change", campaign.id)
    return campaign


def _changed(session: Session, campaign: Campaign, who: Identity, action: str) -> None:
    campaign.edits += 1
    session.flush()
    record(session, who, action, f"campaign {campaign.id} {campaign.name}")
    announce(f"campaign:{campaign.id}", after=session)
