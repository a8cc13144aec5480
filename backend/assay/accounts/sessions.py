"""A browser's session: opened by a password, carried by a cookie that scripts cannot read."""

import threading
from datetime import timedelta

from fastapi import Request, Response
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from assay.accounts.audit import record
from assay.accounts.identity import COOKIE, Identity, address_of
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

HASHES_AT_ONCE = 2
"""Each takes 64 MiB by design; guesses at once must not fill the memory, or pass the throttle."""

throttle = Throttle()
_hashing = threading.BoundedSemaphore(HASHES_AT_ONCE)


class WrongLogin(Problem):
    """No such user, another password, or a disabled user: not said which."""

    status, code, title = 401, "wrong_login", "Name or password is wrong"


def check_login(login: Login, address: str) -> User:
    """The user whose name and password these are; raises WrongLogin or TooManyLogins.

    Holds no session while it computes the hash, which is slow by design. A hash made at other costs
    is replaced by one at today's.
    """
    account = pair(login.name, address)
    keys = (account, whole_address(address))
    throttle.check(*keys)
    with reading() as session:
        user = session.scalar(select(User).where(User.name == login.name))
    with _hashing:
        throttle.check(*keys)  # others may have failed while this one waited
        matches = password_matches(login.password, user.password_hash if user else None)
        if user is None or user.disabled or not matches:
            throttle.failed(*keys)
            raise WrongLogin("Check both. After some failures you have to wait between tries.")
        throttle.succeeded(account)
        stored = user.password_hash
        renewed = hash_password(login.password) if needs_rehash(stored) else None
    if renewed is not None:
        with writing() as session:  # unless the password was changed meanwhile
            unchanged = (User.id == user.id, User.password_hash == stored)
            session.execute(update(User).where(*unchanged).values(password_hash=renewed))
    return user


def begin(session: Session, request: Request, response: Response, user: User) -> SessionOut:
    """Open a session for `user` and set its cookie; over ones are cleared away."""
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
    """The session as its browser sees it."""
    return SessionOut(
        user=SessionUser.model_validate(user, from_attributes=True),
        csrf=opened.csrf,
        expires_at=opened.expires_at,
    )
