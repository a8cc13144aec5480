"""Authentication and authorization, as a dependency of every endpoint.

Browsers send the cookie `assay_session` and, on writes, the header `X-Assay-CSRF`; pipelines send
`Authorization: Bearer assay_…`.

Requests are limited per caller, so that one loop without a pause does not slow all others: by a
token bucket for each user and token, in the memory of each API process.
"""

import hmac
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address
from math import ceil
from threading import Lock
from time import monotonic
from typing import Any

from cachetools import TTLCache
from fastapi import BackgroundTasks, Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute
from sqlalchemy import or_, select, update
from sqlalchemy.exc import SQLAlchemyError

from assay.access.permissions import TABLE, NotLoggedIn, require
from assay.access.secrets import fingerprint
from assay.api.accounts.schemas import CSRF_HEADER
from assay.base.errors import Problem
from assay.base.identity import Identity, Limits, Role, granted, lower
from assay.base.settings import settings
from assay.tables import clock
from assay.tables.accounts import ApiToken, BrowserSession
from assay.tables.database import reading, writing
from assay.tables.snapshot import seen, transaction, unaffected_by

BURST_S = 5.0
"""A caller that was quiet may send the requests of so many seconds at once."""

REMEMBERED = 10_000


class TooManyRequests(Problem):
    """The caller exceeds its rate of requests."""

    status, code, title = 429, "too_many_requests", "Too many requests"

    def __init__(self, per_second: int, wait_s: float) -> None:
        """Name the limit and the waiting time."""
        whole = max(1, ceil(wait_s))
        super().__init__(
            f"The limit is {per_second} request{'s' * (per_second != 1)} per second for each token "
            "or user.",
            f"Try again in {whole} s; to wait for the end of a campaign, use `?wait=`.",
            headers={"Retry-After": str(whole)},
        )


class Pace:
    """What each caller has left of its burst."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """Use `clock`, which returns seconds."""
        self._clock = clock
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str, per_second: int) -> None:
        """Count a request; raises TooManyRequests if it exceeds `per_second`. 0 is no limit."""
        if per_second == 0:
            return
        most = per_second * BURST_S
        with self._lock:
            present = self._clock()
            left, at = self._left.pop(caller, (most, present))
            left = min(most, left + (present - at) * per_second)
            taken = left >= 1
            self._left[caller] = (left - taken, present)
            while len(self._left) > REMEMBERED:
                self._left.popitem(last=False)
        if not taken:
            raise TooManyRequests(per_second, (1 - left) / per_second)


pace = Pace()


COOKIE = "assay_session"
FORWARDED = "X-Forwarded-For"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
LAST_USE_PRECISION = timedelta(minutes=1)
_RECORDING_S = 2.0
"""How long requests leave the record of a token's use to the first of them, at most."""
LONGEST_ACTOR = 120
"""Maximum characters of an actor in the audit log."""

_recording = Lock()
_being_recorded = TTLCache[int, bool](10_000, _RECORDING_S)

log = logging.getLogger(__name__)


class TokenExpired(NotLoggedIn):
    """The API token has expired."""

    code, title = "token_expired", "The token has expired"


class CsrfMissing(Problem):
    """A write with a cookie but without a valid CSRF header."""

    status, code, title = 403, "csrf", "The request did not come from an Assay page"


def address_of(request: Request) -> str:
    """Return the address that a request comes from.

    `X-Forwarded-For` is accepted only from trusted proxies, each of which appends the address that
    it saw: the last one that is not a trusted proxy is the client's.
    """
    address = request.client.host if request.client else "local"
    hops = [hop.strip() for hop in ",".join(request.headers.getlist(FORWARDED)).split(",")]
    while hops and _is_trusted_proxy(address):
        hop = _ip(hops.pop())
        if hop is None:
            break
        address = str(hop)
    return address


def _is_trusted_proxy(address: str) -> bool:
    found = _ip(address)
    return found is not None and any(found in network for network in settings().trusted_proxies)


