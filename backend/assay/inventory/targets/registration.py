"""Registration of targets, from a worker's inspection."""

from collections.abc import Mapping
from typing import Any, get_args

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.access.audit import record
from assay.base.errors import Conflict, Invalid, Problem
from assay.base.field_errors import FieldError
from assay.base.identity import Identity
from assay.inventory.arrays import queries as arrays
from assay.inventory.codes import FailureCode
from assay.inventory.hosts import checks, lifecycle, own_machine
from assay.inventory.hosts import queries as hosts
from assay.inventory.labels import put_labels
from assay.inventory.targets.acceptance import APPLIANCE_DIRECTORY, TargetChanged, accept, identity
from assay.inventory.targets.schemas import TargetIn
from assay.tables.arrays import Array
from assay.tables.clock import now
from assay.tables.hosts import Check, Host
from assay.tables.labels import TargetLabel
from assay.tables.targets import Target


class HostNotReady(Conflict):
    """The host is not in state ready."""

    code, title = "host_not_ready", "The host is not ready"

    def __init__(self, host: Host) -> None:
        """Name reason and remedy for the host's state."""
        why, remedy = lifecycle.NOT_READY[host.state]
        reason = f" ({host.state_reason.rstrip('.')})" if host.state_reason else ""
        message = f"the host '{host.name}' {why}{reason}"
        super().__init__(errors=[FieldError("host_id", message, remedy, host.id)])


class TargetExists(Conflict):
    """The directory is already a target."""

    code, title = "target_exists", "The directory is already a target"

    def __init__(self, target: Target, path: str) -> None:
        """Name the target."""
        message = f"is target {target.id}, '{target.name}'"
        remedy = "Use that target or another directory."
        super().__init__(
            errors=[FieldError("path", message, remedy, path)],
            existing_id=target.id,
        )


class CheckPending(Problem):
    """No worker has responded yet."""

    status, code, title = 504, "check_pending", "The inspection timed out"


class CheckFailed(Problem):
    """The inspection failed."""

    status, code, title = 422, "check_failed", "The directory could not be inspected"
    codes = ("check_failed", *get_args(FailureCode))

    def __init__(self, error: dict[str, Any], path: str) -> None:
        """Use the worker's error."""
        remedy = error.get("remedy")
        field = error.get("field") or "path"
        super().__init__(error["detail"], errors=[FieldError(field, error["title"], remedy, path)])
        self.code = error["code"]


def check_place(who: Identity, connection: str, path: str) -> None:
    """Raise a Problem for a directory of Assay's own machine that the caller may not register.

    Raises NotAllowed or ScopeMissing, and TargetRefused for everybody where Assay's own files are.
    """
    message = "is on the machine that Assay runs on, whose targets are the administrator's"
    error = FieldError("path", message, "Use another host, or ask an administrator.", path)
    own_machine.require_administrator(who, connection, "target", "create", error)
    if connection == own_machine.LOCAL and own_machine.is_assays(path):
        accept(path, {"problem": APPLIANCE_DIRECTORY}, root_consent=True)


def resolved(session: Session, body: TargetIn) -> TargetIn:
    """Return the request with ids in place of names; raises Invalid for unknown names."""
    ids: dict[str, int | None] = {}
    if body.host is not None:
        ids["host_id"] = hosts.names(session).find("host", body.host)
    if body.array is not None:
        ids["array_id"] = arrays.names(session).find("array", body.array)
    return body.model_copy(update={**ids, "host": None, "array": None})


def ready_host(session: Session, host_id: int | None) -> Host:
    """Return the locked host if it is ready; raises Invalid or HostNotReady."""
    host = session.get(Host, host_id, with_for_update=True) if host_id is not None else None
    if host is None:
        raise Invalid([FieldError("host_id", "does not exist", "Select a host.", host_id)])
    if host.state != lifecycle.READY:
        raise HostNotReady(host)
    return host


def array_exists(session: Session, array_id: int | None) -> None:
    """Raise Invalid if `array_id` is given and does not exist."""
    if array_id is not None and session.get(Array, array_id) is None:
        raise Invalid([FieldError("array_id", "does not exist", "Select an array.", array_id)])


def ask(session: Session, body: TargetIn, who: Identity) -> Check:
    """Validate the request, then request an inspection of the directory."""
    host = ready_host(session, body.host_id)
    check_place(who, host.connection, body.path)
    array_exists(session, body.array_id)
    _not_registered(session, body)
    return checks.ask(session, host.id, "target", {"path": body.path})


def answer(check: Check, path: str) -> dict[str, Any]:
    """Return the facts found at `path`; raises CheckPending or CheckFailed."""
    if check.state not in lifecycle.CHECKED:
        raise CheckPending("No worker has responded.", "Check /api/v1/health and try again.")
    if check.state == "failed" or check.answer is None:
        raise CheckFailed(check.error or {"code": "check_failed", "detail": "", "title": ""}, path)
    return check.answer


def register(session: Session, body: TargetIn, found: dict[str, Any], who: Identity) -> Target:
    """Create the target, or reactivate a deleted one with the same path."""
    host = ready_host(session, body.host_id)
    check_place(who, host.connection, body.path)
    accept(body.path, found, root_consent=body.root_consent)
    array_exists(session, body.array_id)
    target = _not_registered(session, body)
    _not_under_another_path(session, body, found)
    if target is None:
        target = Target(host_id=host.id, path=body.path)
    target.created_at = now(session)
    target.name = body.name or body.path[:200]
    target.array_id = body.array_id
    target.reserve_bytes = body.reserve_bytes
    target.root_consent = body.root_consent
    target.reference = body.reference
    target.fs_type, target.fs_source = found["type"], found["source"]
    target.fs_uuid = found.get("uuid")
    target.managed_by = target.retired_at = None
    remember(session, target, found)
    session.add(target)
    session.flush()
    put_labels(session, TargetLabel, target.id, body.labels)
    detail = {**identity(found), "root_consent": body.root_consent}
    record(session, who, "target.created", f"target {target.id} {target.path}", **detail)
    return target


def refresh(session: Session, target: Target, found: dict[str, Any]) -> None:
    """Store the new facts; raises TargetChanged if the file system is a different one."""
    accept(target.path, found, root_consent=True)
    if identity(found) != target.identity:
        raise TargetChanged(target.path, target.identity, identity(found))
    remember(session, target, found)


def remember(session: Session, target: Target, found: dict[str, Any]) -> None:
    """Store the facts of an inspection."""
    target.facts = found
    target.checked_at = now(session)


def _not_registered(session: Session, body: TargetIn) -> Target | None:
    """Return a deleted target with this path, if any; raises TargetExists for an active one."""
    target = session.scalar(
        select(Target).where(Target.host_id == body.host_id, Target.path == body.path)
    )
    if target is not None and target.retired_at is None:
        raise TargetExists(target, body.path)
    return target


def _not_under_another_path(session: Session, body: TargetIn, found: Mapping[str, Any]) -> None:
    """Raise TargetExists if the path resolves to the directory of an active target."""
    in_use = select(Target).where(Target.host_id == body.host_id, Target.retired_at.is_(None))
    for target in session.scalars(in_use):
        if target.facts.get("real_path", target.path) == found.get("real_path", body.path):
            raise TargetExists(target, body.path)
