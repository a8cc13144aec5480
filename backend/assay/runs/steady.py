"""Steady batches: nothing but samples of the trial under way, of many runs in one transaction.

That is nearly all that a fleet has to say, and each run alone costs a dozen statements. Here all
runs share theirs. Whatever else a spool holds (beginnings, results, notices, broken lines, a stale
generation) is left to `assay.runs.ingest`, run by run; both leave the same rows.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.orm import Session

from assay.changes import campaign_changed
from assay.database import now
from assay.runs import events
from assay.runs.attempts import RUNNING
from assay.runs.ingest import Sums, add_up
from assay.runs.models import CHUNK_LEVEL, Attempt, Participant, RawChunk, Run
from assay.samples.ingest import NewSamples, store_all
from assay.samples.rollup import Row


@dataclass(frozen=True)
class Spooled:
    """Bytes of a participant's spool from `start` on, as a worker of `generation` read them."""

    run_id: int
    participant_id: int
    generation: int
    start: int
    data: bytes


@dataclass(frozen=True)
class _Place:
    """Where a participant is: what is stored of its spool, and the attempt under way."""

    campaign_id: int
    offset: int
    next_seq: int
    attempt_id: int
    trial_id: int
    number: int
    sample_count: int
    sums: Sums


@dataclass(frozen=True)
class _Steady:
    """A batch that is steady: its whole lines, and the samples in them."""

    participant_id: int
    place: _Place
    lines: bytes
    samples: list[tuple[int, Row]]


def store_steady(session: Session, batches: Sequence[Spooled]) -> dict[int, int]:
    """Store the steady ones of `batches`, one of each participant.

    Returns how many bytes of each were stored, counted from its own first byte, by participant;
    those that are not steady are left out, and nothing of them is stored.
    """
    places = _places(session, batches)
    consumed: dict[int, int] = {}
    steady: list[_Steady] = []
    for batch in batches:
        place = places.get(batch.participant_id)
        found = None if place is None else _read(batch, place)
        if found is not None:
            steady.append(found)
            known = found.place.offset - batch.start
            consumed[batch.participant_id] = known + len(found.lines)
    if steady:
        _write(session, steady)
    return consumed


def _places(session: Session, batches: Sequence[Spooled]) -> dict[int, _Place]:
    """Where the participants are whose runs are still their workers', held until the commit."""
    held = session.execute(
        select(Run.id, Run.generation)
        .where(Run.id.in_([batch.run_id for batch in batches]))
        .order_by(Run.id)  # every worker locks in this order
        .with_for_update()
    ).all()
    generations = dict(map(tuple[int, int], held))
    ours = [b.participant_id for b in batches if generations.get(b.run_id) == b.generation]
    rows = session.execute(
        select(
            Participant.id,
            Run.campaign_id,
            Participant.offset,
            Participant.next_seq,
            Attempt.id,
            Attempt.trial_id,
            Attempt.number,
            Attempt.sample_count,
            Attempt.bytes,
            Attempt.ops,
            Attempt.lat_max_ns,
        )
        .join(Run, Run.id == Participant.run_id)
        .join(Attempt, (Attempt.participant_id == Participant.id) & (Attempt.status == RUNNING))
        .where(Participant.id.in_(ours))
    )
    return {row[0]: _Place(*row[1:8], Sums(*row[8:])) for row in rows}


def _read(batch: Spooled, place: _Place) -> _Steady | None:
    """What the batch brings, if it goes on where the spool is stored and is steady."""
    known = place.offset - batch.start
    if known < 0:
        return None
    fresh = batch.data[known:]
    length = 0
    samples: list[tuple[int, Row]] = []
    try:
        for event, past in events.read(fresh, place.offset, place.next_seq):
            if not isinstance(event, events.Sample):
                return None
            if (event.trial, event.attempt) != (place.trial_id, place.number):
                return None
            samples.append((event.seq, event.s))
            length = past
    except events.BrokenEventError:
        return None
    return _Steady(batch.participant_id, place, fresh[:length], samples) if samples else None


def _write(session: Session, steady: Sequence[_Steady]) -> None:
    store_all(
        session,
        [
            NewSamples(
                one.participant_id, one.place.attempt_id, one.place.sample_count, one.samples
            )
            for one in steady
        ],
    )
    received = now()
    session.execute(
        insert(RawChunk),
        [
            {
                "participant_id": one.participant_id,
                "start": one.place.offset,
                "length": len(one.lines),
                "received_at": received,
                "data": zlib.compress(one.lines, CHUNK_LEVEL),
            }
            for one in steady
        ],
    )
    connection = session.connection()
    connection.execute(
        update(Participant)
        .where(Participant.id == bindparam("the_id"))
        .values(offset=bindparam("past"), next_seq=bindparam("following")),
        [
            {
                "the_id": one.participant_id,
                "past": one.place.offset + len(one.lines),
                "following": one.place.next_seq + len(one.samples),
            }
            for one in steady
        ],
    )
    sums = [add_up(one.place.sums, one.samples) for one in steady]
    connection.execute(
        update(Attempt)
        .where(Attempt.id == bindparam("the_id"))
        .values(
            sample_count=bindparam("count"),
            bytes=bindparam("size"),
            ops=bindparam("operations"),
            lat_max_ns=bindparam("longest"),
        ),
        [
            {
                "the_id": one.place.attempt_id,
                "count": one.place.sample_count + len(one.samples),
                "size": total.bytes,
                "operations": total.ops,
                "longest": total.lat_max_ns,
            }
            for one, total in zip(steady, sums, strict=True)
        ],
    )
    campaign_changed(session, *(one.place.campaign_id for one in steady))
