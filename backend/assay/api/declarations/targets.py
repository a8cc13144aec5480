"""Targets of a file."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from assay.api.declarations.hosts import why_unready
from assay.api.declarations.plan import ExistingObject, Planning, Uninspected
from assay.api.declarations.schemas import DeclaredTarget
from assay.api.endpoints.targets import change_target, delete_target
from assay.base.errors import Problem
from assay.base.messaging.changes import announce
from assay.inventory.arrays import queries as arrays
from assay.inventory.hosts import lifecycle
from assay.inventory.labels import labels_of
from assay.inventory.targets import registration
from assay.inventory.targets.queries import living
from assay.inventory.targets.registration import CheckPending
from assay.inventory.targets.schemas import EDITABLE, TargetChange, TargetIn
from assay.tables.hosts import Host
from assay.tables.labels import TargetLabel
from assay.tables.targets import Target

ONLY_AT_REGISTRATION = {"path", "root_consent"}


def apply(plan: Planning, hosts: Mapping[str, Host]) -> None:
    """Register and change the targets of the file's hosts."""
    ids = [host.id for host in hosts.values()]
    rows = plan.session.scalars(living().where(Target.host_id.in_(ids)).with_for_update(of=Target))
    existing = {(row.host_id, row.path): row for row in rows}
    labels = labels_of(plan.session, TargetLabel, [row.id for row in existing.values()])
    known = arrays.names(plan.session)
    for number, entry in enumerate(plan.file.hosts):
        host = hosts.get(entry.name)
        if host is None:  # refused
            continue
        for position, target in enumerate(entry.targets):
            where = f"hosts.{number}.targets.{position}"
            with plan.entry(where, "target", _name(host, target.path)):
                array_id = known.find("array", target.array) if target.array else None
                if row := existing.get((host.id, target.path)):
                    given = _given(target)
                    if array_id is not None:  # its slug means the same
                        given["array"] = known.names[array_id][0]
                    found = ExistingObject(row, values(row, labels[row.id]))
                    change = partial(_change, plan, row)
                    plan.settle("target", _name(host, row.path), found, given, change)
                else:
                    _create(plan, where, host, target, array_id)


def drop(plan: Planning) -> None:
    """Remove, or keep without `prune`, the targets that the file created and no longer has."""
    declared = {(host.name, target.path) for host in plan.file.hosts for target in host.targets}
    mine = living().where(Target.managed_by == plan.file.name).order_by(Target.id)
    for row in plan.session.scalars(mine).all():
        if (row.host.name, row.path) not in declared:
            delete = partial(delete_target, row.id, plan.who, plan.session)
            plan.drop("target", _name(row.host, row.path), row.id, delete)


def values(row: Target, labels: dict[str, str]) -> dict[str, Any]:
    """Return what a file may set."""
    columns = {name: getattr(row, name, None) for name in EDITABLE}
    del columns["array_id"]
    return columns | {"array": row.array.name if row.array else None, "labels": labels}


def _given(target: DeclaredTarget) -> dict[str, Any]:
    given = target.model_dump(exclude_unset=True, exclude=ONLY_AT_REGISTRATION)
    if "name" in given:
        given["name"] = target.name or target.path[:200]
    return given


def _create(
    plan: Planning, where: str, host: Host, target: DeclaredTarget, array_id: int | None
) -> None:
    """Register the target if its directory was inspected, or plan or postpone its registration."""
    plan.require("create", "target")
    name = _name(host, target.path)
    registration.check_place(plan.who, host.connection, target.path)
    later = "create" if plan.dry_run else "wait"
    if host.state != lifecycle.READY:
        plan.note(later, "target", name, reason=why_unready(plan, host))
        return
    found = plan.inspections.get((host.id, target.path))
    if isinstance(found, CheckPending):
        plan.note("wait", "target", name, reason=str(found))
        return
    if isinstance(found, Problem):
        raise found
    if found is None:
        plan.uninspected.append(Uninspected(where, host.id, target.path))
        plan.note(later, "target", name, reason="A worker inspects the directory first.")
        return
    body = TargetIn(
        host_id=host.id,
        array_id=array_id,
        **target.model_dump(exclude_unset=True, exclude={"array"}),
    )
    row = registration.register(plan.session, body, found, plan.who)
    row.managed_by = plan.file.name
    announce(f"host:{host.id}", after=plan.session)
    plan.note("create", "target", name, row.id)


def _change(plan: Planning, row: Target, fields: dict[str, Any]) -> Target:
    if "array" in fields and fields["array"] is None:  # a name cannot be null
        fields["array_id"] = fields.pop("array")
    change_target(row.id, TargetChange(**fields), plan.who, plan.session)
    return row


def _name(host: Host, path: str) -> str:
    return f"{host.name}{path}"
