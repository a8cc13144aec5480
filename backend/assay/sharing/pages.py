"""The page that a share link opens, without a login."""

from http import HTTPStatus

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from assay.db import database
from assay.http.routes import Route
from assay.reports.content import content
from assay.reports.elements import element, joined
from assay.reports.page import POLICY, document, page
from assay.reports.redaction import known_names, redacted
from assay.sharing import links

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
        share = links.opened(session, token)
        if share is None or not links.works(session, share):
            return _ended(HTTPStatus.GONE if share else HTTPStatus.NOT_FOUND)
        found = content(session, share.campaign_id)
        if not share.show_identifiers:
            found = redacted(found, known_names(session))
    with database.writing() as session:
        links.count_access(session, share.id)
    shown = page(found, shared_until=share.expires_at.isoformat())
    return HTMLResponse(shown, headers=HEADERS)


def _ended(status: HTTPStatus) -> HTMLResponse:
    said = [
        element("h1", ENDED),
        element("p", "It has expired, was revoked, or is incomplete. Ask the sender for another."),
    ]
    return HTMLResponse(document(f"{ENDED} – Assay", joined(said)), status, headers=HEADERS)
