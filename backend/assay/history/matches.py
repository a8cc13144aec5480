"""Targets that may be the same storage as a deleted one, whose runs they then take over.

Equal ids are no proof, because clones have them; so a match is proposed, and a user decides.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, func, or_, select, update
from sqlalchemy.orm import Session, joinedload

from assay.accounts.audit import record
from assay.accounts.identity import Identity
from assay.history.schemas import EarlierTarget, Match, MatchReason
from assay.hosts.models import Host
from assay.http.errors import NotFound
from assay.messaging.changes import announce
from assay.runs.models import Participant, Run
from assay.runs.queries import shown
from assay.runs.schemas import HostRef, TargetRef
from assay.targets import queries as targets
from assay.targets.models import Target

_MOST_NAMED = 100
"""How many of the runs that a target takes over the audit log names."""


def proposed(session: Session, *, host_id: int | None, array_id: int | None) -> list[Match]:
    """Return the matches of all targets, or of those of a host or an array, to decide on.

    An earlier target is matched with those at its path if there are any.
    """
    earlier = session.scalars(_deleted()).all()
    measured = _measured(session, [one.id for one in earlier])
    living = session.scalars(targets.living().order_by(Target.id)).all()
    found: list[Match] = []
    for old in earlier:
        if old.id not in measured:
            continue
        alike = [
            (one, reasons)
            for one in living
            if (reasons := _reasons(one, old)) and old.id not in one.other_than
        ]
        at_its_path = [pair for pair in alike if pair[0].path == old.path]
        found += [
            _match(one, old, measured[old.id], reasons)
            for one, reasons in at_its_path or alike
            if host_id in (None, one.host_id)
            and array_id in (None, one.array_id, old.array_id if one.array_id is None else None)
        ]
    return found


def decide(session: Session, target_id: int, earlier_id: int, *, same: bool, who: Identity) -> int:
    """Store a decision; return the number of runs that now belong to the target because of it.

    Raises NotFound unless both exist and match; a repeated decision is accepted.
    """
    target = targets.find(session, target_id, lock=True)
    earlier = session.scalar(_deleted().where(Target.id == earlier_id))
    if earlier is None or not _reasons(target, earlier):
        raise NotFound("match", earlier_id)
    known = {*target.other_than} - {earlier_id}
    target.other_than = sorted(known if same else known | {earlier_id})
    moved = _take_over(session, target, earlier) if same else []
    record(
        session,
        who,
        "target.history_kept" if same else "target.history_declined",
        f"target {target.id} {target.path}",
        earlier=f"target {earlier.id} {earlier.host.name}:{earlier.path}",
        runs=len(moved),
        run_ids=moved[:_MOST_NAMED],
    )
    announce(f"host:{target.host_id}", after=session)
    return len(moved)


def _take_over(session: Session, target: Target, earlier: Target) -> list[int]:
    """Make the target that of the earlier one's participants; return the ids of their runs.

    On the same machine they become participants of its present host, with those that measured its
    memory. Runs whose array was deleted belong to the target's; one without an array takes over
    that of the earlier one.
    """
    of_earlier = Participant.target_id == earlier.id
    moved = session.scalars(select(Participant.run_id).where(of_earlier).distinct()).all()
    if target.array_id is None:
        target.array_id = earlier.array_id
    session.execute(
        update(Participant)
        .where(of_earlier, Participant.array_id.is_(None), Participant.array_name.is_not(None))
        .values(array_id=target.array_id)
    )
    session.execute(update(Participant).where(of_earlier).values(target_id=target.id))
    session.execute(
        update(Run)
        .where(Run.read_back_target_id == earlier.id)
        .values(read_back_target_id=target.id)
    )
    if _same_machine(target, earlier):
        of_host = Participant.host_id == earlier.host_id
        there = or_(Participant.target_id == target.id, Participant.target_id.is_(None))
        session.execute(update(Participant).where(of_host, there).values(host_id=target.host_id))
    return sorted(moved)


def _deleted() -> Select[Target]:
    return (
        select(Target)
        .where(Target.retired_at.is_not(None))
        .options(joinedload(Target.host), joinedload(Target.array))
        .order_by(Target.id)
    )


def _measured(session: Session, target_ids: Sequence[int]) -> dict[int, tuple[int, Any]]:
    """Return the number of a target's runs and when the newest was launched, by target."""
    rows = session.execute(
        select(
            Participant.target_id,
            func.count(Participant.run_id.distinct()),
            func.max(Run.created_at),
        )
        .join(Run, Run.id == Participant.run_id)
        .where(Participant.target_id.in_(target_ids), shown())
        .group_by(Participant.target_id)
    )
    return {target_id: (count, newest) for target_id, count, newest in rows if target_id}


def _reasons(target: Target, earlier: Target) -> list[MatchReason]:
    """Return why both may be the same storage; nothing if both were registered at a time."""
    found: list[MatchReason] = []
    if earlier.retired_at is None or target.created_at < earlier.retired_at:
        return found
    if target.fs_uuid is not None and target.fs_uuid == earlier.fs_uuid:
        found.append("file_system_uuid")
    if (ids := _device_ids(target)) and ids == _device_ids(earlier):
        found.append("device_id")
    if _same_machine(target, earlier) and target.path == earlier.path:
        found.append("machine_and_path")
    return found


def _device_ids(target: Target) -> set[str]:
    """Return the unique ids of the disks below a target; none unless all are known."""
    disks: list[dict[str, Any]] = target.facts.get("disks") or []
    ids = {disk.get("wwid") for disk in disks}
    return set() if None in ids else {str(one) for one in ids}


def _same_machine(target: Target, earlier: Target) -> bool:
    own: Host = target.host
    return own.machine_id is not None and own.machine_id == earlier.host.machine_id


def _match(
    target: Target, earlier: Target, measured: tuple[int, Any], reasons: list[MatchReason]
) -> Match:
    runs, last_run_at = measured
    return Match(
        host=HostRef(id=target.host.id, name=target.host.name),
        target=TargetRef(id=target.id, path=target.path, name=target.name),
        array_id=target.array_id,
        earlier=EarlierTarget(
            id=earlier.id,
            host=HostRef(id=earlier.host.id, name=earlier.host.name),
            path=earlier.path,
            array=earlier.array.name if earlier.array else None,
            runs=runs,
            last_run_at=last_run_at,
        ),
        reasons=reasons,
    )
