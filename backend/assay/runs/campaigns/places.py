"""The targets and hosts of a plan as last inspected, with their problems and warnings.

Also whether the other host that reads test files back can see the files of a campaign.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sqlalchemy import SQLColumnExpression, case, func, select
from sqlalchemy.orm import Session, joinedload

from assay.analysis.statuses import COUNTED
from assay.analysis.too_short import LEAST_NS
from assay.base.field_errors import FieldError
from assay.inventory.hosts import lifecycle
from assay.inventory.hosts.queries import newest_inventory
from assay.inventory.targets.acceptance import UNPROVABLE_KINDS
from assay.inventory.targets.free_space import free_space
from assay.inventory.targets.reserve import reserve_bytes
from assay.kinds.planning import Caution, FieldName, Place, PlannedRun
from assay.kinds.registry import Test
from assay.runs.campaigns.schemas import CampaignPlan, TransferEnd
from assay.runs.scheduling.resources import file_systems, machine_resource, resources
from assay.runs.tools import queries as tools
from assay.tables.hosts import Host, Inventory
from assay.tables.runs import Attempt, Participant
from assay.tables.targets import Target

USABLE = frozenset({lifecycle.READY, lifecycle.UNREACHABLE, lifecycle.ERROR})
"""An unreachable host may come back; a host without an approved key is never contacted."""

SERIALIZED = "their tests run one at a time"

_SHARED = (
    "their rates add up to that of what they share, and each disturbs the other; one directory on "
    "each device is enough"
)


@dataclass
class Places:
    """The places of a plan, and the problems of those that cannot be used.

    `sources` and `sinks` are the ends of its transfers.
    """

    places: list[Place] = field(default_factory=list[Place])
    sources: list[Place] = field(default_factory=list[Place])
    sinks: list[Place] = field(default_factory=list[Place])
    problems: list[FieldError] = field(default_factory=list[FieldError])
    cautions: list[Caution] = field(default_factory=list[Caution])
    deleting: bool = False

    @property
    def all(self) -> list[Place]:
        """The targets and the ends of transfers."""
        return [*self.places, *self.sources, *self.sinks]


def find_places(session: Session, plan: CampaignPlan, *, lock: bool = False) -> Places:
    """Return the places in the given order; with `lock`, hosts are locked until the commit."""
    found, ends = Places(), [*plan.sources, *plan.sinks]
    target_ids = [*plan.target_ids, *(one.target_id for one in ends if one.target_id is not None)]
    host_ids = [one.host_id for one in ends if one.host_id is not None]
    if lock:
        of_targets = select(Target.host_id).where(Target.id.in_(target_ids))
        chosen = Host.id.in_(of_targets) | Host.id.in_(host_ids)
        session.execute(select(Host.id).where(chosen).order_by(Host.id).with_for_update())
    targets = _targets(session, target_ids)
    hosts = {one.id: one for one in session.scalars(select(Host).where(Host.id.in_(host_ids)))}
    _find_targets(session, found, plan.target_ids, targets)
    looked_up = _Ends(session, targets, hosts)
    known = tools.definitions(session)
    for side, wanted, places in (
        ("sources", plan.sources, found.sources),
        ("sinks", plan.sinks, found.sinks),
    ):
        for position, end in enumerate(wanted):
            place = looked_up.find(found, f"{side}.{position}", end)
            if place is not None:
                places.append(replace(place, tools=known))
    if plan.arrangement == "mesh":
        found.sinks = found.sources
    reached = {one.id: one for one in (*hosts.values(), *(one.host for one in targets.values()))}
    together = plan.together or plan.scale_out or bool(ends and plan.arrangement == "together")
    _find_collisions(session, found, reached, together=together)
    return found


def _find_targets(
    session: Session, found: Places, target_ids: Sequence[int], targets: Mapping[int, Target]
) -> None:
    for position, target_id in enumerate(target_ids):
        name, target = f"target_ids.{position}", targets.get(target_id)
        if target_ids.index(target_id) != position:
            found.problems.append(
                FieldError(name, "is named more than once", "Name each once.", target_id)
            )
        elif target is None:
            found.problems.append(
                FieldError(name, "there is no such target", "Select an existing target.", target_id)
            )
        else:
            _check_host(found, name, target.host, "Choose another target.", target.id)
            found.places.append(_place(session, target))


class _Ends:
    """Looks up the ends of transfers among the targets and hosts that a plan names."""

    def __init__(
        self, session: Session, targets: Mapping[int, Target], hosts: Mapping[int, Host]
    ) -> None:
        """Use these targets and hosts, each by its id."""
        self._session, self._targets, self._hosts = session, targets, hosts

    def find(self, found: Places, name: str, end: TransferEnd) -> Place | None:
        """Return the place of the end `name`, or add the problem that it does not exist."""
        if end.target_id is not None:
            target = self._targets.get(end.target_id)
            if target is not None:
                remedy = "Choose another target."
                _check_host(found, f"{name}.target_id", target.host, remedy, target.id)
                return _place(self._session, target)
            kind, wanted = "target", end.target_id
        else:
            host = self._hosts.get(end.host_id or 0)
            if host is not None:
                _check_host(found, f"{name}.host_id", host, "Choose another host.", host.id)
                return _memory(self._session, host)
            kind, wanted = "host", end.host_id
        message, remedy = f"there is no such {kind}", f"Select an existing {kind}."
        found.problems.append(FieldError(f"{name}.{kind}_id", message, remedy, wanted))
        return None


def _targets(session: Session, ids: Sequence[int]) -> dict[int, Target]:
    """Return the targets by id; a retired one only if its host is being deleted."""
    chosen = (
        select(Target)
        .where(Target.id.in_(ids))
        .options(joinedload(Target.host), joinedload(Target.array))
    )
    return {
        target.id: target
        for target in session.scalars(chosen)
        if target.retired_at is None or target.host.state == lifecycle.DELETING
    }


def _check_host(found: Places, name: str, host: Host, other: str, value: int) -> None:
    """Add the problem that a host cannot be used; `other` is the remedy if it is being deleted."""
    if host.state == lifecycle.DELETING:
        found.deleting = True
        found.problems.append(FieldError(name, "its host is being deleted", other, value))
    elif host.state not in USABLE:
        why, remedy = lifecycle.NOT_READY[host.state]
        found.problems.append(FieldError(name, f"its host '{host.name}' {why}", remedy, value))
    elif host.state != lifecycle.READY:
        caution = Caution(
            "host_not_reached",
            f"{host.name} could not be reached at the last check; its runs will wait.",
        )
        if caution not in found.cautions:  # a host may be at several ends
            found.cautions.append(caution)


def _place(session: Session, target: Target) -> Place:
    inventory = newest_inventory(session, target.host_id)
    facts, space = target.facts, free_space(target, inventory)
    return Place(
        target_id=target.id,
        host_id=target.host_id,
        host_name=target.host.name,
        path=target.path,
        fs_type=target.fs_type,
        provable=facts.get("kind") not in UNPROVABLE_KINDS,
        free_bytes=space.free_bytes,
        free_at=space.seen_at,
        size_bytes=space.size_bytes,
        free_inodes=facts.get("free_inodes"),
        reserve_bytes=reserve_bytes(target.reserve_bytes, space.size_bytes),
        **_machine(inventory),
        direct=facts["direct"],
        alignment=facts.get("alignment_bytes"),
        array_id=target.array_id,
        array_name=target.array.name if target.array else None,
        array_cache_bytes=target.array.cache_bytes if target.array else None,
        array_identity=target.array.identity if target.array else None,
        best_write_bytes_per_s=_best_bytes_per_s(session, target.id, "writer", Attempt.app_ns),
        best_durable_bytes_per_s=_best_bytes_per_s(
            session, target.id, "writer", func.coalesce(Attempt.durable_ns, Attempt.app_ns)
        ),
        best_read_bytes_per_s=_best_bytes_per_s(session, target.id, "reader", Attempt.app_ns),
        devices=target.devices,
        file_systems=file_systems(target.host, target),
        needs=resources(target.host, target, target.array),
        ip_version=_ip_version(target.host),
    )


def _memory(session: Session, host: Host) -> Place:
    """Return the memory of a host, in which no files are written."""
    return Place(
        target_id=None,
        host_id=host.id,
        host_name=host.name,
        path=None,
        fs_type="memory",
        provable=True,
        free_bytes=0,
        free_at=None,
        reserve_bytes=0,
        **_machine(newest_inventory(session, host.id)),
        direct="refused",
        alignment=None,
        needs=resources(host, None, None),
        ip_version=_ip_version(host),
    )


def _ip_version(host: Host) -> Literal["ipv4", "ipv6"] | None:
    if host.address is None:
        return None
    return "ipv6" if ":" in host.address else "ipv4"


def _machine(inventory: Inventory | None) -> dict[str, Any]:
    """Return the fields of a place that its host's newest inventory gives."""
    body: dict[str, Any] = inventory.body if inventory else {}
    cpus: dict[str, Any] = body.get("cpus") or {}
    return {
        "ram": body.get("mem_limit_bytes") or body.get("mem_total_bytes"),
        "cpus": cpus.get("count"),
        "io_uring_refused": _io_uring_refused(body),
    }


