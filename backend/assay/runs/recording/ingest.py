"""Ingest: bytes of participants' spools to rows, exactly once, many runs in one transaction.

A batch adds attempts, blocks of samples and marks, notices, the raw lines, and the participant's
new offset. What was stored before is skipped, so a batch may be repeated. All batches share their
statements, because a fleet's runs send many small batches at the same time.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.runs.attempts import RUNNING
from assay.runs.recording import events
from assay.runs.recording.increment import Increment
from assay.runs.recording.read_back import StoredResult
from assay.runs.recording.spool_state import Listener, OpenAttempt, SpoolState
from assay.runs.recording.storing import store
from assay.tables.database import among
from assay.tables.ownership import StaleGenerationError
from assay.tables.runs import Attempt, Participant, Run, Trial


class SpoolGapError(Exception):
    """A batch begins past the offset: the bytes before it were never stored."""

    def __init__(self, participant_id: int, start: int, offset: int) -> None:
        """Keep the facts in addition to the message."""
        super().__init__(
            f"participant {participant_id} is stored up to byte {offset}; "
            f"a batch from byte {start} would leave a gap"
        )
        self.participant_id, self.start, self.offset = participant_id, start, offset


@dataclass(frozen=True)
class Batch:
    """Bytes of a participant's spool from `start` on, read by a worker of `generation`.

    `paused_ns` is how long the host was paused in that time, by the worker's clock. `known` is the
    state after the previous batch of the same generation; it saves reading it, and is ignored if
    the stored offset is another one.
    """

    participant_id: int
    generation: int
    start: int
    data: bytes
    paused_ns: int = 0
    known: SpoolState | None = None


@dataclass(frozen=True)
class Ingested:
    """The effect of a batch. `consumed` counts from the batch's own first byte.

    `attempt` is the current one after the batch, by the position of its trial and its number, and
    `ready` whether it waits at the barrier, `listening` where it accepts connections; `ended` are
    those that ended, with their status.
    `state` is the state of the spool, once the transaction is committed.
    """

    offset: int
    consumed: int
    samples: int = 0
    attempt: tuple[int, int] | None = None
    ready: bool = False
    listening: Listener | None = None
    ended: Sequence[tuple[int, int, str]] = ()
    end: events.End | None = None
    hello: events.Hello | None = None
    state: SpoolState | None = None

    @property
    def changed(self) -> bool:
        """Whether anything new was stored."""
        return self.consumed > 0

    @property
    def measuring(self) -> bool:
        """Whether an attempt is under way and does not wait at the barrier."""
        return self.attempt is not None and not self.ready


def ingest(
    session: Session, participant_id: int, generation: int, start: int, data: bytes
) -> Ingested:
    """Store the whole lines of `data`, which begins at byte `start` of the participant's spool.

    Lines before a broken one are stored; BrokenEventError is raised by the batch that begins
    with the broken line. Raises StaleGenerationError when the run has another generation, and
    SpoolGapError if `start` is past the stored part.
    """
    (found,) = ingest_all(session, [Batch(participant_id, generation, start, data)])
    if isinstance(found, Exception):
        raise found
    return found


def ingest_all(session: Session, batches: Sequence[Batch]) -> list[Ingested | Exception]:
    """Store batches of different participants; return the effect of each, in their order.

    For a rejected batch (see `ingest`) the exception is returned, and the others are stored. All
    objects in `session` are expired, because they may be outdated.
    """
    read = _read(session, batches)
    increments = [one for one in read if isinstance(one, Increment)]
    _take(session, increments)
    brought = [one for one in increments if one.count]
    if brought:
        store(session, brought)
    return [
        (one.refused or _outcome(one, batch)) if isinstance(one, Increment) else one
        for one, batch in zip(read, batches, strict=True)
    ]


def _read(session: Session, batches: Sequence[Batch]) -> list[Increment | Exception]:
    """Return the increment of each batch, or why it is rejected; locks the runs."""
    stored = _lock(session, [batch.participant_id for batch in batches])
    spools = {
        batch.participant_id: batch.known
        for batch in batches
        if batch.known
        and stored.get(batch.participant_id) == (batch.generation, batch.known.offset)
    }
    spools |= _spools(session, stored.keys() - spools.keys())
    found: list[Increment | Exception] = []
    for batch in batches:
        spool = spools.get(batch.participant_id)
        if spool is None:
            found.append(LookupError(f"there is no participant {batch.participant_id}"))
        elif batch.generation != (current := stored[batch.participant_id][0]):
            found.append(StaleGenerationError(f"run {spool.run_id}", batch.generation, current))
        elif batch.start > spool.offset:
            found.append(SpoolGapError(batch.participant_id, batch.start, spool.offset))
        else:
            data = batch.data[spool.offset - batch.start :]
            found.append(Increment(spool, data, batch.paused_ns))
    return found


def _lock(session: Session, participant_ids: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Lock the participants' runs; return the generation and offset of each participant."""
    rows = session.execute(
        select(Participant.id, Run.generation, Participant.offset)
        .join(Run, Run.id == Participant.run_id)
        .where(among(session, Participant.id, participant_ids))
        .order_by(Run.id)  # every worker locks in this order
        .with_for_update(of=Run)
    )
    return {participant_id: (generation, offset) for participant_id, generation, offset in rows}


