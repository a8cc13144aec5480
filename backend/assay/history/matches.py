"""What may have been registered again: the pairs to decide on, and the decisions so far.

Hosts, targets and arrays are paired by what identifies them. Equal identifiers are no proof,
because clones have them; so a pair is proposed, and a user decides.
"""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session, joinedload

from assay.base.states import MatchOf
from assay.history.schemas import EarlierPlace, Match, Matches, MatchReason, PastDecision
from assay.runs.queries import shown
from assay.tables.arrays import Array, DeletedArray
from assay.tables.history import HistoryDecision
from assay.tables.hosts import Host
from assay.tables.runs import Participant, Run
from assay.tables.targets import Target

_REASONS: Sequence[MatchReason] = get_args(MatchReason)

Key = tuple[MatchReason, Hashable]
"""An identifier that a clone may have as well."""


@dataclass(frozen=True)
class Registration:
    """A host, target or array, registered since a time and until another if it was deleted.

    Those with equal `storage` are entries for the same machine or file system, so neither is a
    clone of the other. Those of different known vendors are never the same.
    """

    of: MatchOf
    id: int
    name: str
    keys: frozenset[Key]
    since: datetime
    until: datetime | None
    storage: Hashable
    host_id: int | None = None
    path: str | None = None
    array_id: int | None = None
    array: str | None = None
    vendor: str | None = None


@dataclass(frozen=True)
class PossibleMatch:
    """A current registration and an earlier one that may be the same, and why.

    `clones` are names of others that have the same identifiers and were registered meanwhile.
    """

    current: Registration
    earlier: Registration
    reasons: tuple[MatchReason, ...]
    clones: tuple[str, ...]


def registrations(session: Session, of: MatchOf) -> list[Registration]:
    """Return all hosts, targets or arrays, the deleted ones at the end."""
    found = {"host": _hosts, "target": _targets, "array": _arrays}[of](session)
    return sorted(found, key=lambda one: (one.until is not None, one.id))


def pairs(
    of: Iterable[Registration], declined: Collection[tuple[int, int]] = frozenset()
) -> list[PossibleMatch]:
    """Return all pairs but the `declined` ones, by the deleted one.

    A deleted target is paired with those at its path if there are any.
    """
    by_key: defaultdict[Key, list[Registration]] = defaultdict(list)
    for one in of:
        for key in one.keys:
            by_key[key].append(one)
    deleted = {one.id: one for alike in by_key.values() for one in alike if one.until is not None}
    found: list[PossibleMatch] = []
    for _, earlier in sorted(deleted.items()):
        alike = {one.id: one for key in earlier.keys for one in by_key[key] if one.until is None}
        paired = [
            pair
            for _, one in sorted(alike.items())
            if (one.id, earlier.id) not in declined
            and (pair := _pair(one, earlier, by_key)) is not None
        ]
        at_its_path = [pair for pair in paired if pair.current.path == earlier.path]
        found += at_its_path or paired
    return found


def same_identifiers(current: Registration, earlier: Registration) -> bool:
    """Return whether both may be the same, since one was registered after the other's end."""
    if earlier.until is None or current.since < earlier.until:
        return False
    vendors = {one.vendor.casefold() for one in (current, earlier) if one.vendor}
    return len(vendors) < 2 and bool(current.keys & earlier.keys)


def _pair(
    current: Registration, earlier: Registration, by_key: dict[Key, list[Registration]]
) -> PossibleMatch | None:
    if not same_identifiers(current, earlier):
        return None
    shared = current.keys & earlier.keys
    reasons = {reason for reason, _ in shared}
    others = {(one.until is None, one.id): one for key in shared for one in by_key[key]}
    clones = [one.name for _, one in sorted(others.items()) if _is_clone(one, current, earlier)]
    return PossibleMatch(
        current, earlier, tuple(one for one in _REASONS if one in reasons), tuple(clones)
    )


def _is_clone(other: Registration, current: Registration, earlier: Registration) -> bool:
    """Return whether another one with their identifiers existed together with one of both.

    Then two of the three are different, although the identifiers are the same.
    """
    if other in (current, earlier):
        return False
    if other.until is None:
        return other.storage != current.storage
    ended = earlier.until or other.until
    together = other.since < ended and earlier.since < other.until
    return together and other.storage != earlier.storage


def _hosts(session: Session) -> Iterable[Registration]:
    """Yield hosts by machine id; entries of one machine have the same boot id, a clone its own."""
    for one in session.scalars(select(Host)):
        yield Registration(
            of="host",
            id=one.id,
            name=one.name,
            keys=frozenset[Key]({("machine_id", one.machine_id)} if one.machine_id else ()),
            since=one.created_at,
            until=one.retired_at,
            storage=one.boot_id or one.id,
            host_id=one.id,
        )


def _targets(session: Session) -> Iterable[Registration]:
    wanted = select(Target).options(joinedload(Target.host), joinedload(Target.array))
    for one in session.scalars(wanted):
        yield Registration(
            of="target",
            id=one.id,
            name=f"{one.host.name}:{one.path}",
            keys=frozenset(_target_keys(one)),
            since=one.created_at,
            until=one.retired_at,
            storage=(one.host_id, one.fs_source),
            host_id=one.host_id,
            path=one.path,
            array_id=one.array_id,
            array=one.array.name if one.array else None,
        )


