"""Making, finding and revoking share links."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from assay.accounts.audit import record
from assay.accounts.identity import Identity
from assay.accounts.secrets import fingerprint, new_token
from assay.campaigns.models import Campaign
from assay.db.clock import moment, now
from assay.http.errors import NotFound
from assay.sharing.models import Share
from assay.sharing.schemas import ShareIn, ShareOut, ShareState


def create(
    session: Session, campaign: Campaign, wanted: ShareIn, who: Identity
) -> tuple[Share, str]:
    """Create a link; return its row and its token, which is not stored."""
    token = new_token()
    share = Share(
        campaign_id=campaign.id,
        token_hash=fingerprint(token),
        name=wanted.name,
        show_identifiers=wanted.show_identifiers,
        created_by=who.actor,
        expires_at=now(session) + timedelta(days=wanted.expires_in_days),
        accesses=0,
    )
    session.add(share)
    session.flush()
    _record(session, who, "share.created", share, campaign)
    return share, token


def find(session: Session, campaign_id: int, share_id: int, *, lock: bool = False) -> Share:
    """Return a link of a campaign; raises NotFound."""
    share = session.get(Share, share_id, with_for_update=lock or None)
    if share is None or share.campaign_id != campaign_id:
        raise NotFound("share link", share_id)
    return share


def revoke(session: Session, campaign: Campaign, share: Share, who: Identity) -> None:
    """Let a link end now; one that was revoked before stays as it is."""
    if share.revoked_at is None:
        share.revoked_at = now(session)
        _record(session, who, "share.revoked", share, campaign)


def shapes(session: Session, shares: Sequence[Share]) -> list[ShareOut]:
    """Return links as API types."""
    present = now(session)
    return [
        ShareOut.model_validate(
            {name: getattr(share, name) for name in ShareOut.model_fields if name != "state"}
            | {"state": _state(share, present)}
        )
        for share in shares
    ]


def opened(session: Session, token: str) -> Share | None:
    """Return the link with a token, also one that has ended."""
    return session.scalar(select(Share).where(Share.token_hash == fingerprint(token)))


def works(session: Session, share: Share) -> bool:
    """Return whether a link shows its report: not after its end or that of the campaign."""
    campaign = session.get_one(Campaign, share.campaign_id)
    return campaign.deleted_at is None and _state(share, now(session)) == "active"


def count_access(session: Session, share_id: int) -> None:
    """Note that a link was opened."""
    row = update(Share).where(Share.id == share_id)
    session.execute(row.values(accesses=Share.accesses + 1, last_access_at=moment()))


def _state(share: Share, present: datetime) -> ShareState:
    if share.revoked_at is not None:
        return "revoked"
    return "active" if share.expires_at > present else "expired"


def _record(session: Session, who: Identity, action: str, share: Share, of: Campaign) -> None:
    what = f"share {share.id} of campaign {of.id} {of.name}"
    record(
        session,
        who,
        action,
        what,
        expires_at=share.expires_at.isoformat(),
        show_identifiers=share.show_identifiers,
    )
