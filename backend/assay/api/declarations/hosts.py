"""Hosts of a file, and the approval of their keys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from assay.access.audit import record
from assay.access.permissions import require
from assay.api.declarations.plan import ExistingObject, Planning
from assay.api.declarations.schemas import DeclaredHost
from assay.api.endpoints.hosts import change_host, delete_host
from assay.base.errors import Conflict, Invalid
from assay.base.field_errors import FieldError
from assay.base.messaging.changes import announce
from assay.inventory.hosts import lifecycle, registration
from assay.inventory.hosts.keys import approve, shown
from assay.inventory.hosts.schemas import EDITABLE, HostChange, HostIn
from assay.inventory.labels import labels_of
from assay.tables.credentials import Credential
from assay.tables.hosts import Host
from assay.tables.labels import HostLabel
from assay.tables.targets import Target

HOST_KEY = "host_key"


class KeyDiffers(Conflict):
    """The host has another key than the file says."""

    def __init__(self, wanted: str, found: str, *, approved: bool) -> None:
        """Show the other key, which is approved or only offered."""
        is_ = "the approved key is" if approved else "the host offers"
        message = f"{is_} {found}"
        remedy = (
            "Correct it; if the host has a new key, check the host, which then offers that key."
            if approved
            else "Verify the fingerprint on the host, and correct it here or there."
        )
        super().__init__(errors=[FieldError(HOST_KEY, message, remedy, wanted)])


class ForeignTargets(Conflict):
    """The host has targets that the file did not create."""

    def __init__(self, paths: list[str]) -> None:
        """Name the targets, which would be deleted with the host."""
        listed = ", ".join(paths)
        super().__init__(f"the file did not create its targets {listed}.", "Delete these first.")


def lock(plan: Planning) -> dict[str, Host]:
    """Return the living hosts that the file has or created, by name, locked in the common order."""
    names = [entry.name for entry in plan.file.hosts]
    concerned = Host.name.in_(names) | (Host.managed_by == plan.file.name)
    wanted = select(Host).where(concerned, Host.state != lifecycle.DELETING)
    rows = plan.session.scalars(wanted.order_by(Host.id).with_for_update()).all()
    return {row.name: row for row in rows}


def apply(plan: Planning, rows: dict[str, Host]) -> None:
    """Create and change the file's hosts, and approve its keys; adds new hosts to `rows`."""
    labels = labels_of(plan.session, HostLabel, [row.id for row in rows.values()])
    names = Names.of(plan.session)
    for number, entry in enumerate(plan.file.hosts):
        given = entry.model_dump(exclude_unset=True, exclude={"targets", HOST_KEY})
        with plan.entry(f"hosts.{number}", "host", entry.name):
            if row := rows.get(entry.name):
                found = ExistingObject(row, values(row, labels[row.id], names))
                _same_connection(row, entry)
                if key := _key_to_approve(row, entry):
                    found.values[HOST_KEY] = key
                    given[HOST_KEY] = entry.host_key
                plan.settle("host", row.name, found, given, partial(_change, plan, row))
            else:
                plan.require("create", "host")
                body = HostIn(**given)
                made = registration.create(plan.session, body, plan.who, checks_now=False)
                row = rows[entry.name] = plan.session.get_one(Host, made.host_id)
                row.managed_by = plan.file.name
                plan.note("create", "host", row.name, row.id)
            approved = shown(row.approved_key)
            if entry.host_key and (not approved or approved.fingerprint != entry.host_key):
                plan.is_waiting = True
            if row.state != lifecycle.READY:
                plan.unready.append(row.id)
                plan.explain(why_unready(plan, row))


def drop(plan: Planning, rows: Mapping[str, Host]) -> None:
    """Remove, or keep without `prune`, the hosts that the file created and no longer has."""
    declared = {entry.name for entry in plan.file.hosts}
    for name, row in rows.items():
        if name not in declared and row.managed_by == plan.file.name:
            plan.drop("host", name, row.id, partial(_delete, plan, row))