def _target_keys(target: Target) -> Iterable[Key]:
    if target.fs_uuid is not None:
        yield "file_system_uuid", target.fs_uuid
    if ids := _device_ids(target):
        yield "device_id", ids
    if target.host.machine_id is not None:
        yield "machine_and_path", (target.host.machine_id, target.path)


def _device_ids(target: Target) -> frozenset[str]:
    """Return the unique ids of the disks below a target; none unless all are known."""
    disks: list[dict[str, Any]] = target.facts.get("disks") or []
    ids = {disk.get("wwid") for disk in disks}
    return frozenset() if None in ids else frozenset(str(one) for one in ids)


def _arrays(session: Session) -> Iterable[Registration]:
    for one in session.scalars(select(Array)):
        yield _array(one, None)
    for one in session.scalars(select(DeletedArray)):
        yield _array(one, one.deleted_at)


def _array(one: Array | DeletedArray, until: datetime | None) -> Registration:
    serial = (one.serial or "").strip().casefold()
    return Registration(
        of="array",
        id=one.id,
        name=one.name,
        keys=frozenset[Key]({("serial_number", serial)} if serial else ()),
        since=one.created_at,
        until=until,
        storage=one.id,
        array_id=one.id,
        vendor=one.vendor,
    )


_SORTS: Sequence[MatchOf] = ("array", "host", "target")


def matches(session: Session, *, host_id: int | None, array_id: int | None) -> Matches:
    """Return the matches to decide on and those decided, of all or of a host or an array."""
    decisions = session.scalars(select(HistoryDecision).order_by(HistoryDecision.id.desc())).all()
    items: list[Match] = []
    known: dict[tuple[str, int], Registration] = {}
    for of in _SORTS:
        found = registrations(session, of)
        known |= {(of, one.id): one for one in found}
        declined = {
            (one.subject_id, one.earlier_id) for one in decisions if one.of == of and not one.same
        }
        open_pairs = [
            pair
            for pair in pairs(found, declined)
            if _concerns(pair.current, pair.earlier, host_id, array_id)
        ]
        measured = _measured(session, of, [pair.earlier.id for pair in open_pairs])
        items += [
            _match(pair, measured[pair.earlier.id])
            for pair in open_pairs
            if pair.earlier.id in measured
        ]
    decided: list[PastDecision] = []
    for one in decisions:
        subject = known.get((one.of, one.subject_id))
        earlier = known.get((one.of, one.earlier_id))
        if subject and earlier and _concerns(subject, earlier, host_id, array_id):
            decided.append(_past(one, subject, earlier))
    return Matches(items=items, decided=decided)


def _concerns(
    current: Registration, earlier: Registration, host_id: int | None, array_id: int | None
) -> bool:
    """Return whether a pair is of a host and an array; a target without one may take over its."""
    of_array = earlier.array_id if current.array_id is None else current.array_id
    return host_id in (None, current.host_id) and array_id in (None, of_array)


def belongs(of: MatchOf, ids: Sequence[int]) -> ColumnElement[bool]:
    """Return SQL for whether a participant belongs to one of these deleted ones."""
    column = _column(of)
    found = column.in_(ids)
    return and_(found, Participant.array_id.is_(None)) if of == "array" else found


def _column(of: MatchOf) -> InstrumentedAttribute[int] | InstrumentedAttribute[int | None]:
    if of == "host":
        return Participant.host_id
    return Participant.target_id if of == "target" else Participant.deleted_array_id


def _measured(session: Session, of: MatchOf, ids: Sequence[int]) -> dict[int, tuple[int, Any]]:
    """Return the number of runs and when the newest was launched, of those that have runs."""
    column = _column(of)
    rows = session.execute(
        select(column, func.count(Participant.run_id.distinct()), func.max(Run.created_at))
        .join(Run, Run.id == Participant.run_id)
        .where(belongs(of, ids), shown())
        .group_by(column)
    )
    return {number: (count, newest) for number, count, newest in rows if number}


def _match(pair: PossibleMatch, measured: tuple[int, Any]) -> Match:
    current, earlier = pair.current, pair.earlier
    runs, last_run_at = measured
    return Match(
        of=current.of,
        id=current.id,
        name=current.name,
        earlier=EarlierPlace(
            id=earlier.id,
            name=earlier.name,
            array=earlier.array,
            runs=runs,
            last_run_at=last_run_at,
        ),
        reasons=list(pair.reasons),
        clones=list(pair.clones),
    )


def _past(decision: HistoryDecision, subject: Registration, earlier: Registration) -> PastDecision:
    return PastDecision(
        of=subject.of,
        id=subject.id,
        name=subject.name,
        earlier_id=earlier.id,
        earlier_name=earlier.name,
        same=decision.same,
        runs=decision.runs,
        decided_by=decision.decided_by,
        decided_at=decision.decided_at,
    )