def _ip(text: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(text)
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found


def identify(request: Request) -> Identity:
    """Authenticate a request; raises NotLoggedIn, TokenExpired or CsrfMissing.

    The request's state gets what the database had `seen` by then.
    """
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return _by_token(request, token.strip())
    if cookie := request.cookies.get(COOKIE):
        return _by_cookie(request, cookie)
    raise NotLoggedIn(remedy="Log in, or send a token as `Authorization: Bearer assay_…`.")


def still_valid(request: Request) -> bool:
    """Return whether the login is still valid: a stream can outlive it."""
    try:
        identify(request)
    except NotLoggedIn:
        return False
    return True


def _by_token(request: Request, token: str) -> Identity:
    with reading() as session:
        by_secret = ApiToken.token_hash == fingerprint(token)
        row = session.execute(select(ApiToken, clock.moment(), seen()).where(by_secret)).first()
    if row is None:
        raise NotLoggedIn("The token is unknown. It may have been deleted.")
    found, moment, snapshot = row
    request.state.seen = unaffected_by(snapshot, found.use_xid)
    if found.user is not None and found.user.disabled:
        raise NotLoggedIn(f"The user of the token '{found.name}' is disabled.")
    if found.expires_at is not None and found.expires_at <= moment:
        raise TokenExpired(f"The token '{found.name}' expired.", "Create a new one.")
    due = found.last_used_at is None or found.last_used_at < moment - LAST_USE_PRECISION
    actor, role = f"token {found.name}", _role(found.role)
    if found.user is not None:  # several users may use the same token name
        actor = f"{found.user.name}, {actor}"[:LONGEST_ACTOR]
        role = lower(role, _role(found.user.role))
    return Identity(
        actor,
        role,
        address_of(request),
        found.user_id,
        token_id=found.id,
        is_use_due=due and _is_first(found.id),
        scopes=granted(role, found.scopes),
        limits=tuple(Limits.of(found).given),
    )


def _is_first(token_id: int) -> bool:
    """Return whether no other request of this process is about to record the token's use."""
    with _recording:
        is_first = token_id not in _being_recorded
        _being_recorded[token_id] = True
    return is_first


def record_use(token_id: int) -> None:
    """Record that a token was used now, unless that was recorded within the last minute.

    It is called after the response, which must not wait for it; a failure is logged.
    """
    since = clock.moment(-LAST_USE_PRECISION)
    due = or_(ApiToken.last_used_at.is_(None), ApiToken.last_used_at < since)
    used = update(ApiToken).where(ApiToken.id == token_id, due)
    try:
        with writing() as session:
            session.execute(used.values(last_used_at=clock.moment(), use_xid=transaction()))
    except SQLAlchemyError as error:
        log.warning("use of token %d not recorded: %s", token_id, error)
    finally:
        with _recording:
            _being_recorded.pop(token_id, None)


def _by_cookie(request: Request, cookie: str) -> Identity:
    by_secret = BrowserSession.token_hash == fingerprint(cookie)
    with reading() as session:
        row = session.execute(
            select(BrowserSession, seen()).where(
                by_secret, BrowserSession.expires_at > clock.moment()
            )
        ).first()
    if row is None or row[0].user.disabled:
        raise NotLoggedIn("The session has expired.", "Log in again.")
    found, request.state.seen = row
    given = request.headers.get(CSRF_HEADER, "")
    if request.method not in SAFE_METHODS and not hmac.compare_digest(
        given.encode(), found.csrf.encode()
    ):
        raise CsrfMissing(remedy=f"Send the session's `csrf` in the header {CSRF_HEADER}.")
    user = found.user
    return Identity(user.name, _role(user.role), address_of(request), user.id, found.id)


def _role(text: str) -> Role:
    return text  # pyright: ignore[reportReturnType] (only roles are ever stored)


def authorize(request: Request, wanted: "Requirement") -> Identity:
    """Authenticate a request, once, and require the endpoint's permission.

    Raises also TooManyRequests, and what `require` raises.
    """
    identity = _admitted(request)
    if identity is None:
        identity = identify(request)
        admit(request, identity)
    require(identity, wanted.permission.name)
    return identity


def admit(request: Request, identity: Identity) -> None:
    """Count a request of an authenticated caller, once; raises TooManyRequests."""
    request.state.identity = identity
    pace.take(identity.principal, settings().requests_per_second)


def _admitted(request: Request) -> Identity | None:
    return getattr(request.state, "identity", None)


class Requirement:
    """The dependency of an endpoint on an entry of the table of permissions."""

    def __init__(self, name: str) -> None:
        """Require the permission of this name."""
        self.permission = TABLE[name]

    @property
    def description(self) -> dict[str, Any]:
        """What the OpenAPI document says of an operation: its permission and a token's scope."""
        return {"x-permission": self.permission.name, "x-scope": self.permission.scope}

    async def __call__(self, request: Request, after: BackgroundTasks) -> Identity:
        """Return the identity; raises as `authorize`."""
        if _admitted(request) is None:
            identity = await run_in_threadpool(authorize, request, self)
        else:  # without a read of the database
            identity = authorize(request, self)
        if identity.is_use_due and identity.token_id is not None:
            after.add_task(record_use, identity.token_id)
        return identity


def may(name: str) -> Any:
    """Return the dependency that authenticates the caller and requires the permission `name`."""
    return Depends(Requirement(name))


def requirement(route: APIRoute) -> Requirement | None:
    """Return what an endpoint requires, or None if anyone may use it."""
    calls = (one.call for one in route.dependant.dependencies)
    return next((call for call in calls if isinstance(call, Requirement)), None)
