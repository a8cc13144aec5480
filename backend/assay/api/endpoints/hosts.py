"""Endpoints for hosts."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse
from sqlalchemy import select

from assay.access import preconditions
from assay.access.audit import record
from assay.api.accounts.authentication import may
from assay.api.http.paging import Listing, Page, caseless, each, listing
from assay.api.http.routes import Route
from assay.base.errors import Invalid, NotFound
from assay.base.etags import IfMatch
from assay.base.field_errors import FieldError
from assay.base.field_types import Id
from assay.base.filters import Words
from assay.base.identity import Identity
from assay.base.messaging.changes import announce
from assay.inventory.arrays.queries import OfArray
from assay.inventory.hosts import checks, lifecycle, queries, registration
from assay.inventory.hosts.checks import CheckWait
from assay.inventory.hosts.deletion import check_free, clean_up_directory, delete
from assay.inventory.hosts.filters import OfHost
from assay.inventory.hosts.jump_hosts import check_jump_host
from assay.inventory.hosts.keys import approve, is_of, shown
from assay.inventory.hosts.own_machine import require_administrator
from assay.inventory.hosts.registration import (
    check_complete,
    check_credential,
    check_name,
    resolved,
)
from assay.inventory.hosts.schemas import (
    HostChange,
    HostIn,
    HostKeys,
    HostOut,
    HostState,
    InventoryHead,
    InventoryOut,
    KeyApproval,
)
from assay.inventory.labels import LabelFilter, labeled, put_labels
from assay.tables.database import reading, writing
from assay.tables.hosts import Host, Inventory
from assay.tables.labels import HostLabel
from assay.tables.transactions import Reading, Writing

router = APIRouter(prefix="/hosts", tags=["hosts"], route_class=Route)

HostList = Annotated[
    Listing[HostOut],
    Depends(
        listing(
            HostOut,
            {
                "id": Host.id,
                "name": caseless(Host.name),
                "state": Host.state,
                "address": caseless(Host.address),
                "last_checked_at": Host.last_checked_at,
                "last_seen_at": Host.last_seen_at,
            },
            by="-id",
        )
    ),
]
InventoryList = Annotated[
    Listing[InventoryHead],
    Depends(listing(InventoryHead, {"id": Inventory.id, "taken_at": Inventory.taken_at}, by="-id")),
]


@router.get("", response_model=Page[HostOut], summary="List hosts")
def list_hosts(
    _who: Annotated[Identity, may("host.read")],
    session: Reading,
    part: HostList,
    *,
    host_id: OfHost = None,
    state: Annotated[
        list[HostState] | None, Query(description="Only those in this state; repeatable")
    ] = None,
    array_id: OfArray = None,
    label: LabelFilter = None,
    q: Words = None,
) -> Page[HostOut] | JSONResponse:
    """Newest first, without deleted hosts; `q` also searches addresses, labels and references."""
    wanted = queries.listed(host_id, state or [], array_id, q or "")
    return part.page(session, wanted.where(labeled(HostLabel, Host.id, label)), queries.shapes)


@router.post(
    "",
    status_code=201,
    summary="Register a host",
    responses={202: {"model": HostOut, "description": "The first check has not finished"}},
)
async def create_host(
    body: HostIn,
    who: Annotated[Identity, may("host.create")],
    request: Request,
    response: Response,
    wait: registration.RegistrationWait = 0,
) -> HostOut:
    """Without `wait` and `targets` the host is not contacted; check it next.

    Otherwise its first check starts, and the response is sent when it ends: 201 with the host's
    state, or 202 with `Location` if it has not ended in time. If the host shows another key than
    the given one, or a target is rejected, nothing is created and the reason is returned; after a
    202, the host then stays without targets, and its `check` has the reason.
    """
    started = await run_in_threadpool(registration.begin, body, who, checks_now=wait > 0)
    if started.check_id is not None:
        # also for a client that is gone: what is refused must be withdrawn
        check = await checks.ended(request, started.check_id, wait)
        if check.state not in lifecycle.CHECKED:
            response.status_code = 202
            response.headers["Location"] = f"{request.url.path}/{started.host_id}"
        elif started.is_refused_by(check):
            await run_in_threadpool(registration.withdraw, started, check, who)
    return await run_in_threadpool(_show, started.host_id)


@router.get("/{host_id}", summary="Show a host")
def show_host(
    host_id: Id, _who: Annotated[Identity, may("host.read")], session: Reading
) -> HostOut:
    """Includes its state, newest check, targets and the run that reserves it."""
    return queries.one(session, host_id)


@router.patch("/{host_id}", summary="Change a host")
def change_host(
    host_id: Id,
    body: HostChange,
    who: Annotated[Identity, may("host.change")],
    session: Writing,
    if_match: IfMatch = None,
) -> HostOut:
    """Omitted fields are unchanged. A new address or port requires a new key approval."""
    changes = resolved(session, body.model_dump(exclude_unset=True))
    check_jump_host(session, changes.get("jump_host_id"), host_id)
    host = queries.living(session, host_id)
    require_administrator(who, host.connection, "host", "change")
    preconditions.check(session, if_match, queries.current_tag(session, host), f"host {host.id}")
    if changes.get("name", host.name) != host.name:
        check_name(session, changes["name"])
    check_credential(session, changes.get("credential_id"))
    moved = any(changes.get(f, getattr(host, f)) != getattr(host, f) for f in ("address", "port"))
    former = host.probe_dir
    if moved or changes.get("probe_dir", former) != former:
        check_free(session, host.id)
    for field, value in changes.items():
        if value is None and field in ("name", "port"):
            raise Invalid([FieldError(field, "must not be null", "Omit it or enter a value.")])
        if field != "labels":
            setattr(host, field, value)
    if "labels" in changes:
        put_labels(session, HostLabel, host.id, body.labels)
    check_complete(host.connection, host.address, host.user, host.credential_id)
    if host.connection == "local" and host.jump_host_id is not None:
        raise Invalid([FieldError("jump_host_id", "is only for SSH", "Omit it.")])
    if moved:
        host.approved_key = host.offered_key = None
        host.state, host.state_code, host.state_reason = lifecycle.NEW, None, None
    elif host.probe_dir != former:
        clean_up_directory(session, host, former)
    session.flush()
    record(session, who, "host.changed", f"host {host.id} {host.name}", **changes)
    announce(f"host:{host.id}", after=session)
    return queries.one(session, host.id)


@router.delete("/{host_id}", status_code=204, summary="Delete a host")
def delete_host(
    host_id: Id,
    who: Annotated[Identity, may("host.delete")],
    session: Writing,
    if_match: IfMatch = None,
) -> None:
    """Rejected while queued or active runs use it; its results are kept.

    A worker then removes Assay's directory from the host, if it is reachable: see `host.cleared` or
    `host.not_cleared` in the audit log.
    """
    host = queries.living(session, host_id)
    require_administrator(who, host.connection, "host", "delete")
    preconditions.check(session, if_match, queries.current_tag(session, host), f"host {host.id}")
    record(session, who, "host.deleted", f"host {host.id} {host.name}")
    delete(session, host)
    announce(f"host:{host_id}", after=session)


@router.post(
    "/{host_id}/check",
    summary="Check a host",
    responses={202: {"model": HostOut, "description": "The check has not finished"}},
)
async def check_host(
    host_id: Id,
    who: Annotated[Identity, may("host.check")],
    request: Request,
    response: Response,
    wait: CheckWait = 0,
) -> HostOut:
    """Fetches the host key; if it is approved, logs in and takes the inventory."""
    check_id = await run_in_threadpool(_ask, host_id, who)
    check = await checks.ended(request, check_id, wait, for_client=True)
    if check.state not in lifecycle.CHECKED:
        response.status_code = 202
    return await run_in_threadpool(_show, host_id)


def _ask(host_id: int, who: Identity) -> int:
    with writing() as session:
        host = queries.living(session, host_id)
        check = checks.ask(session, host.id, "host", {})
        record(session, who, "host.checked", f"host {host.id} {host.name}")
        return check.id


def _show(host_id: int) -> HostOut:
    with reading() as session:
        return queries.one(session, host_id)


@router.get("/{host_id}/host-key", summary="Show a host's keys")
def show_host_key(
    host_id: Id, _who: Annotated[Identity, may("host.read")], session: Reading
) -> HostKeys:
    """The approved key, and a different one that the host offered at the newest check, if any."""
    host = queries.find(session, host_id)
    return HostKeys(approved=shown(host.approved_key), offered=shown(host.offered_key))


@router.post("/{host_id}/host-key", summary="Approve a host's key")
def approve_host_key(
    host_id: Id,
    body: KeyApproval,
    who: Annotated[Identity, may("host.approve_the_key_of")],
    session: Writing,
) -> HostKeys:
    """Send the fingerprint that you verified on the host, then check the host again.

    Approving the approved key again changes nothing.
    """
    host = queries.living(session, host_id)
    old = shown(host.approved_key)
    if old is not None and host.offered_key is None and is_of(old, body.fingerprint):
        return HostKeys(approved=old, offered=None)
    key = approve(host, body.fingerprint)
    detail: dict[str, Any] = {"fingerprint": key.fingerprint, "old": old and old.fingerprint}
    record(session, who, "host.key_approved", f"host {host.id} {host.name}", **detail)
    announce(f"host:{host.id}", after=session)
    return HostKeys(approved=key, offered=None)


@router.get("/{host_id}/inventory", summary="Show a host's newest inventory")
def show_inventory(
    host_id: Id, _who: Annotated[Identity, may("host.read")], session: Reading
) -> InventoryOut:
    """CPUs, memory, file systems, devices and network interfaces, as the probe reported them."""
    queries.find(session, host_id)
    inventory = queries.newest_inventory(session, host_id)
    if inventory is None:
        raise NotFound("inventory of host", host_id)
    return InventoryOut.model_validate(inventory)


@router.get(
    "/{host_id}/inventories",
    response_model=Page[InventoryHead],
    summary="List a host's inventories",
)
def list_inventories(
    host_id: Id, _who: Annotated[Identity, may("host.read")], session: Reading, part: InventoryList
) -> Page[InventoryHead] | JSONResponse:
    """Newest first; inventories are immutable."""
    queries.find(session, host_id)
    chosen = select(Inventory).where(Inventory.host_id == host_id)
    return part.page(session, chosen, each(InventoryHead.model_validate))