def _io_uring_refused(body: dict[str, Any]) -> str | None:
    """Return why a host does not permit io_uring; None if it does, or is not inspected yet."""
    found: dict[str, Any] = body.get("io_uring", {"available": True})
    return None if found["available"] else found["reason"]


def _best_bytes_per_s(
    session: Session, target_id: int, role: str, took_ns: SQLColumnExpression[Any]
) -> float | None:
    """Return the highest rate of the trials on the target that count, in bytes per second.

    Trials that are too short count only if there are no others: the burst of a throttle or a cache
    is not a sustained rate.
    """
    rate = Attempt.bytes * 1e9 / took_ns
    told, any_at_all = session.execute(
        select(func.max(case((took_ns >= LEAST_NS, rate))), func.max(rate))
        .join(Participant, Participant.id == Attempt.participant_id)
        .where(
            Participant.target_id == target_id,
            Participant.role == role,
            Attempt.status.in_(COUNTED),
            took_ns > 0,
        )
    ).one()
    best = told or any_at_all
    return float(best) if best else None


def _find_collisions(
    session: Session, found: Places, hosts: Mapping[int, Host], *, together: bool
) -> None:
    """Warn of places on the same machine or device, and of cloned machine-ids."""
    machines = {host.machine_id for host in hosts.values() if host.machine_id}
    twins: defaultdict[str, list[Host]] = defaultdict(list)
    for host in session.scalars(
        select(Host)
        .where(Host.machine_id.in_(machines), Host.state != lifecycle.DELETING)
        .order_by(Host.name)
    ):
        twins[host.machine_id or ""].append(host)
    for alike in twins.values():
        boots = {host.boot_id for host in alike}
        listed = " and ".join(host.name for host in alike)
        if len(alike) > 1 and len(boots) == 1:
            effect = "they share its CPUs and disks" if together else SERIALIZED
            found.cautions.append(
                Caution("one_machine", f"{listed} are the same machine: {effect}.")
            )
        elif len(alike) > 1:
            found.cautions.append(
                Caution(
                    "cloned_machine_id",
                    f"{listed} have the same machine-id but different boot ids: either one is a "
                    "clone of the other, or one was rebooted since its last check. Check both; "
                    "each clone needs its own machine-id (systemd-machine-id-setup).",
                )
            )
    _find_shared_devices(found, together=together)


