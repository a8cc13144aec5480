"""Decisions on matches: runs of what was deleted become those of what was registered again.

What each run was of before is kept, so that a decision can be undone.
"""

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    exists,
    insert,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.orm import Session, aliased

from assay.access.audit import record
from assay.base.errors import Conflict, NotFound
from assay.base.identity import Identity
from assay.base.messaging.changes import announce
from assay.base.states import MatchOf
from assay.history.matches import Registration, belongs, registrations, same_identifiers
from assay.history.schemas import DecidedMatch
from assay.inventory.hosts import queries as hosts
from assay.inventory.hosts.own_machine import require_administrator
from assay.inventory.targets import queries as targets
from assay.tables.arrays import Array
from assay.tables.history import HistoryDecision
from assay.tables.hosts import Host
from assay.tables.runs import FormerPlace, Participant, Run
from assay.tables.targets import Target

_MOST_NAMED = 100
"""How many of the runs that a decision moves the audit log names."""

_FORMER = ("host_id", "target_id", "array_id", "deleted_array_id")


class HistoryKept(Conflict):
    """The match was confirmed, so that it cannot be declined as well."""

    code, title = "history_kept", "The history was kept"

    def __init__(self, runs: int) -> None:
        """Say how many runs belong to it."""
        super().__init__(f"Because of this match {runs} runs changed hands.", "Undo it first.")


class LaterDecision(Conflict):
    """Some of the runs were moved again since."""

    code, title = "later_decision", "The runs were moved again"

    def __init__(self, later: HistoryDecision, name: str) -> None:
        """Name what they belong to."""
        super().__init__(
            f"Some of these runs belong to the {later.of} {name} because of a later match.",
            "Undo that match first.",
        )


def decide(
    session: Session, of: MatchOf, subject_id: int, earlier_id: int, *, same: bool, who: Identity
) -> DecidedMatch:
    """Store a decision; return it with the number of runs that changed hands because of it.

    Raises NotFound unless both exist and match, and HistoryKept if a confirmed match is declined; a
    repeated decision is accepted.
    """
    subject, earlier = _pair(session, of, subject_id, earlier_id)
    _check_machine(session, of, subject_id, earlier_id, who)
    decision = _decision(session, of, subject_id, earlier_id)
    if decision is None:
        decision = HistoryDecision(of=of, subject_id=subject_id, earlier_id=earlier_id, runs=0)
    elif decision.same and not same:
        raise HistoryKept(decision.runs)
    decision.same, decision.decided_by = same, who.actor
    session.add(decision)
    session.flush()
    moved = _take_over(session, decision) if same else []
    decision.runs += len(moved)
    record(
        session,
        who,
        f"{of}.history_kept" if same else f"{of}.history_declined",
        f"{of} {subject_id} {subject.path or subject.name}",
        earlier=f"{of} {earlier_id} {earlier.name}",
        runs=len(moved),
        run_ids=moved[:_MOST_NAMED],
    )
    _announce(session, subject)
    return DecidedMatch(of=of, id=subject_id, earlier_id=earlier_id, same=same, runs=len(moved))


def undo(session: Session, of: MatchOf, subject_id: int, earlier_id: int, who: Identity) -> None:
    """Withdraw a decision: the match is proposed again, and the runs belong to what they were of.

    Runs that were launched since, and those that were deleted, are not affected. Raises NotFound
    without a decision, and LaterDecision.
    """
    known = {one.id: one for one in registrations(session, of)}
    subject = known.get(subject_id)
    decision = _decision(session, of, subject_id, earlier_id)
    if decision is None or subject is None:
        raise NotFound("match", earlier_id)
    _check_machine(session, of, subject_id, earlier_id, who)
    back = _give_back(session, decision) if decision.same else []
    record(
        session,
        who,
        f"{of}.history_undone" if decision.same else f"{of}.history_asked_again",
        f"{of} {subject_id} {subject.path or subject.name}",
        earlier=f"{of} {earlier_id} {known[earlier_id].name}" if earlier_id in known else None,
        runs=len(back),
        run_ids=back[:_MOST_NAMED],
    )
    session.delete(decision)
    _announce(session, subject)


def _check_machine(
    session: Session, of: MatchOf, subject_id: int, earlier_id: int, who: Identity
) -> None:
    """Raise a Problem if one of both is of this machine and the caller no administrator."""
    if of == "array":
        return
    ids = [subject_id, earlier_id]
    concerned = Host.id.in_(ids)
    if of == "target":
        concerned = Host.id.in_(select(Target.host_id).where(Target.id.in_(ids)))
    for connection in session.scalars(select(Host.connection).where(concerned)):
        require_administrator(who, connection, of, "match")


def _pair(
    session: Session, of: MatchOf, subject_id: int, earlier_id: int
) -> tuple[Registration, Registration]:
    _lock(session, of, subject_id)
    found = registrations(session, of)
    subject = next((one for one in found if one.id == subject_id and one.until is None), None)
    earlier = next((one for one in found if one.id == earlier_id and one.until is not None), None)
    if subject is None or earlier is None or not same_identifiers(subject, earlier):
        raise NotFound("match", earlier_id)
    return subject, earlier


def _lock(session: Session, of: MatchOf, subject_id: int) -> None:
    """Lock the registered one, so that decisions on it wait for each other; raises NotFound."""
    if of == "host":
        hosts.living(session, subject_id)
    elif of == "target":
        targets.find(session, subject_id, lock=True)
    elif session.get(Array, subject_id, with_for_update=True) is None:
        raise NotFound("array", subject_id)


def _decision(
    session: Session, of: MatchOf, subject_id: int, earlier_id: int
) -> HistoryDecision | None:
    return session.scalar(
        select(HistoryDecision)
        .where(
            HistoryDecision.of == of,
            HistoryDecision.subject_id == subject_id,
            HistoryDecision.earlier_id == earlier_id,
        )
        .with_for_update()
    )


