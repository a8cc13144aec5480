"""Registration of a host in one call: its key, credential, labels and targets.

The API creates the host, and the worker that runs its first check approves the key, inspects the
directories and registers them in the transaction that makes the host ready. If a part is rejected
while the caller waits, host and new credential are deleted again.

Its fields take names in place of ids, and must have what a connection requires.
"""

from dataclasses import asdict, dataclass
from typing import Annotated, Any, NoReturn, get_args

from fastapi import Query
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.access.audit import record
from assay.access.permissions import require
from assay.base.errors import Invalid, NameTaken, Problem, nested_in
from assay.base.field_errors import FieldError
from assay.base.identity import Identity
from assay.base.messaging.changes import announce
from assay.base.names import Known
from assay.inventory.authorities.trust import Trust
from assay.inventory.codes import FailureCode
from assay.inventory.credentials.creation import create as create_credential
from assay.inventory.hosts import checks, queries
from assay.inventory.hosts.deletion import delete
from assay.inventory.hosts.jump_hosts import check_jump_host
from assay.inventory.hosts.keys import expected_keys
from assay.inventory.hosts.lifecycle import LONGEST_WAIT_S
from assay.inventory.hosts.own_machine import require_administrator
from assay.inventory.hosts.schemas import HostIn, NewTarget
from assay.inventory.labels import put_labels
from assay.inventory.targets import registration as targets
from assay.inventory.targets.schemas import TargetIn
from assay.tables.credentials import Credential
from assay.tables.database import writing
from assay.tables.hosts import Check, Host
from assay.tables.labels import HostLabel


def check_complete(
    connection: str, address: str | None, user: str | None, credential_id: int | None
) -> None:
    """Raise Invalid if the connection lacks a required field."""
    if connection == "local":
        return
    needed = {"address": address, "user": user, "credential_id": credential_id}
    remedies = {
        "address": "Enter the host's name or address.",
        "user": "Enter the login user.",
        "credential_id": "Select a credential, or create one first.",
    }
    missing = [name for name, value in needed.items() if not value]
    if missing:
        raise Invalid([FieldError(n, "is required for SSH", remedies[n]) for n in missing])


def check_credential(session: Session, credential_id: int | None) -> None:
    """Raise Invalid if a credential is given and does not exist."""
    if credential_id is not None and session.get(Credential, credential_id) is None:
        raise Invalid(
            [FieldError("credential_id", "does not exist", "Select a credential.", credential_id)]
        )


