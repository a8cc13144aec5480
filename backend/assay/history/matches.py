"""What may have been registered again: the pairs to decide on, and the decisions so far."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from assay.history.models import HistoryDecision
from assay.history.registrations import PossibleMatch, Registration, pairs, registrations
from assay.history.schemas import EarlierPlace, Match, Matches, MatchOf, PastDecision
from assay.runs.models import Participant, Run
from assay.runs.queries import shown

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
