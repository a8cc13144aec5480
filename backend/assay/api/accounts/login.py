"""Endpoints for setup and browser sessions.

A password opens a session, and an HttpOnly cookie identifies it. Logins are throttled: failures
count per pair of account and address, so that nobody can lock an account from another address, and,
with a higher limit, per address. Counts are kept in the memory of each API process: a restart
clears them, but an attacker cannot cause one.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from time import monotonic
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Request, Response
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from assay.access import first_start
from assay.access.audit import record
from assay.access.permissions import NotLoggedIn
from assay.access.secrets import (
    fingerprint,
    hash_password,
    needs_rehash,
    new_token,
    password_matches,
)
from assay.api.accounts.authentication import COOKIE, address_of, may
from assay.api.accounts.schemas import Login, SessionOut, SessionUser, SetUp
from assay.api.http.routes import Route
from assay.base.errors import Problem
from assay.base.identity import Identity
from assay.base.settings import settings
from assay.tables.accounts import BrowserSession, User
from assay.tables.clock import now
from assay.tables.database import reading, writing
from assay.tables.transactions import Reading, Writing

FAILURES_OF_A_PAIR = 5
FAILURES_OF_AN_ADDRESS = 50
FIRST_WAIT_S = 2.0
LONGEST_WAIT_S = 300.0
FORGOTTEN_AFTER_S = 900.0
REMEMBERED = 10_000
IPV6_SITE_BITS = 64
"""A customer gets a whole network of this size, so its addresses count as one."""


class TooManyLogins(Problem):
    """Too many failures: wait before the next attempt."""

    status, code, title = 429, "too_many_logins", "Too many failed logins"

    def __init__(self, seconds: float) -> None:
        """Name the waiting time."""
        whole = max(1, round(seconds))
        super().__init__(remedy=f"Try again in {whole} s.", headers={"Retry-After": str(whole)})


class ThrottleKey(NamedTuple):
    """What failures are counted for, and how many are allowed without a wait."""

    name: tuple[str, ...]
    free_failures: int


def pair(account: str, address: str) -> ThrottleKey:
    """Return the key of one account at one address."""
    return ThrottleKey((account, _site(address)), FAILURES_OF_A_PAIR)


def whole_address(address: str) -> ThrottleKey:
    """Return the key of an address for all accounts."""
    return ThrottleKey((_site(address),), FAILURES_OF_AN_ADDRESS)


def _site(address: str) -> str:
    try:
        if isinstance(ip_address(address), IPv6Address):
            return str(ip_network(f"{address.partition('%')[0]}/{IPV6_SITE_BITS}", strict=False))
    except ValueError:  # a Unix socket has no IP address
        pass
    return address


class Throttle:
    """Failure counts by key, with exponential backoff."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """Use `clock`, which returns seconds."""
        self._clock = clock
        self._lock = threading.Lock()
        self._failures: OrderedDict[tuple[str, ...], tuple[int, float]] = OrderedDict()

    def check(self, *keys: ThrottleKey) -> None:
        """Raise TooManyLogins while one of the keys has to wait."""
        with self._lock:
            left = max(self._left(key) for key in keys)
        if left > 0:
            raise TooManyLogins(left)

    def failed(self, *keys: ThrottleKey) -> None:
        """Count a failure for each key."""
        with self._lock:
            for key in keys:
                count, last = self._failures.pop(key.name, (0, 0.0))
                if self._clock() - last > FORGOTTEN_AFTER_S:
                    count = 0
                self._failures[key.name] = (count + 1, self._clock())
            while len(self._failures) > REMEMBERED:
                self._failures.popitem(last=False)

    def succeeded(self, key: ThrottleKey) -> None:
        """Reset the key; not for an address, or an attacker could reset it with an account."""
        with self._lock:
            self._failures.pop(key.name, None)

    def _left(self, key: ThrottleKey) -> float:
        count, last = self._failures.get(key.name, (0, 0.0))
        if count < key.free_failures:
            return 0.0
        wait = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(count - key.free_failures, 20))
        return last + wait - self._clock()


CONCURRENT_HASHES = 2
"""Each needs 64 MiB; concurrent guesses must not exhaust memory or bypass the throttle."""

throttle = Throttle()
_hashing = threading.BoundedSemaphore(CONCURRENT_HASHES)


class WrongLogin(Problem):
    """Unknown user, wrong password or disabled user; the response does not say which."""

    status, code, title = 401, "wrong_login", "Wrong name or password"


def check_login(login: Login, address: str) -> User:
    """Return the user with this name and password; raises WrongLogin or TooManyLogins.

    Holds no database session while it computes the hash, which is slow by design. A hash with
    outdated parameters is replaced.
    """
    account = pair(login.name, address)
    keys = (account, whole_address(address))
    throttle.check(*keys)
    with reading() as session:
        user = session.scalar(select(User).where(User.name == login.name))
    with _hashing:
        throttle.check(*keys)  # other attempts may have failed during the wait
        matches = password_matches(login.password, user.password_hash if user else None)
        if user is None or user.disabled or not matches:
            throttle.failed(*keys)
            raise WrongLogin(remedy="Check both. Repeated failures delay further attempts.")
        throttle.succeeded(account)
        stored = user.password_hash
        renewed = hash_password(login.password) if needs_rehash(stored) else None
    if renewed is not None:
        with writing() as session:  # unless the password has been changed since
            unchanged = (User.id == user.id, User.password_hash == stored)
            session.execute(update(User).where(*unchanged).values(password_hash=renewed))
    return user


def begin(session: Session, request: Request, response: Response, user: User) -> SessionOut:
    """Open a session for `user`, set its cookie and delete expired sessions."""
    moment = now(session)
    token, csrf = new_token(), new_token()
    lifetime = timedelta(hours=settings().session_hours)
    session.execute(delete(BrowserSession).where(BrowserSession.expires_at <= moment))
    opened = BrowserSession(
        token_hash=fingerprint(token), csrf=csrf, user_id=user.id, expires_at=moment + lifetime
    )
    session.add(opened)
    who = Identity(user.name, "viewer", address_of(request), user.id)
    record(session, who, "session.opened", f"user {user.id} {user.name}")
    response.set_cookie(
        COOKIE,
        token,
        max_age=int(lifetime.total_seconds()),
        path="/",
        secure=settings().secure_cookies,
        httponly=True,
        samesite="strict",
    )
    return shape(opened, user)


def shape(opened: BrowserSession, user: User) -> SessionOut:
    """Return the session as an API type."""
    return SessionOut(
        user=SessionUser.model_validate(user, from_attributes=True),
        csrf=opened.csrf,
        expires_at=opened.expires_at,
    )


router = APIRouter(tags=["session"], route_class=Route)


@router.post("/setup", status_code=201, summary="Create the first administrator")
def set_up(body: SetUp, session: Writing, request: Request, response: Response) -> SessionOut:
    """Works once, with the setup code from the log; also logs the administrator in."""
    address = address_of(request)
    key = pair("", address)
    throttle.check(key)
    try:
        user = first_start.set_up(session, body.code, body.name, body.password, address)
    except first_start.WrongSetupCode:
        throttle.failed(key)
        raise
    response.headers["Location"] = request.url.path.removesuffix("setup") + "session"
    return begin(session, request, response, user)


@router.post("/session", status_code=201, summary="Log in")
def log_in(body: Login, session: Writing, request: Request, response: Response) -> SessionOut:
    """Sets the session cookie. Send `csrf` in the header `X-Assay-CSRF` of each write."""
    user = check_login(body, address_of(request))
    response.headers["Location"] = request.url.path
    return begin(session, request, response, user)


@router.get("/session", summary="Show the session")
def show_session(who: Annotated[Identity, may("session.read")], session: Reading) -> SessionOut:
    """The browser session and its user; a token has no session."""
    opened = _opened(session, who)
    return shape(opened, opened.user)


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
