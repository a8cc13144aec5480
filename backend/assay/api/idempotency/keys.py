"""Claims of idempotency keys, and the stored responses.

A request first claims its key in a transaction of its own, so that a concurrent duplicate is
rejected instead of waiting. The response is stored in the transaction that creates the object: a
crash leaves both or neither. A claim whose process died is taken over after `CLAIM`; if that
process is only slow, its own transaction then fails, because the claim is no longer its own.
"""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, exists, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from assay.api.http.routes import KEY_HEADER
from assay.base.errors import Conflict, Problem
from assay.base.field_errors import FieldError
from assay.tables.clock import moment, now
from assay.tables.database import reading, writing
from assay.tables.idempotency import IdempotencyKey

KEPT = timedelta(days=30)
CLAIM = timedelta(seconds=60)
"""Longer than any request that creates something: an inspection of a directory takes up to 30 s."""

RETRY_AFTER_S = 1
MOST_SWEPT = 1000
"""Rows deleted in one transaction."""


class RequestInProgress(Conflict):
    """A request with this key is being executed."""

    code, title = "request_in_progress", "The first request with this key is still running"

    def __init__(self) -> None:
        """Say when to try again."""
        super().__init__(
            remedy="Repeat the request with the same key in a moment; it then gets the same "
            "response.",
            headers={"Retry-After": str(RETRY_AFTER_S)},
        )


class KeyReused(Problem):
    """The key was used for another request."""

    status, code, title = 422, "idempotency_key_reused", "The key belongs to another request"

    def __init__(self, key: str) -> None:
        """Name the key."""
        error = FieldError(
            KEY_HEADER,
            "was used with another body or query at this path",
            "Use a new key for a new request, and the same body for a repeated one.",
            key,
        )
        super().__init__(str(error), errors=[error])


@dataclass(frozen=True)
class KeyedRequest:
    """What identifies a request: whose it is, where it goes, its key and its content's hash."""

    principal: str
    path: str
    key: str
    fingerprint: str


@dataclass(frozen=True)
class Claim:
    """The right to execute the request of a key."""

    key_id: int
    holder: str


@dataclass(frozen=True)
class StoredResponse:
    """The response to the first request; `body` is None if it had a secret."""

    status: int
    headers: dict[str, Any]
    body: bytes | None


def claim(wanted: KeyedRequest) -> Claim | StoredResponse:
    """Claim a key, or return the response of the first request with it.

    Raises RequestInProgress or KeyReused. A key that has expired is a new one.
    """
    try:
        with writing() as session:
            return _claim(session, wanted)
    except IntegrityError as error:  # another request has just inserted it
        raise RequestInProgress from error


def _claim(session: Session, wanted: KeyedRequest) -> Claim | StoredResponse:
    present, holder = now(session), secrets.token_hex(16)
    row = session.scalar(
        select(IdempotencyKey)
        .where(
            IdempotencyKey.principal == wanted.principal,
            IdempotencyKey.path == wanted.path,
            IdempotencyKey.key == wanted.key,
        )
        .with_for_update()
    )
    if row is not None and row.expires_at <= present:
        session.delete(row)
        session.flush()
        row = None
    if row is None:
        row = IdempotencyKey(
            principal=wanted.principal,
            path=wanted.path,
            key=wanted.key,
            fingerprint=wanted.fingerprint,
            claim=holder,
            claimed_until=present + CLAIM,
            expires_at=present + KEPT,
        )
        session.add(row)
        session.flush()
        return Claim(row.id, holder)
    if row.fingerprint != wanted.fingerprint:
        raise KeyReused(wanted.key)
    if row.status is not None:
        return StoredResponse(row.status, row.headers, row.body)
    if present < row.claimed_until <= present + CLAIM:  # later: the clock was set back
        raise RequestInProgress
    row.claim, row.claimed_until = holder, present + CLAIM
    return Claim(row.id, holder)


def store(session: Session, own: Claim, response: StoredResponse) -> None:
    """Store the response of a claimed key; raises RequestInProgress if another took it over."""
    found = session.execute(
        update(IdempotencyKey)
        .where(_is_own(own))
        .values(status=response.status, headers=response.headers, body=response.body)
        .returning(IdempotencyKey.id)
    )
    if found.one_or_none() is None:
        raise RequestInProgress


def release(own: Claim) -> None:
    """Give a claimed key back, since nothing was created; the next request with it is executed."""
    with writing() as session:
        session.execute(delete(IdempotencyKey).where(_is_own(own)))


def sweep() -> bool:
    """Delete expired keys; returns whether there were any."""
    expired = IdempotencyKey.expires_at <= moment()
    with reading() as session:
        if not session.scalar(select(exists().where(expired))):
            return False
    with writing() as session:
        oldest = select(IdempotencyKey.id).where(expired).limit(MOST_SWEPT)
        session.execute(delete(IdempotencyKey).where(IdempotencyKey.id.in_(oldest)))
    return True


def _is_own(own: Claim) -> Any:
    return (IdempotencyKey.id == own.key_id) & (IdempotencyKey.claim == own.holder)