def _find_shared_devices(found: Places, *, together: bool) -> None:
    """Warn of targets on one device: of several hosts, or of one side of transfers at once.

    Without a known device, directories of one file system share what is below it.
    """
    at: defaultdict[str, list[Place]] = defaultdict(list)
    for place in dict.fromkeys(found.all):
        devices = [one for one in place.needs if one.startswith("device:")]
        for resource in devices or sorted(place.file_systems):
            at[resource].append(place)
    shared: defaultdict[tuple[Place, ...], list[str]] = defaultdict(list)
    for resource, places in at.items():
        names = shared[tuple(places)]
        name = places[0].needs.get(resource, f"one file system ({places[0].fs_type})")
        names += [name] if name not in names else []
    for places, devices in shared.items():
        beside = together and any(
            sum(place in side for place in places) > 1 for side in (found.sources, found.sinks)
        )
        if beside or len({place.host_id for place in places}) > 1:
            listed = " and ".join(place.name for place in places)
            device = " and ".join(devices)
            effect = _SHARED if together else SERIALIZED
            found.cautions.append(Caution("one_device", f"{listed} share {device}: {effect}."))


FIELD = "read_back_target_id"

SHARED = frozenset({"network", "parallel"})
"""Kinds of file systems that several hosts can mount; of others the UUID has to be the same."""

