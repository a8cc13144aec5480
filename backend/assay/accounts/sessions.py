"""Browser sessions: opened with a password, identified by an HttpOnly cookie."""

import threading
from datetime import timedelta

from fastapi import Request, Response
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from assay.accounts.audit import record
from assay.accounts.authentication import COOKIE, address_of
from assay.accounts.identity import Identity
from assay.accounts.models import BrowserSession, User
from assay.accounts.schemas import Login, SessionOut, SessionUser
from assay.accounts.secrets import (
    fingerprint,
    hash_password,
    needs_rehash,
    new_token,
    password_matches,
)
from assay.accounts.throttle import Throttle, pair, whole_address
from assay.db.clock import now
from assay.db.database import reading, writing
from assay.http.errors import Problem
from assay.settings import settings

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
