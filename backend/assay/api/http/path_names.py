"""Names in place of ids in the paths of the API: `/hosts/lab1`, `/targets/lab1%2Fmnt%2Fdisk`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute
from sqlalchemy import select
from sqlalchemy.orm import InstrumentedAttribute, Session

from assay.api.accounts.authentication import authorize, requirement
from assay.api.http.routes import ENCODED_SLASH
from assay.base.errors import Invalid, NotFound
from assay.base.names import Known, slug
from assay.inventory.arrays import queries as arrays
from assay.inventory.hosts import queries as hosts
from assay.inventory.targets import queries as targets
from assay.runs.profiles import queries as profiles
from assay.runs.schedules import filters as schedules
from assay.tables.accounts import User
from assay.tables.authorities import HostAuthority
from assay.tables.credentials import Credential
from assay.tables.database import reading
from assay.tables.tools import Tool
from assay.tables.webhooks import Webhook

LONGEST = 2500
"""As in a body: a host's name and a path."""


def _of(
    noun: str, address: str, number: InstrumentedAttribute[int], name: InstrumentedAttribute[str]
) -> Callable[[Session], Known]:
    def known(session: Session) -> Known:
        rows: Sequence[Any] = session.execute(select(number, name)).all()
        return Known(noun, address, {one: (text, slug(text)) for one, text in rows})

    return known


NAMED: Mapping[str, Callable[[Session], Known]] = {
    "host_id": hosts.names,
    "array_id": arrays.names,
    "target_id": targets.names,
    "profile_id": profiles.names,
    "tool_id": _of("tool", "tools", Tool.id, Tool.name),
    "credential_id": _of("credential", "credentials", Credential.id, Credential.name),
    "schedule_id": schedules.names,
    "webhook_id": _of("webhook", "webhooks", Webhook.id, Webhook.name),
    "authority_id": _of("host authority", "host-authorities", HostAuthority.id, HostAuthority.name),
    "user_id": _of("user", "users", User.id, User.name),
}
"""The names that may stand for each parameter of a path."""


async def named(route: APIRoute, request: Request) -> None:
    """Put ids in place of the names in a request's path, for a caller who may use the endpoint.

    Raises what `authorize` raises, NotFound for an unknown name, and Invalid for that of several
    objects.
    """
    above = request.scope["path"].removesuffix(_below(route, request))
    for parameter, text in request.path_params.items():
        known, wanted = NAMED.get(parameter), requirement(route)
        if known is None or wanted is None or text.removeprefix("-").isdecimal():
            continue
        await run_in_threadpool(authorize, request, wanted)
        name = text.replace(ENCODED_SLASH, "/")
        found = await run_in_threadpool(_find, parameter.removesuffix("_id"), name, known)
        request.path_params[parameter] = str(found)
        request.scope["path"] = above + _below(route, request)


def _below(route: APIRoute, request: Request) -> str:
    """Return the part of the request's path that is the route's own: without the API's prefix."""
    return route.path_format.format_map(request.path_params).replace(ENCODED_SLASH, "/")


def _find(field: str, name: str, known: Callable[[Session], Known]) -> int:
    with reading() as session:
        names = known(session)
    try:
        return names.find(field, name[:LONGEST])
    except Invalid as error:
        if name in (every for several in names.names.values() for every in several):
            raise
        raise NotFound(names.noun, name, error.errors[0].remedy) from error