def _take_over(session: Session, decision: HistoryDecision) -> list[int]:
    """Make the registered one that of the deleted one's runs; return their ids."""
    of, subject_id, earlier_id = decision.of, decision.subject_id, decision.earlier_id
    if of == "target":
        return _take_over_target(session, decision)
    if of == "host":
        moved = _keep_former(session, decision, Participant.host_id == earlier_id)
        _move(session, decision, host_id=subject_id)
    else:
        moved = _keep_former(session, decision, belongs("array", [earlier_id]))
        _move(session, decision, array_id=subject_id)
    return moved


def _take_over_target(session: Session, decision: HistoryDecision) -> list[int]:
    """Make the target that of the earlier one's participants; return the ids of its runs.

    On the same machine they become participants of its present host, with those that measured its
    memory. Runs whose array was deleted belong to the target's; one without an array takes over
    that of the earlier one.
    """
    target = targets.find(session, decision.subject_id)
    earlier = session.get_one(Target, decision.earlier_id)
    old_host = hosts.find(session, earlier.host_id)
    of_earlier = Participant.target_id == earlier.id
    in_memory = and_(Participant.host_id == old_host.id, Participant.target_id.is_(None))
    machine_id = target.host.machine_id
    other_entry = machine_id is not None and target.host_id != old_host.id
    same_machine = other_entry and machine_id == old_host.machine_id
    runs = session.scalars(select(Participant.run_id).where(of_earlier).distinct()).all()
    _keep_former(session, decision, or_(of_earlier, in_memory) if same_machine else of_earlier)
    if target.array_id is None and earlier.array_id is not None:
        target.array_id = decision.took_array_id = earlier.array_id
    if target.array_id is not None:
        was_deleted = (Participant.array_id.is_(None), Participant.array_name.is_not(None))
        _move(session, decision, of_earlier, *was_deleted, array_id=target.array_id)
    if same_machine:
        old_place = Participant.host_id == old_host.id
        _move(session, decision, old_place, host_id=target.host_id)
    _move(session, decision, of_earlier, target_id=target.id)
    read_back = session.scalars(select(Run.id).where(Run.read_back_target_id == earlier.id)).all()
    decision.read_back_run_ids = [*decision.read_back_run_ids, *read_back]
    session.execute(
        update(Run)
        .where(Run.read_back_target_id == earlier.id)
        .values(read_back_target_id=target.id)
    )
    return sorted(runs)


def _keep_former(
    session: Session, decision: HistoryDecision, which: ColumnElement[bool]
) -> list[int]:
    """Remember what these participants are of; return the ids of their runs."""
    of_hosts = Host.id.in_(select(Participant.host_id).where(which))
    # before the runs, which the new rows reference as well
    session.execute(select(Host.id).where(of_hosts).order_by(Host.id).with_for_update())
    columns = [getattr(Participant, name) for name in _FORMER]
    made_by = literal(decision.id)
    rows = select(Participant.run_id, Participant.id, made_by, *columns).where(which)
    session.execute(
        insert(FormerPlace).from_select(["run_id", "participant_id", "decision_id", *_FORMER], rows)
    )
    return sorted(session.scalars(select(Participant.run_id).where(which).distinct()))


def _move(
    session: Session,
    decision: HistoryDecision,
    *which: ColumnElement[bool],
    **values: int,
) -> None:
    """Change what the participants of a decision are of, or those of them that also match."""
    session.execute(
        update(Participant)
        .where(Participant.id.in_(_participants(decision)), *which)
        .values(**values)
        .execution_options(synchronize_session=False)
    )


def _give_back(session: Session, decision: HistoryDecision) -> list[int]:
    """Make the participants of a decision what they were of before; return their runs' ids."""
    _not_moved_since(session, decision)
    of_decision = FormerPlace.decision_id == decision.id
    runs = session.scalars(select(FormerPlace.run_id).where(of_decision).distinct()).all()
    former = {
        name: select(getattr(FormerPlace, name))
        .where(of_decision, FormerPlace.participant_id == Participant.id)
        .scalar_subquery()
        for name in _FORMER
    }
    session.execute(
        update(Participant)
        .where(Participant.id.in_(_participants(decision)))
        .values(former)
        .execution_options(synchronize_session=False)
    )
    if decision.of == "target":
        session.execute(
            update(Run)
            .where(Run.id.in_(decision.read_back_run_ids))
            .values(read_back_target_id=decision.earlier_id)
        )
        session.execute(
            update(Target)
            .where(
                Target.id == decision.subject_id,
                Target.array_id == decision.took_array_id,
            )
            .values(array_id=None)
        )
    return sorted(runs)


def _not_moved_since(session: Session, decision: HistoryDecision) -> None:
    """Raise LaterDecision if a later one moved some of the same participants."""
    later_place = aliased(FormerPlace)
    moved_again = exists().where(
        later_place.decision_id == HistoryDecision.id,
        later_place.participant_id.in_(_participants(decision)),
    )
    later = session.scalar(
        select(HistoryDecision)
        .where(HistoryDecision.id > decision.id, moved_again)
        .order_by(HistoryDecision.id.desc())
        .limit(1)
    )
    if later is not None:
        names = {one.id: one.name for one in registrations(session, later.of)}
        raise LaterDecision(later, names.get(later.subject_id, str(later.subject_id)))


def _participants(decision: HistoryDecision) -> Select[int]:
    return select(FormerPlace.participant_id).where(FormerPlace.decision_id == decision.id)


def _announce(session: Session, subject: Registration) -> None:
    if subject.host_id is not None:
        announce(f"host:{subject.host_id}", after=session)