def _spools(session: Session, participant_ids: Collection[int]) -> dict[int, SpoolState]:
    """Return the state of the participants' spools; their runs must be locked."""
    if not participant_ids:
        return {}
    rows = session.execute(
        select(
            Run.id,
            Run.campaign_id,
            Participant.id,
            Participant.offset,
            Participant.next_seq,
            Participant.hello,
            Participant.conditions,
            Participant.ready,
            Participant.listening,
            Attempt.trial_id,
            Trial.position,
            Attempt.number,
            Attempt.id,
            Attempt.total_bytes,
            Attempt.started_at,
            Attempt.sample_count,
            Attempt.bytes,
            Attempt.ops,
            Attempt.read_ops,
            Attempt.lat_max_ns,
            Attempt.host_paused_ns,
            Attempt.status,
            Attempt.sealed,
            Attempt.unsealed_from,
            Attempt.mark_count,
            Attempt.marked_bytes,
            Attempt.marks_sealed,
        )
        .join(Run, Run.id == Participant.run_id)
        .outerjoin(
            Attempt, (Attempt.participant_id == Participant.id) & (Attempt.status == RUNNING)
        )
        .outerjoin(Trial, Trial.id == Attempt.trial_id)
        .where(among(session, Participant.id, participant_ids))
    )
    spools: dict[int, SpoolState] = {}
    for row in map(tuple[Any, ...], rows):
        place, ready, listening, attempt = row[:7], row[7], row[8], row[9:]
        under_way = OpenAttempt(*attempt) if attempt[0] is not None else None
        if under_way is not None:
            under_way.ready = under_way.number == ready
            under_way.listening = Listener(*listening) if listening else None
        spools[place[2]] = SpoolState(*place, open=under_way)
    return spools


def _take(session: Session, increments: Sequence[Increment]) -> None:
    """Process the events of each, with the stored state of the trials that they name."""
    named = {position for one in increments for position in one.named()}
    trials: defaultdict[int, dict[int, int]] = defaultdict(dict)
    begun: defaultdict[int, set[tuple[int, int]]] = defaultdict(set)
    if named:
        runs = {one.spool.run_id for one in increments if one.named()}
        for run_id, position, trial_id in session.execute(
            select(Trial.run_id, Trial.position, Trial.id).where(
                among(session, Trial.run_id, runs), among(session, Trial.position, named)
            )
        ):
            trials[run_id][position] = trial_id
        ids = [trial_id for positions in trials.values() for trial_id in positions.values()]
        for participant_id, trial_id, number in session.execute(
            select(Attempt.participant_id, Attempt.trial_id, Attempt.number).where(
                among(session, Attempt.trial_id, ids)
            )
        ):
            begun[participant_id].add((trial_id, number))
    results = _results(session, increments)
    for one in increments:
        participant_id = one.spool.participant_id
        one.take(trials[one.spool.run_id], begun[participant_id], results[participant_id])


def _results(
    session: Session, increments: Sequence[Increment]
) -> defaultdict[int, dict[tuple[int, int], StoredResult]]:
    """Return the stored results whose files were read back in this batch, by participant."""
    found: defaultdict[int, dict[tuple[int, int], StoredResult]] = defaultdict(dict)
    for one in increments:
        for position, number in one.reads_back():
            row = session.execute(
                select(Attempt.id, Attempt.result)
                .join(Trial, Trial.id == Attempt.trial_id)
                .where(
                    Attempt.participant_id == one.spool.participant_id,
                    Attempt.number == number,
                    Trial.position == position,
                    Attempt.result.is_not(None),
                )
            ).one_or_none()
            if row is not None:
                stored = StoredResult(row.id, row.result)
                found[one.spool.participant_id][position, number] = stored
    return found


def _outcome(one: Increment, batch: Batch) -> Ingested:
    return Ingested(
        offset=one.spool.offset + one.length,
        consumed=one.spool.offset - batch.start + one.length if one.count else 0,
        samples=sum(len(attempt.fresh) for attempt in one.attempts),
        attempt=(one.open.position, one.open.number) if one.open else None,
        ready=one.open is not None and one.open.ready,
        listening=one.open.listening if one.open else None,
        ended=[
            (attempt.position, attempt.number, attempt.status)
            for attempt in one.attempts
            if attempt.status != RUNNING
        ],
        end=one.end,
        hello=one.received_hello,
        state=one.after,
    )
