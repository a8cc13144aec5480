"""Queries for hosts and their related rows, in a fixed number of statements."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from assay.base.errors import NotFound
from assay.base.etags import etag
from assay.base.filters import has_words
from assay.base.names import Known, slug
from assay.base.words import span
from assay.inventory.authorities.trust import Trust
from assay.inventory.credentials import certificates
from assay.inventory.credentials.schemas import HostName
from assay.inventory.hosts import lifecycle
from assay.inventory.hosts.keys import shown
from assay.inventory.hosts.schemas import (
    EDITABLE,
    CheckOut,
    Failure,
    HostOut,
    HostSummary,
    HostTarget,
)
from assay.inventory.labels import ON_HOST, labels_of
from assay.inventory.targets.free_space import free_space
from assay.tables.clock import now
from assay.tables.credentials import Credential
from assay.tables.hosts import CLOCK_AHEAD, Check, Host, Inventory
from assay.tables.labels import HostLabel
from assay.tables.runs import Reservation
from assay.tables.targets import Target

CLOCK_DIFFERS_NS = 2_000_000_000
"""Synchronized clocks differ by milliseconds."""


@dataclass
class _Belongings:
    check: Check | None = None
    inventory: Inventory | None = None
    busy_run_id: int | None = None
    jump_host: HostName | None = None
    host_authority: str | None = None
    targets: list[HostTarget] = field(default_factory=list[HostTarget])
    warnings: list[str] = field(default_factory=list[str])
    labels: dict[str, str] = field(default_factory=dict[str, str])


def find(session: Session, host_id: int, *, lock: bool = False) -> Host:
    """Return the host or raise NotFound; `lock` locks its row until the commit."""
    host = session.get(Host, host_id, with_for_update=lock or None)
    if host is None:
        raise NotFound("host", host_id)
    return host


def living(session: Session, host_id: int) -> Host:
    """Return the locked host; raises NotFound also for a deleted host that keeps its results."""
    host = find(session, host_id, lock=True)
    if host.state == lifecycle.DELETING:
        raise NotFound("host", host_id)
    return host


def listed(
    host_id: int | None, states: Sequence[str], array_id: int | None, words: str
) -> Select[Host]:
    """Return the hosts that match all of the given filters, without deleted ones."""
    found = select(Host).where(Host.state != lifecycle.DELETING)
    if host_id is not None:
        found = found.where(Host.id == host_id)
    if states:
        found = found.where(Host.state.in_(states))
    if array_id is not None:
        of_array = (Target.array_id == array_id, Target.retired_at.is_(None))
        found = found.where(Host.id.in_(select(Target.host_id).where(*of_array)))
    return found.where(has_words(words, Host.name, Host.address, beside=ON_HOST))


def names(session: Session) -> Known:
    """Return name and slug of each host that is not being deleted."""
    rows = session.execute(select(Host.id, Host.name).where(Host.state != lifecycle.DELETING))
    return Known("host", "hosts", {number: (name, slug(name)) for number, name in rows})


def tag(host: Host, labels: Mapping[str, str]) -> str:
    """Return the entity tag of what a user edits."""
    return etag(host, EDITABLE, labels)


def current_tag(session: Session, host: Host) -> str:
    """Return the entity tag, with the labels as they are stored."""
    return tag(host, labels_of(session, HostLabel, [host.id])[host.id])


def one(session: Session, host_id: int) -> HostOut:
    """Return one host as an API type."""
    return shapes(session, [find(session, host_id)])[0]


def newest_inventory(session: Session, host_id: int) -> Inventory | None:
    """Return the host's newest inventory, if any."""
    return session.scalar(
        select(Inventory).where(Inventory.host_id == host_id).order_by(Inventory.id.desc()).limit(1)
    )


def newest_inventories(session: Session, host_ids: Iterable[int]) -> dict[int, Inventory]:
    """Return the newest inventory of each host, by host id."""
    newest = (
        select(func.max(Inventory.id))
        .where(Inventory.host_id.in_(set(host_ids)))
        .group_by(Inventory.host_id)
    )
    found = session.scalars(select(Inventory).where(Inventory.id.in_(newest)))
    return {inventory.host_id: inventory for inventory in found}


def shapes(session: Session, hosts: Sequence[Host]) -> list[HostOut]:
    """Return hosts as API types."""
    belongings = _belongings(session, hosts)
    return [_shape(host, belongings[host.id]) for host in hosts]


def _belongings(session: Session, hosts: Sequence[Host]) -> defaultdict[int, _Belongings]:
    found: defaultdict[int, _Belongings] = defaultdict(_Belongings)
    ids = [host.id for host in hosts]
    newest_checks = (
        select(func.max(Check.id))
        .where(Check.host_id.in_(ids), Check.kind == "host")
        .group_by(Check.host_id)
    )
    for check in session.scalars(select(Check).where(Check.id.in_(newest_checks))):
        found[check.host_id].check = check
    for host_id, inventory in newest_inventories(session, ids).items():
        found[host_id].inventory = inventory
    resources = {f"host:{host_id}": host_id for host_id in ids}
    for reservation in session.scalars(
        select(Reservation).where(Reservation.resource.in_(resources))
    ):
        found[resources[reservation.resource]].busy_run_id = reservation.run_id
    for target in session.scalars(
        select(Target)
        .where(Target.host_id.in_(ids), Target.retired_at.is_(None))
        .order_by(Target.name, Target.id)
    ):
        found[target.host_id].targets.append(
            HostTarget(
                id=target.id,
                path=target.path,
                name=target.name,
                free_bytes=free_space(target, found[target.host_id].inventory).free_bytes,
            )
        )
    for host_id, labels in labels_of(session, HostLabel, ids).items():
        found[host_id].labels = labels
    _find_jump_hosts(session, hosts, found)
    _find_certificates(session, hosts, found)
    _find_authorities(session, hosts, found)
    _find_twins(session, hosts, found)
    for one in found.values():
        _doubt_clock(one)
    return found


