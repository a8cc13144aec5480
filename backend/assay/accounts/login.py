"""Endpoints for setup and browser sessions."""

from typing import Annotated

from fastapi import APIRouter, Request, Response
from sqlalchemy.orm import Session

from assay.accounts import first_start, sessions
from assay.accounts.audit import record
from assay.accounts.authentication import COOKIE, address_of, may
from assay.accounts.identity import Identity
from assay.accounts.models import BrowserSession
from assay.accounts.permissions import NotLoggedIn
from assay.accounts.schemas import Login, SessionOut, SetUp
from assay.accounts.throttle import pair
from assay.http.routes import Route
from assay.http.transactions import Reading, Writing

router = APIRouter(tags=["session"], route_class=Route)


@router.post("/setup", status_code=201, summary="Create the first administrator")
def set_up(body: SetUp, session: Writing, request: Request, response: Response) -> SessionOut:
    """Works once, with the setup code from the log; also logs the administrator in."""
    address = address_of(request)
    key = pair("", address)
    sessions.throttle.check(key)
    try:
        user = first_start.set_up(session, body.code, body.name, body.password, address)
    except first_start.WrongSetupCode:
        sessions.throttle.failed(key)
        raise
    response.headers["Location"] = request.url.path.removesuffix("setup") + "session"
    return sessions.begin(session, request, response, user)


@router.post("/session", status_code=201, summary="Log in")
def log_in(body: Login, session: Writing, request: Request, response: Response) -> SessionOut:
    """Sets the session cookie. Send `csrf` in the header `X-Assay-CSRF` of each write."""
    user = sessions.check_login(body, address_of(request))
    response.headers["Location"] = request.url.path
    return sessions.begin(session, request, response, user)


@router.get("/session", summary="Show the session")
def show_session(who: Annotated[Identity, may("session.read")], session: Reading) -> SessionOut:
    """The browser session and its user; a token has no session."""
    opened = _opened(session, who)
    return sessions.shape(opened, opened.user)


@router.delete("/session", status_code=204, summary="Log out")
def log_out(
    who: Annotated[Identity, may("session.end")], session: Writing, response: Response
) -> None:
    """Ends the session and deletes its cookie."""
    session.delete(_opened(session, who))
    record(session, who, "session.closed", f"user {who.user_id} {who.actor}")
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")


def _opened(session: Session, who: Identity) -> BrowserSession:
    opened = session.get(BrowserSession, who.session_id) if who.session_id else None
    if opened is None:
        raise NotLoggedIn("The session has ended.", "Log in again.")
    return opened
