"""Endpoints for targets."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse
from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from assay.access import preconditions
from assay.access.audit import record
from assay.api.accounts.authentication import may
from assay.api.http.paging import Listing, Page, caseless, listing
from assay.api.http.routes import Route
from assay.base.errors import Conflict, Invalid
from assay.base.etags import IfMatch
from assay.base.field_errors import FieldError
from assay.base.field_types import Id
from assay.base.filters import Words
from assay.base.identity import Identity
from assay.base.messaging.changes import announce
from assay.inventory.arrays import queries as arrays
from assay.inventory.arrays.queries import OfArray
from assay.inventory.hosts import checks
from assay.inventory.hosts.filters import OfHost
from assay.inventory.hosts.own_machine import require_administrator
from assay.inventory.labels import LabelFilter, labeled, put_labels
from assay.inventory.targets import queries, registration
from assay.inventory.targets.filters import OfTarget
from assay.inventory.targets.schemas import TargetChange, TargetIn, TargetOut
from assay.inventory.use import unended
from assay.tables.clock import now
from assay.tables.database import writing
from assay.tables.hosts import Host
from assay.tables.labels import TargetLabel
from assay.tables.runs import Participant
from assay.tables.targets import Target
from assay.tables.transactions import Reading, Writing

INSPECTION_TIMEOUT_S = 30.0
"""Maximum time that a request waits for the inspection of a directory."""

router = APIRouter(prefix="/targets", tags=["targets"], route_class=Route)

TargetList = Annotated[
    Listing[TargetOut],
    Depends(
        listing(
            TargetOut,
            {
                "id": Target.id,
                "name": caseless(Target.name),
                "path": Target.path,
                "host_name": select(caseless(Host.name))
                .where(Host.id == Target.host_id)
                .scalar_subquery(),
                "checked_at": Target.checked_at,
            },
            by="-id",
        )
    ),
]


class TargetBusy(Conflict):
    """Runs use the target."""

    code, title = "target_busy", "Queued or active runs use this target"


@router.get("", response_model=Page[TargetOut], summary="List targets")
def list_targets(
    _who: Annotated[Identity, may("target.read")],
    session: Reading,
    part: TargetList,
    *,
    target_id: OfTarget = None,
    host_id: OfHost = None,
    array_id: OfArray = None,
    label: LabelFilter = None,
    q: Words = None,
) -> Page[TargetOut] | JSONResponse:
    """Newest first, without deleted targets; `q` also searches paths, labels and references."""
    wanted = queries.listed(target_id, host_id, array_id, q or "")
    return part.page(session, wanted.where(labeled(TargetLabel, Target.id, label)), queries.shapes)


@router.post("", status_code=201, summary="Register a target")
async def create_target(
    body: TargetIn, who: Annotated[Identity, may("target.create")], request: Request
) -> TargetOut:
    """Waits until a worker has inspected the directory.

    Rejected with the reason if the path does not exist, is not a directory, not writable, a block
    device or a link into another file system, or is on the root file system without consent.
    """
    check_id, body = await run_in_threadpool(_ask, body, who)
    check = await checks.ended(request, check_id, INSPECTION_TIMEOUT_S)
    found = registration.answer(check, body.path)
    return await run_in_threadpool(_register, body, found, who)


def _ask(body: TargetIn, who: Identity) -> tuple[int, TargetIn]:
    """Request the inspection; return its id, and the body with ids in place of names."""
    with writing() as session:
        body = registration.resolved(session, body)
        return registration.ask(session, body, who).id, body


def _register(body: TargetIn, found: dict[str, object], who: Identity) -> TargetOut:
    with writing() as session:
        target = registration.register(session, body, found, who)
        announce(f"host:{target.host_id}", after=session)
        session.expire(target, ["host", "array"])
        return queries.shape(session, queries.find(session, target.id))


@router.get("/{target_id}", summary="Show a target")
def show_target(
    target_id: Id, _who: Annotated[Identity, may("target.read")], session: Reading
) -> TargetOut:
    """Includes its file system, its device and the limitations of results."""
    return queries.shape(session, queries.find(session, target_id))


@router.patch("/{target_id}", summary="Change a target")
def change_target(
    target_id: Id,
    body: TargetChange,
    who: Annotated[Identity, may("target.change")],
    session: Writing,
    if_match: IfMatch = None,
) -> TargetOut:
    """Omitted fields are unchanged."""
    target = queries.find(session, target_id, lock=True)
    require_administrator(who, target.host.connection, "target", "change")
    tag = queries.current_tag(session, target)
    preconditions.check(session, if_match, tag, f"target {target.id}")
    changes = body.model_dump(exclude_unset=True)
    if "name" in changes and body.name is None:
        raise Invalid([FieldError("name", "must not be null", "Enter a name.")])
    if name := changes.pop("array", None):
        changes["array_id"] = arrays.names(session).find("array", name)
    registration.array_exists(session, changes.get("array_id"))
    for field, value in changes.items():
        if field != "labels":
            setattr(target, field, value)
    session.flush()
    if "labels" in changes:
        put_labels(session, TargetLabel, target.id, body.labels)
    session.expire(target, ["array"])
    record(session, who, "target.changed", f"target {target.id} {target.path}", **changes)
    announce(f"host:{target.host_id}", after=session)
    return queries.shape(session, queries.find(session, target_id))


@router.delete("/{target_id}", status_code=204, summary="Delete a target")
def delete_target(
    target_id: Id,
    who: Annotated[Identity, may("target.delete")],
    session: Writing,
    if_match: IfMatch = None,
) -> None:
    """Rejected while runs use it; its results are kept."""
    target = queries.find(session, target_id, lock=True)
    require_administrator(who, target.host.connection, "target", "delete")
    tag = queries.current_tag(session, target)
    preconditions.check(session, if_match, tag, f"target {target.id}")
    _not_busy(session, target)
    record(session, who, "target.deleted", f"target {target.id} {target.path}")
    announce(f"host:{target.host_id}", after=session)
    if session.scalar(select(exists().where(Participant.target_id == target.id))):
        target.retired_at = now(session)
    else:
        session.delete(target)


@router.post("/{target_id}/check", summary="Check a target again")
async def check_target(
    target_id: Id, who: Annotated[Identity, may("target.check")], request: Request
) -> TargetOut:
    """Inspects the directory again: free space, device, and whether the file system is the same."""
    check_id, path = await run_in_threadpool(_ask_again, target_id)
    check = await checks.ended(request, check_id, INSPECTION_TIMEOUT_S)
    found = registration.answer(check, path)
    return await run_in_threadpool(_refresh, target_id, found, who)


def _ask_again(target_id: int) -> tuple[int, str]:
    with writing() as session:
        target = queries.find(session, target_id)
        registration.ready_host(session, target.host_id)
        check = checks.ask(session, target.host_id, "target", {"path": target.path})
        return check.id, target.path


def _refresh(target_id: int, found: dict[str, object], who: Identity) -> TargetOut:
    with writing() as session:
        target = queries.find(session, target_id)
        registration.refresh(session, target, found)
        record(session, who, "target.checked", f"target {target.id} {target.path}")
        announce(f"host:{target.host_id}", after=session)
        return queries.shape(session, target)


def _not_busy(session: Session, target: Target) -> None:
    if busy := unended(session, target_id=target.id):
        listed = ", ".join(str(run) for run in busy)
        raise TargetBusy(f"Runs {listed} use it.", "Cancel their campaigns or wait until they end.")
