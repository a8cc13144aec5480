"""Share links: their creation and revocation, and the page that one opens without a login."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from http import HTTPStatus

from fastapi import APIRouter
from fastapi.responses import HTMLResponse
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from assay.access.audit import record
from assay.access.secrets import fingerprint, new_token
from assay.api.http.routes import Route
from assay.api.sharing.schemas import ShareLinkIn, ShareLinkOut, ShareLinkState
from assay.base.errors import NotFound
from assay.base.identity import Identity
from assay.history.reports.content import content
from assay.history.reports.elements import element, joined
from assay.history.reports.page import POLICY, document, page
from assay.history.reports.redaction import known_names, redacted
from assay.tables import database
from assay.tables.campaigns import Campaign
from assay.tables.clock import moment, now
from assay.tables.sharing import ShareLink


def create(
    session: Session, campaign: Campaign, wanted: ShareLinkIn, who: Identity
) -> tuple[ShareLink, str]:
    """Create a link; return its row and its token, which is not stored."""
    token = new_token()
    share = ShareLink(
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


def find(session: Session, campaign_id: int, share_id: int, *, lock: bool = False) -> ShareLink:
    """Return a link of a campaign; raises NotFound."""
    share = session.get(ShareLink, share_id, with_for_update=lock or None)
    if share is None or share.campaign_id != campaign_id:
        raise NotFound("share link", share_id)
    return share


def revoke(session: Session, campaign: Campaign, share: ShareLink, who: Identity) -> None:
    """Let a link end now; one that was revoked before stays as it is."""
    if share.revoked_at is None:
        share.revoked_at = now(session)
        _record(session, who, "share.revoked", share, campaign)


def shapes(session: Session, shares: Sequence[ShareLink]) -> list[ShareLinkOut]:
    """Return links as API types."""
    present = now(session)
    return [
        ShareLinkOut.model_validate(
            {name: getattr(share, name) for name in ShareLinkOut.model_fields if name != "state"}
            | {"state": _state(share, present)}
        )
        for share in shares
    ]


def opened(session: Session, token: str) -> ShareLink | None:
    """Return the link with a token, also one that has ended."""
    return session.scalar(select(ShareLink).where(ShareLink.token_hash == fingerprint(token)))


def works(session: Session, share: ShareLink) -> bool:
    """Return whether a link shows its report: not after its end or that of the campaign."""
    campaign = session.get_one(Campaign, share.campaign_id)
    return campaign.deleted_at is None and _state(share, now(session)) == "active"


def count_access(session: Session, share_id: int) -> None:
    """Note that a link was opened."""
    row = update(ShareLink).where(ShareLink.id == share_id)
    session.execute(row.values(accesses=ShareLink.accesses + 1, last_access_at=moment()))


def _state(share: ShareLink, present: datetime) -> ShareLinkState:
    if share.revoked_at is not None:
        return "revoked"
    return "active" if share.expires_at > present else "expired"


def _record(session: Session, who: Identity, action: str, share: ShareLink, of: Campaign) -> None:
    what = f"share {share.id} of campaign {of.id} {of.name}"
    record(
        session,
        who,
        action,
        what,
        expires_at=share.expires_at.isoformat(),
        show_identifiers=share.show_identifiers,
    )


HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow",
}

ENDED = "This link is not valid"
"""The same for a link that never existed: the page must not tell what it was."""

router = APIRouter(route_class=Route)


def path_of(token: str) -> str:
    """Return the path of the page for a token."""
    return f"/shared/{token}"


@router.get("/shared/{token}", include_in_schema=False)
def show_shared(token: str) -> HTMLResponse:
    """Show the report; 404 for an unknown token, 410 for a link that has ended."""
    with database.reading() as session:
        share = opened(session, token)
        if share is None or not works(session, share):
            return _ended(HTTPStatus.GONE if share else HTTPStatus.NOT_FOUND)
        found = content(session, share.campaign_id)
        if not share.show_identifiers:
            found = redacted(found, known_names(session))
    with database.writing() as session:
        count_access(session, share.id)
    shown = page(found, shared_until=share.expires_at.isoformat())
    return HTMLResponse(shown, headers=HEADERS)


def _ended(status: HTTPStatus) -> HTMLResponse:
    said = [
        element("h1", ENDED),
        element("p", "It has expired, was revoked, or is incomplete. Ask the sender for another."),
    ]
    return HTMLResponse(document(f"{ENDED} – Assay", joined(said)), status, headers=HEADERS)