def _find_jump_hosts(
    session: Session, hosts: Sequence[Host], found: defaultdict[int, _Belongings]
) -> None:
    wanted = {host.jump_host_id for host in hosts if host.jump_host_id is not None}
    if not wanted:
        return
    rows = session.execute(select(Host.id, Host.name).where(Host.id.in_(wanted)))
    names = {number: HostName(id=number, name=name) for number, name in rows}
    for host in hosts:
        if host.jump_host_id is not None:
            found[host.id].jump_host = names[host.jump_host_id]


def _find_authorities(
    session: Session, hosts: Sequence[Host], found: defaultdict[int, _Belongings]
) -> None:
    """Find the authorities by which hosts without an approved key are trusted."""
    unapproved = [
        host
        for host in hosts
        if host.connection == "ssh" and host.approved_key is None and not host.expected_keys
    ]
    if not unapproved:
        return
    trust = Trust(session)
    for host in unapproved:
        if by := trust.of(host.address or "", host.port):
            found[host.id].host_authority = ", ".join(by.names)


def _find_certificates(
    session: Session, hosts: Sequence[Host], found: defaultdict[int, _Belongings]
) -> None:
    """Return the problems of the certificates with which Assay logs in to hosts."""
    used = {host.credential_id for host in hosts if host.credential_id is not None}
    rows = session.execute(
        select(Credential.id, Credential.name, Credential.certificate).where(
            Credential.id.in_(used), Credential.certificate.is_not(None)
        )
    )
    known = {number: (name, certificates.shown(line)) for number, name, line in rows if line}
    if not known:
        return
    present = now(session)
    for host in hosts:
        name, certificate = known.get(host.credential_id or 0, ("", None))
        for doubt in certificates.doubts(certificate, host.user, present) if certificate else []:
            found[host.id].warnings.append(f"Credential '{name}': {doubt}")


def _doubt_clock(found: _Belongings) -> None:
    """Warn of a wall clock that differs from Assay's: times of trials and notices are its."""
    ahead_ns: int = found.inventory.body.get(CLOCK_AHEAD, 0) if found.inventory else 0
    if abs(ahead_ns) >= CLOCK_DIFFERS_NS:
        seconds = round(abs(ahead_ns) / 1e9)
        by = f"{span(seconds * 10**9)} {'ahead of' if ahead_ns > 0 else 'behind'}"
        found.warnings.append(
            f"The host's clock is {by} Assay's: the times of its trials and notices differ by as "
            "much from Assay's. Synchronize both clocks, for example with chrony, and check the "
            "host again."
        )


def _find_twins(
    session: Session, hosts: Sequence[Host], found: defaultdict[int, _Belongings]
) -> None:
    """Find host entries of the same machine: their runs could disturb each other."""
    machines = {host.machine_id for host in hosts if host.machine_id}
    others: defaultdict[str, list[Host]] = defaultdict(list)
    for host in session.scalars(
        select(Host).where(Host.machine_id.in_(machines), Host.state != lifecycle.DELETING)
    ):
        others[host.machine_id or ""].append(host)
    for host in hosts:
        twins = others.get(host.machine_id or "", [])
        found[host.id].warnings += [_warning(host, twin) for twin in twins if twin.id != host.id]


def _warning(host: Host, twin: Host) -> str:
    if twin.boot_id == host.boot_id:
        return (
            f"This is the same machine as '{twin.name}' (same machine-id and boot id): runs on "
            "the two do not overlap."
        )
    return (
        f"'{twin.name}' has the same machine-id but a different boot id: one is a clone of the "
        "other, or one was rebooted after its last check. Check both; each clone needs its own "
        "machine-id (systemd-machine-id-setup)."
    )


def _shape(host: Host, has: _Belongings) -> HostOut:
    return HostOut.model_validate(
        {
            "id": host.id,
            "name": host.name,
            "connection": host.connection,
            "address": host.address,
            "port": host.port,
            "user": host.user,
            "credential_id": host.credential_id,
            "jump_host_id": host.jump_host_id,
            "jump_host": has.jump_host,
            "probe_dir": host.probe_dir,
            "state": host.state,
            "state_reason": host.state_reason,
            "host_key": shown(host.approved_key),
            "offered_key": shown(host.offered_key),
            "expected_keys": host.expected_keys,
            "host_authority": has.host_authority,
            "machine_id": host.machine_id,
            "last_checked_at": host.last_checked_at,
            "last_seen_at": host.last_seen_at,
            "check": shape_check(has.check) if has.check else None,
            "summary": HostSummary.of(has.inventory.body) if has.inventory else None,
            "busy_run_id": has.busy_run_id,
            "targets": has.targets,
            "warnings": has.warnings,
            "labels": has.labels,
            "reference": host.reference,
            "managed_by": host.managed_by,
            "etag": tag(host, has.labels),
        }
    )


def shape_check(check: Check) -> CheckOut:
    """Return a check as an API type."""
    return CheckOut.model_validate(
        {
            "id": check.id,
            "state": check.state,
            "step": check.step,
            "error": Failure.model_validate(check.error) if check.error else None,
            "started_at": check.started_at,
            "ended_at": check.ended_at,
        }
    )