def resolved(session: Session, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a request with ids in place of the names of other objects."""
    credential: str | None = fields.pop("credential", None)
    if credential is not None:
        rows = session.execute(select(Credential.id, Credential.name))
        known = Known("credential", "credentials", {number: (own,) for number, own in rows})
        fields = fields | {"credential_id": known.find("credential", credential)}
    jump_host: str | None = fields.pop("jump_host", None)
    if jump_host is not None:
        fields = fields | {"jump_host_id": queries.names(session).find("jump_host", jump_host)}
    return fields


def check_name(session: Session, name: str) -> None:
    """Raise NameTaken if a host has this name."""
    if taken := session.scalar(select(Host.id).where(Host.name == name)):
        raise NameTaken("host", name, taken)


RegistrationWait = Annotated[
    float,
    Query(
        ge=0,
        le=LONGEST_WAIT_S,
        allow_inf_nan=False,
        description="Start the first check and wait for its end, s",
    ),
]

KEY_MISMATCH = "host_key_mismatch"

_APART = {"labels", "targets", "new_credential", "fingerprint", "known_hosts"}
"""Fields of a registration that are no columns of the host."""

_FIELDS = {
    "unknown_host": "address",
    "refused": "port",
    "timeout": "address",
    "auth_failed": "credential_id",
    "certificate_rejected": "credential_id",
    "credential_missing": "credential_id",
    "home_read_only": "probe_dir",
    "home_noexec": "probe_dir",
    "jump_host_failed": "jump_host_id",
    "jump_host_unreachable": "jump_host_id",
}
"""The field that causes a failure of the first check, by its code."""


class RegistrationRefused(Problem):
    """The first check rejected the key or a target; nothing was created."""

    status, code, title = 422, "registration_refused", "The host was not registered"
    codes = ("registration_refused", *get_args(FailureCode))

    def __init__(self, error: dict[str, Any], field: str) -> None:
        """Use the worker's error, and name the field that caused it."""
        message = f"{error['title']}: {error['detail']}"
        super().__init__(errors=[FieldError(field, message, error.get("remedy"))])
        self.code = error["code"]


@dataclass(frozen=True)
class Started:
    """A host that was created, and the check whose end decides whether it stays."""

    host_id: int
    check_id: int | None
    new_credential_id: int | None
    key_field: str
    has_targets: bool

    def is_refused_by(self, check: Check) -> bool:
        """Return whether the result of the first check rejects a part of the registration."""
        if check.error is None:
            return False
        return self.has_targets or check.error["code"] == KEY_MISMATCH


def begin(body: HostIn, who: Identity, *, checks_now: bool) -> Started:
    """Create the host, and request its first check if it has targets or the caller waits.

    Raises Invalid or NameTaken, and a Problem if `who` may not create a part of it.
    """
    with writing() as session:
        return create(session, body, who, checks_now=checks_now)


def create(session: Session, body: HostIn, who: Identity, *, checks_now: bool) -> Started:
    """Do what `begin` does in a transaction of the caller."""
    message = "is the machine that Assay runs on, which is the administrator's"
    error = FieldError("connection", message, "Use ssh, or ask an administrator.", body.connection)
    require_administrator(who, body.connection, "host", "create", error)
    fields = resolved(session, body.model_dump(exclude=_APART))
    _check_sources(session, body)
    new = body.new_credential
    if new is not None:
        message = "creates a credential, which only administrators do"
        remedy = "Give the name of a credential that exists as `credential`."
        error = FieldError("new_credential", message, remedy, new.name)
        require(who, "credential.create", errors=[error])
        with nested_in("new_credential"):
            fields["credential_id"] = create_credential(session, new, who).id
    check_complete(body.connection, body.address, body.user, fields["credential_id"])
    keys = expected_keys(body.address or "", body.port, body.fingerprint, body.known_hosts)
    host = Host(**fields, expected_keys=[key.model_dump() for key in keys])
    check_credential(session, host.credential_id)
    check_jump_host(session, host.jump_host_id)
    check_name(session, host.name)
    session.add(host)
    session.flush()
    put_labels(session, HostLabel, host.id, body.labels)
    known = {"expected_keys": host.expected_keys} if keys else {}
    record(session, who, "host.created", f"host {host.id} {host.name}", **fields, **known)
    check_id = None
    if checks_now or body.targets:
        request = _request(session, host, body.targets, who)
        check_id = checks.ask(session, host.id, "host", request).id
    announce(f"host:{host.id}", after=session)
    return Started(
        host_id=host.id,
        check_id=check_id,
        new_credential_id=host.credential_id if new else None,
        key_field="fingerprint" if body.fingerprint else "known_hosts",
        has_targets=bool(body.targets),
    )


def _check_sources(session: Session, body: HostIn) -> None:
    """Raise Invalid for a key where there is none, and for targets that cannot be inspected."""
    given = "fingerprint" if body.fingerprint else "known_hosts" if body.known_hosts else None
    if body.connection == "local":
        if given:
            raise Invalid([FieldError(given, "is only for SSH", "Omit it.")])
        for field in ("new_credential", "jump_host_id", "jump_host"):
            if getattr(body, field) is not None:
                raise Invalid([FieldError(field, "is only for SSH", "Omit it.")])
    elif body.targets and given is None and not Trust(session).of(body.address or "", body.port):
        message = "is required with targets: nothing logs in before the host's key is approved"
        remedy = "Give the key's fingerprint, or register the targets after its approval."
        raise Invalid([FieldError("fingerprint", message, remedy)])
    for position, target in enumerate(body.targets):
        first = next(n for n, other in enumerate(body.targets) if other.path == target.path)
        if first < position:
            message = f"is the same as targets.{first}.path"
            field = f"targets.{position}.path"
            raise Invalid([FieldError(field, message, "Give each directory once.", target.path)])


def _request(
    session: Session, host: Host, wanted: list[NewTarget], who: Identity
) -> dict[str, Any]:
    """Return the request of the first check: the targets, and who registers them."""
    if not wanted:
        return {}
    bodies: list[dict[str, Any]] = []
    for position, target in enumerate(wanted):
        body = TargetIn(host_id=host.id, **target.model_dump())
        with nested_in(f"targets.{position}"):
            targets.check_place(who, host.connection, body.path)
            body = targets.resolved(session, body)
            targets.array_exists(session, body.array_id)
        bodies.append(body.model_dump(mode="json"))
    return {"targets": bodies, "by": asdict(who)}


def wanted_targets(request: dict[str, Any]) -> list[TargetIn]:
    """Return the targets that a host's check registers."""
    return [TargetIn.model_validate(body) for body in request.get("targets", [])]


def register_targets(
    session: Session, request: dict[str, Any], found: list[dict[str, Any]]
) -> None:
    """Register the targets of a check's request from the facts about each; raises Problem."""
    for position, (body, facts) in enumerate(zip(wanted_targets(request), found, strict=True)):
        with nested_in(f"targets.{position}"):
            targets.register(session, body, facts, Identity(**request["by"]))


def withdraw(started: Started, check: Check, who: Identity) -> NoReturn:
    """Delete what a rejected registration created, and raise RegistrationRefused."""
    error = check.error or {}
    with writing() as session:
        host = session.get(Host, started.host_id, with_for_update=True)
        if host is not None:
            what = f"host {host.id} {host.name}"
            delete(session, host)
            record(session, who, "host.registration_refused", what, reason=error["title"])
        if started.new_credential_id is not None:
            credential = session.get(Credential, started.new_credential_id)
            if credential is not None:
                what = f"credential {credential.id} {credential.name}"
                session.delete(credential)
                record(session, who, "credential.deleted", what)
        announce(f"host:{started.host_id}", after=session)
    field = error.get("field") or _FIELDS.get(error["code"], "address")
    if error["code"] == KEY_MISMATCH:
        field = started.key_field
    if field == "credential_id" and started.new_credential_id is not None:
        field = "new_credential"
    raise RegistrationRefused(error, field)