CHOOSE = "Choose a target of another host: the same directory of the shared file system."


def read_back_problems(
    session: Session,
    target_id: int | None,
    tests: Sequence[Test],
    parts: Sequence[PlannedRun],
    name: FieldName,
) -> Iterator[FieldError]:
    """Yield why a target cannot be used to read the files of the tests back.

    `parts` are their plans, without those of tests that cannot be planned. Whether it really is the
    same directory shows when the files are opened there.
    """
    needing = [number for number, test in enumerate(tests) if test.reads_back_elsewhere]
    if target_id is None:
        if needing:
            field = name(needing[0], "read_back")
            message = 'is "other_host", but no target of another host is named'
            yield FieldError(field, message, f"Give `{FIELD}`, or use another value.", "other_host")
        return
    if not needing:
        message = 'is given, but no test has `read_back` "other_host"'
        yield FieldError(FIELD, message, "Omit it, or set `read_back`.", target_id)
        return
    target = session.scalar(
        select(Target)
        .where(Target.id == target_id, Target.retired_at.is_(None))
        .options(joinedload(Target.host))
    )
    if target is None:
        yield FieldError(FIELD, "there is no such target", CHOOSE, target_id)
        return
    if target.host.state not in USABLE:
        why, remedy = lifecycle.NOT_READY.get(
            target.host.state, ("is being deleted", "Choose another target.")
        )
        yield FieldError(FIELD, f"its host '{target.host.name}' {why}", remedy, target_id)
    written = {part.place.target_id for part in parts if part.read_back_elsewhere}
    places = session.scalars(
        select(Target).where(Target.id.in_(written)).options(joinedload(Target.host))
    ).all()
    for place in sorted(places, key=lambda one: one.id):
        if why := _why_apart(place, target):
            yield FieldError(FIELD, why, CHOOSE, target_id)
            return


def _why_apart(place: Target, reader: Target) -> str | None:
    """Return why the reader does not see the place's files as another host would; else None."""
    if place.host_id == reader.host_id:
        return f"is on '{place.host.name}', which writes the files itself"
    machine = machine_resource(place.host.machine_id, place.host.boot_id)
    if machine and machine == machine_resource(reader.host.machine_id, reader.host.boot_id):
        return (
            f"is on '{reader.host.name}', which is the same machine as '{place.host.name}', which "
            "writes the files"
        )
    kinds = {place.facts.get("kind"), reader.facts.get("kind")}
    if len(kinds) == 1 and kinds <= SHARED:
        return None  # one server has many names
    if place.fs_uuid and place.fs_uuid == reader.fs_uuid:
        return None
    return (
        f"is on {_named(reader)} of '{reader.host.name}', and the files are on {_named(place)} of "
        f"'{place.host.name}': that is not one shared file system"
    )


def _named(target: Target) -> str:
    return f"{target.fs_type} {target.fs_source}"


def read_back_spot(session: Session, target_id: int | None) -> dict[tuple[int, int | None], str]:
    """Return the host and target of another host that reads files back, with its name; or none."""
    if target_id is None:
        return {}
    target = session.get_one(Target, target_id, options=[joinedload(Target.host)])
    return {(target.host_id, target.id): f"{target.host.name} {target.path}"}
