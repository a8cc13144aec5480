"""Authentication and authorization, as a dependency of every endpoint.

Browsers send the cookie `assay_session` and, on writes, the header `X-Assay-CSRF`; pipelines send
`Authorization: Bearer assay_…`.
"""

import hmac
import logging
from collections.abc import Sequence
from datetime import timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address
from threading import Lock
from typing import Annotated, Any

from cachetools import TTLCache
from fastapi import BackgroundTasks, Depends, Request
from fastapi.routing import APIRoute
from sqlalchemy import or_, select, update
from sqlalchemy.exc import SQLAlchemyError

from assay.accounts.identity import Identity
from assay.accounts.models import ApiToken, BrowserSession
from assay.accounts.pace import pace
from assay.accounts.roles import Role, includes, lower
from assay.accounts.scopes import MEANING, Scope, granted
from assay.accounts.secrets import fingerprint
from assay.db import clock
from assay.db.database import reading, writing
from assay.db.snapshot import seen, transaction, unaffected_by
from assay.http.errors import Problem
from assay.settings import settings

COOKIE = "assay_session"
CSRF_HEADER = "X-Assay-CSRF"
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


class NotLoggedIn(Problem):
    """No session and no token, or one that is no longer valid."""

    status, code, title = 401, "not_logged_in", "Log in first"

    def __init__(self, detail: str) -> None:
        """Add the header that names the authentication scheme."""
        super().__init__(detail, headers={"WWW-Authenticate": "Bearer"})


class TokenExpired(NotLoggedIn):
    """The API token has expired."""

    code, title = "token_expired", "The token has expired"


class CsrfMissing(Problem):
    """A write with a cookie but without a valid CSRF header."""

    status, code, title = 403, "csrf", "The request did not come from an Assay page"


class ScopeMissing(Problem):
    """The token does not have the scope."""

    status, code, title = 403, "scope_missing", "The token does not have the scope for this"

    def __init__(self, own: Sequence[Scope], wanted: Scope) -> None:
        """Name the required scope and those of the token."""
        has = f"has {' and '.join(own)}" if own else "has none"
        super().__init__(
            f"This requires the scope {wanted}, to {MEANING[wanted]}; the token {has}. "
            f"Use a token with {wanted}: create one in Settings, Tokens, or with "
            "`assay token create`."
        )
        self.scope, self.scopes = wanted, list(own)

    @property
    def facts(self) -> dict[str, Any]:
        """The required scope, and those of the token."""
        return {"scope": self.scope, "scopes": self.scopes}


class NotAllowed(Problem):
    """The role is insufficient."""

    status, code, title = 403, "not_allowed", "Your role does not allow this"

    def __init__(self, role: str, wanted: str) -> None:
        """Name the required role."""
        super().__init__(f"This requires the role {wanted}; yours is {role}. Ask an administrator.")


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
    raise NotLoggedIn("Log in, or send a token as `Authorization: Bearer assay_…`.")


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
        raise TokenExpired(f"The token '{found.name}' expired. Create a new one.")
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
        raise NotLoggedIn("The session has expired. Log in again.")
    found, request.state.seen = row
    given = request.headers.get(CSRF_HEADER, "")
    if request.method not in SAFE_METHODS and not hmac.compare_digest(
        given.encode(), found.csrf.encode()
    ):
        raise CsrfMissing(f"Send the session's `csrf` in the header {CSRF_HEADER}.")
    user = found.user
    return Identity(user.name, _role(user.role), address_of(request), user.id, found.id)


def _role(text: str) -> Role:
    return text  # pyright: ignore[reportReturnType] (only roles are ever stored)


def authorize(request: Request, wanted: "Requirement") -> Identity:
    """Authenticate a request, once; raises also TooManyRequests, NotAllowed or ScopeMissing."""
    identity: Identity | None = getattr(request.state, "identity", None)
    if identity is None:
        identity = request.state.identity = identify(request)
        pace.take(identity.principal, settings().requests_per_second)
    if not includes(identity.role, wanted.role):
        raise NotAllowed(identity.role, wanted.role)
    require_scope(identity, wanted.scope)
    return identity


def require_scope(who: Identity, wanted: Scope | None) -> None:
    """Raise ScopeMissing unless the caller is no token, or one with this scope."""
    if who.token_id is not None and wanted is not None and wanted not in who.scopes:
        raise ScopeMissing(who.scopes, wanted)


class Requirement:
    """The dependency; a class, so that a test can read each endpoint's role and scope."""

    def __init__(self, role: Role, scope: Scope | None) -> None:
        """Require a role, and of a token a scope; None if any token may use the endpoint."""
        self.role: Role = role
        self.scope: Scope | None = scope

    def __call__(self, request: Request, after: BackgroundTasks) -> Identity:
        """Return the identity; raises NotAllowed or ScopeMissing."""
        identity = authorize(request, self)
        if identity.is_use_due and identity.token_id is not None:
            after.add_task(record_use, identity.token_id)
        return identity


def requirement(route: APIRoute) -> Requirement | None:
    """Return what an endpoint requires, or None if anyone may use it."""
    calls = (one.call for one in route.dependant.dependencies)
    return next((call for call in calls if isinstance(call, Requirement)), None)


AnyCaller = Annotated[Identity, Depends(Requirement("viewer", None))]
"""Any user, and any token whatever its scopes."""

Viewer = Annotated[Identity, Depends(Requirement("viewer", "read"))]
"""A viewer: may read."""

Launcher = Annotated[Identity, Depends(Requirement("operator", "launch"))]
"""An operator, or a token with which one launches campaigns."""

HostManager = Annotated[Identity, Depends(Requirement("operator", "hosts"))]
"""An operator, or a token with which one manages hosts, targets and arrays."""

Operator = Annotated[Identity, Depends(Requirement("operator", "edit"))]
"""An operator: may also change everything else but users, credentials and tools."""

Admin = Annotated[Identity, Depends(Requirement("admin", "admin"))]
"""An administrator: may also manage users and credentials."""
