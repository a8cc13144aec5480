"""Execution of a request with an idempotency key: once, with the same response to each repeat."""

import hashlib
import hmac
import json
import re
from http import HTTPStatus

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute
from sqlalchemy.orm import Session

from assay.api.accounts.authentication import authorize, requirement
from assay.api.http import responses
from assay.api.http.routes import KEY_HEADER, Handler
from assay.api.idempotency import keys
from assay.api.idempotency.keys import Claim, KeyedRequest, StoredResponse
from assay.base.errors import Conflict, Invalid, Problem
from assay.base.field_errors import SECRETS, FieldError
from assay.base.identity import Identity
from assay.inventory.credentials.sealing import derived
from assay.tables.database import writing
from assay.tables.transactions import writing_session

REPLAYED = "Idempotent-Replayed"
LONGEST_KEY = 255
_KEY = re.compile(rf'"?([!#-~]{{1,{LONGEST_KEY}}})"?')
_KEPT_HEADERS = ("content-type", "location", "etag")
_PURPOSE = "fingerprints of requests with an idempotency key"


class SecretNotReplayed(Conflict):
    """The first response had a secret, which is not stored."""

    code, title = "secret_not_replayed", "The secret was in the first response only"

    def __init__(self, location: str) -> None:
        """Name what was created."""
        number = location.rpartition("/")[2]
        super().__init__(
            f"The first request with this key created {location}.",
            "If its secret was lost, delete it and create another with a new key.",
            existing_id=int(number) if number.isdecimal() else None,
        )


async def once(route: APIRoute, request: Request, handle: Handler) -> Response:
    """Execute a request, unless one with its key was executed: then return that one's response.

    Raises what `handle` raises. A rejection releases the key, unless the request is refused for
    what it says itself: any other may be accepted later, once there is space or a name is free.
    """
    wanted = requirement(route)
    if wanted is None:  # logging in: its response is a secret, and a repeat does no harm
        return await handle(request)
    who = await run_in_threadpool(authorize, request, wanted)
    keyed = _keyed(request, who, await request.body())
    own = await run_in_threadpool(keys.claim, keyed)
    if isinstance(own, StoredResponse):
        return _replay(own)
    try:
        response = await handle(request)
        if response.status_code < HTTPStatus.BAD_REQUEST:
            stored = _stored(response, secret=_has_secret(route))
            await run_in_threadpool(_store, writing_session(request), own, stored)
        else:
            await run_in_threadpool(keys.release, own)
    except Exception as error:
        await run_in_threadpool(_conclude, request, own, error)
        raise
    return response


def _keyed(request: Request, who: Identity, body: bytes) -> KeyedRequest:
    """Return what identifies a request; raises Invalid for a key of another form."""
    given = request.headers.getlist(KEY_HEADER)
    found = _KEY.fullmatch(given[0]) if len(given) == 1 else None
    if found is None:
        message = f"must be 1 to {LONGEST_KEY} visible ASCII characters, given once"
        remedy = "Use a UUID."
        raise Invalid([FieldError(KEY_HEADER, message, remedy, ", ".join(given))])
    content = request.url.query.encode() + b"\n" + _canonical(body)
    fingerprint = hmac.new(derived(_PURPOSE), content, hashlib.sha256).hexdigest()
    return KeyedRequest(who.principal, request.url.path[:200], found[1], fingerprint)


def _canonical(body: bytes) -> bytes:
    """Return the body with sorted fields: a repeat may write the same document differently."""
    try:
        return json.dumps(json.loads(body), sort_keys=True).encode()
    except (ValueError, RecursionError):
        return body


def _has_secret(route: APIRoute) -> bool:
    return bool(SECRETS & getattr(route.response_model, "model_fields", {}).keys())


def _stored(response: Response, *, secret: bool) -> StoredResponse:
    headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
    return StoredResponse(response.status_code, headers, None if secret else bytes(response.body))


def _store(session: Session | None, own: Claim, stored: StoredResponse) -> None:
    """Store the response in the request's own transaction, which is still open, if it has one."""
    if session is not None:
        keys.store(session, own, stored)
        return
    with writing() as another:
        keys.store(another, own, stored)


def _conclude(request: Request, own: Claim, error: Exception) -> None:
    """After a failed request, store a rejection that cannot change; otherwise release the key."""
    if (session := writing_session(request)) is not None:
        session.rollback()  # its locks would block the next transaction
    if isinstance(error, keys.RequestInProgress):  # another request has taken the key over
        return
    problem = responses.as_problem(error, responses.body_type(request))
    # one that an endpoint raises depends on what exists
    if not isinstance(problem, Invalid) or isinstance(error, Problem):
        keys.release(own)
        return
    with writing() as another:
        keys.store(another, own, _stored(responses.rejection(problem), secret=False))


def _replay(stored: StoredResponse) -> Response:
    if stored.body is None:
        raise SecretNotReplayed(str(stored.headers.get("location", "an object")))
    return Response(stored.body, stored.status, {**stored.headers, REPLAYED: "true"})