@dataclass(frozen=True)
class Names:
    """The names of all credentials and hosts by id, by which a host refers to them."""

    credentials: Mapping[int, str]
    hosts: Mapping[int, str]

    @classmethod
    def of(cls, session: Session) -> Self:
        """Read them."""
        found = [
            dict(map(tuple[int, str], session.execute(select(table.id, table.name))))
            for table in (Credential, Host)
        ]
        return cls(*found)


def values(row: Host, labels: dict[str, str], names: Names) -> dict[str, Any]:
    """Return what a file may set."""
    columns = {name: getattr(row, name, None) for name in EDITABLE}
    credential_id: int = columns.pop("credential_id") or 0
    jump_host_id: int = columns.pop("jump_host_id") or 0
    return columns | {
        "connection": row.connection,
        "credential": names.credentials.get(credential_id),
        "jump_host": names.hosts.get(jump_host_id),
        "labels": labels,
    }


def jump_hosts_first(rows: Sequence[Host]) -> list[Host]:
    """Return hosts so that each comes after the one through which it is reached."""
    by_id = {row.id: row for row in rows}

    def hops(row: Host) -> int:
        before = by_id.get(row.jump_host_id or 0)
        return 0 if before is None else 1 + hops(before)  # there are no cycles

    return sorted(rows, key=hops)


def _same_connection(row: Host, entry: DeclaredHost) -> None:
    if "connection" in entry.model_fields_set and row.connection != entry.connection:
        message = f"cannot be changed from {row.connection}"
        remedy = "Use another name for the other host."
        raise Invalid([FieldError("connection", message, remedy, entry.connection)])


def _key_to_approve(row: Host, entry: DeclaredHost) -> str | None:
    """Return the key in place of the file's: the approved one, or a word if there is none.

    None if there is nothing to approve now. Raises KeyDiffers.
    """
    approved, offered = shown(row.approved_key), shown(row.offered_key)
    if entry.host_key is None or (approved and approved.fingerprint == entry.host_key):
        return None
    if offered and offered.fingerprint == entry.host_key:
        return approved.fingerprint if approved else "not approved"
    if approved and not _moves(row, entry):
        raise KeyDiffers(entry.host_key, approved.fingerprint, approved=True)
    if offered and not _moves(row, entry):
        raise KeyDiffers(entry.host_key, offered.fingerprint, approved=False)
    return None


def _moves(row: Host, entry: DeclaredHost) -> bool:
    """Return whether the file changes where the host is, which forgets its keys."""
    given = entry.model_dump(include={"address", "port"}, exclude_unset=True)
    return any(getattr(row, name) != value for name, value in given.items())


def _change(plan: Planning, row: Host, fields: dict[str, Any]) -> Host:
    key = fields.pop(HOST_KEY, None)
    for name in ("credential", "jump_host"):
        if name in fields and fields[name] is None:  # a name cannot be null
            fields[f"{name}_id"] = fields.pop(name)
    if fields:
        change_host(row.id, HostChange(**fields), plan.who, plan.session)
    if key is not None and row.offered_key is not None:
        require(plan.who, "host.approve_the_key_of")
        old = shown(row.approved_key)
        approve(row, key)
        detail = {"fingerprint": key, "old": old and old.fingerprint, "file": plan.file.name}
        record(plan.session, plan.who, "host.key_approved", f"host {row.id} {row.name}", **detail)
        announce(f"host:{row.id}", after=plan.session)
    return row


def _delete(plan: Planning, row: Host) -> None:
    foreign = or_(Target.managed_by.is_(None), Target.managed_by != plan.file.name)
    living = select(Target.path).where(
        Target.host_id == row.id, Target.retired_at.is_(None), foreign
    )
    if paths := plan.session.scalars(living.order_by(Target.id)).all():
        raise ForeignTargets(list(paths))
    delete_host(row.id, plan.who, plan.session)


def why_unready(plan: Planning, row: Host) -> str:
    """Return why the host is not ready and what to do, or what an application does first."""
    if plan.dry_run:
        return f"Applying the file checks '{row.name}' first."
    why, remedy = lifecycle.NOT_READY[row.state]
    reason = f" ({row.state_reason.rstrip('.')})" if row.state_reason else ""
    return f"The host '{row.name}' {why}{reason}. {remedy}"
