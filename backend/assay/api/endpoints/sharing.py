"""Endpoints of share links."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse
from sqlalchemy import select

from assay.api.accounts.authentication import may
from assay.api.http.paging import Listing, Page, listing
from assay.api.http.routes import Route
from assay.api.sharing import links
from assay.api.sharing.links import path_of
from assay.api.sharing.schemas import NewShareLink, ShareLinkIn, ShareLinkOut
from assay.base.field_types import Id
from assay.base.identity import Identity
from assay.runs.campaigns import queries as campaigns
from assay.runs.campaigns.token_limits import require_of_campaign
from assay.tables.sharing import ShareLink
from assay.tables.transactions import Reading, Writing

router = APIRouter(prefix="/campaigns/{campaign_id}/shares", tags=["campaigns"], route_class=Route)

ShareList = Annotated[
    Listing[ShareLinkOut],
    Depends(
        listing(
            ShareLinkOut,
            {
                "id": ShareLink.id,
                "created_at": ShareLink.created_at,
                "expires_at": ShareLink.expires_at,
                "accesses": ShareLink.accesses,
            },
            by="-id",
        )
    ),
]


@router.get("", response_model=Page[ShareLinkOut], summary="List a campaign's share links")
def list_shares(
    campaign_id: Id,
    _who: Annotated[Identity, may("campaign.read")],
    session: Reading,
    part: ShareList,
) -> Page[ShareLinkOut] | JSONResponse:
    """Newest first, with those that have expired or were revoked."""
    campaigns.find(session, campaign_id)
    return part.page(
        session, select(ShareLink).where(ShareLink.campaign_id == campaign_id), links.shapes
    )


@router.post("", status_code=201, summary="Share a campaign's report")
def create_share(
    campaign_id: Id,
    body: ShareLinkIn,
    who: Annotated[Identity, may("campaign.share")],
    session: Writing,
    *,
    request: Request,
    response: Response,
) -> NewShareLink:
    """The link shows the current report without a login, until it expires.

    The token is only in this response.
    """
    campaign = campaigns.find(session, campaign_id, lock=True)
    require_of_campaign(session, who, "campaign.share", campaign.id)
    share, token = links.create(session, campaign, body, who)
    response.headers["Location"] = f"{request.url.path}/{share.id}"
    shape = links.shapes(session, [share])[0]
    return NewShareLink(**dict(shape), token=token, path=path_of(token))


@router.get("/{share_id}", summary="Show a share link")
def show_share(
    campaign_id: Id, share_id: Id, _who: Annotated[Identity, may("campaign.read")], session: Reading
) -> ShareLinkOut:
    """When it expires, how often it was opened, and when last."""
    campaigns.find(session, campaign_id)
    return links.shapes(session, [links.find(session, campaign_id, share_id)])[0]


@router.delete("/{share_id}", summary="Revoke a share link")
def revoke_share(
    campaign_id: Id, share_id: Id, who: Annotated[Identity, may("campaign.share")], session: Writing
) -> ShareLinkOut:
    """It stops working at once; it stays in the list with its accesses."""
    campaign = campaigns.find(session, campaign_id, lock=True)
    require_of_campaign(session, who, "campaign.share", campaign.id)
    share = links.find(session, campaign_id, share_id, lock=True)
    links.revoke(session, campaign, share, who)
    session.flush()
    return links.shapes(session, [share])[0]
