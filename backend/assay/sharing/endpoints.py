"""Endpoints of share links."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse
from sqlalchemy import select

from assay.accounts.authentication import Operator, Viewer
from assay.campaigns import queries as campaigns
from assay.http.field_types import Id
from assay.http.paging import Listing, Page, listing
from assay.http.routes import Route
from assay.http.transactions import Reading, Writing
from assay.sharing import links
from assay.sharing.models import Share
from assay.sharing.pages import path_of
from assay.sharing.schemas import NewShare, ShareIn, ShareOut

router = APIRouter(prefix="/campaigns/{campaign_id}/shares", tags=["campaigns"], route_class=Route)

ShareList = Annotated[
    Listing[ShareOut],
    Depends(
        listing(
            ShareOut,
            {
                "id": Share.id,
                "created_at": Share.created_at,
                "expires_at": Share.expires_at,
                "accesses": Share.accesses,
            },
            by="-id",
        )
    ),
]


@router.get("", response_model=Page[ShareOut], summary="List a campaign's share links")
def list_shares(
    campaign_id: Id, _who: Viewer, session: Reading, part: ShareList
) -> Page[ShareOut] | JSONResponse:
    """Newest first, with those that have expired or were revoked."""
    campaigns.find(session, campaign_id)
    return part.page(session, select(Share).where(Share.campaign_id == campaign_id), links.shapes)


@router.post("", status_code=201, summary="Share a campaign's report")
def create_share(
    campaign_id: Id,
    body: ShareIn,
    who: Operator,
    session: Writing,
    *,
    request: Request,
    response: Response,
) -> NewShare:
    """Whoever has the link sees the current report without a login, until it expires.

    The token is only in this response.
    """
    campaign = campaigns.find(session, campaign_id, lock=True)
    share, token = links.create(session, campaign, body, who)
    response.headers["Location"] = f"{request.url.path}/{share.id}"
    shape = links.shapes(session, [share])[0]
    return NewShare(**dict(shape), token=token, path=path_of(token))


@router.get("/{share_id}", summary="Show a share link")
def show_share(campaign_id: Id, share_id: Id, _who: Viewer, session: Reading) -> ShareOut:
    """When it expires, how often it was opened, and when last."""
    campaigns.find(session, campaign_id)
    return links.shapes(session, [links.find(session, campaign_id, share_id)])[0]


@router.delete("/{share_id}", summary="Revoke a share link")
def revoke_share(campaign_id: Id, share_id: Id, who: Operator, session: Writing) -> ShareOut:
    """It stops working at once; it stays in the list with its accesses."""
    campaign = campaigns.find(session, campaign_id, lock=True)
    share = links.find(session, campaign_id, share_id, lock=True)
    links.revoke(session, campaign, share, who)
    session.flush()
    return links.shapes(session, [share])[0]
