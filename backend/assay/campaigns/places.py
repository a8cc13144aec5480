"""The places that a plan names, as they were when they were last looked at."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload

from assay.campaigns.cautions import Caution
from assay.campaigns.planned import Place
from assay.field_errors import FieldError
from assay.hosts import lifecycle
from assay.hosts.models import Host
from assay.hosts.queries import newest_inventory
from assay.runs.models import Attempt, Participant, Run
from assay.targets.free_space import free_space
from assay.targets.models import Target
from assay.targets.reserve import reserve_bytes

USABLE = frozenset({lifecycle.READY, lifecycle.UNREACHABLE, lifecycle.ERROR})
"""A host that can not be reached may come back; one whose key is not approved is not touched."""


@dataclass
class Places:
    """The places of a plan, and what is wrong with those that can not be used."""

    places: list[Place] = field(default_factory=list[Place])
    problems: list[FieldError] = field(default_factory=list[FieldError])
    cautions: list[Caution] = field(default_factory=list[Caution])
    deleting: bool = False


def find_places(session: Session, target_ids: Sequence[int], *, lock: bool = False) -> Places:
    """The places in the given order; with `lock`, no host changes its state before the commit."""
    found = Places()
    if lock:
        hosts = select(Target.host_id).where(Target.id.in_(target_ids))
        session.execute(
            select(Host.id).where(Host.id.in_(hosts)).order_by(Host.id).with_for_update()
        )
    targets = _targets(session, target_ids)
    for position, target_id in enumerate(target_ids):
        name, target = f"target_ids.{position}", targets.get(target_id)
        if target_ids.index(target_id) != position:
            found.problems.append(
                FieldError(name, "is named more than once", "Name each once.", target_id)
            )
        elif target is None:
            found.problems.append(
                FieldError(name, "there is no such target", "Choose one.", target_id)
            )
        else:
            _judge_host(found, name, target)
            found.places.append(_place(session, target))
    _find_twins(found, list(targets.values()))
    return found


def _targets(session: Session, ids: Sequence[int]) -> dict[int, Target]:
    """The targets by id; a retired one only where its host's deletion is the reason."""
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


def _judge_host(found: Places, name: str, target: Target) -> None:
    host = target.host
    if host.state == lifecycle.DELETING:
        found.deleting = True
        found.problems.append(
            FieldError(name, "its host is being deleted", "Choose another target.", target.id)
        )
    elif host.state not in USABLE:
        why, remedy = lifecycle.NOT_READY[host.state]
        found.problems.append(FieldError(name, f"its host '{host.name}' {why}", remedy, target.id))
    elif host.state != lifecycle.READY:
        found.cautions.append(
            Caution(
                "host_not_reached",
                f"{host.name} could not be reached at the newest check; its runs will wait.",
            )
        )


def _place(session: Session, target: Target) -> Place:
    inventory = newest_inventory(session, target.host_id)
    body: dict[str, Any] = inventory.body if inventory else {}
    cpus: dict[str, Any] = body.get("cpus") or {}
    facts, space = target.facts, free_space(target, inventory)
    return Place(
        target_id=target.id,
        host_id=target.host_id,
        host_name=target.host.name,
        path=target.path,
        fs_type=target.fs_type,
        kind=facts.get("kind"),
        free_bytes=space.free_bytes,
        free_at=space.seen_at,
        reserve_bytes=reserve_bytes(target.reserve_bytes, space.size_bytes),
        ram=body.get("mem_limit") or body.get("mem_total"),
        cpus=cpus.get("count"),
        direct=facts["direct"],
        alignment=facts.get("alignment"),
        array_name=target.array.name if target.array else None,
        array_cache_bytes=target.array.cache_bytes if target.array else None,
        best_write_bps=_best_bps(session, target.id, "write"),
        best_read_bps=_best_bps(session, target.id, "read"),
        shared_file_system=_shared_file_system(target),
        shared_array_id=target.array_id if target.array and target.array.shared else None,
    )


def _shared_file_system(target: Target) -> str | None:
    """What names the target's file system on every host that reaches it, if others do.

    The source of a network file system names its server; where it does not (a device of a virtual
    machine), and on local disks, the same name or UUID on two hosts may be that of two copies.
    """
    match target.facts.get("kind"):
        case "parallel":
            return target.fs_uuid or target.fs_source
        case "network" if ":" in target.fs_source or target.fs_source.startswith("//"):
            return target.fs_source
        case _:
            return None


def _best_bps(session: Session, target_id: int, kind: str) -> float | None:
    """The highest application rate of any complete trial on the target, bytes per second."""
    best = session.scalar(
        select(func.max(Attempt.bytes * 1e9 / Attempt.app_ns))
        .join(Participant, Participant.id == Attempt.participant_id)
        .join(Run, Run.id == Participant.run_id)
        .where(
            Participant.target_id == target_id,
            Run.kind == kind,
            Attempt.status == "complete",
            Attempt.app_ns > 0,
        )
    )
    return float(best) if best else None


def _find_twins(found: Places, targets: Sequence[Target]) -> None:
    """Targets of two host entries that are one machine would measure each other."""
    names: dict[str, set[str]] = {}
    for target in targets:
        if target.host.machine_id:
            names.setdefault(target.host.machine_id, set()).add(target.host.name)
    for hosts in names.values():
        if len(hosts) > 1:
            listed = " and ".join(sorted(hosts))
            found.cautions.append(
                Caution("one_machine", f"{listed} are one machine: their runs would collide.")
            )
