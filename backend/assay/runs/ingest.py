"""From the bytes of a participant's spool to rows, exactly once.

One call stores a batch: attempts, samples with their roll-ups, notices, the raw lines, and the
participant's new offset, all in the caller's writing transaction. What was stored before is
skipped, so a batch may come as often as it likes. The raw chunks are the record: samples can be
made anew from them.
"""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from assay.changes import campaign_changed
from assay.runs import events
from assay.runs.attempts import FINISHED, INTERRUPTED, RUNNING
from assay.runs.models import (
    CHUNK_LEVEL,
    Attempt,
    Notice,
    Participant,
    RawChunk,
    Run,
    Trial,
)
from assay.samples.columns import NAMES
from assay.samples.ingest import store
from assay.samples.models import rollups, samples
from assay.samples.rollup import Row

_OPS, _BYTES, _LAT_MAX = (NAMES.index(name) for name in ("ops", "bytes", "lat_max_ns"))
_MAX = 2**63 - 1
ENDED = "ended"
"""Set in the stored hello of a segment that has ended."""

_NO_CLOCK = {"wall_ns": 0, "t": 0}


class StaleGenerationError(Exception):
    """A worker that lost its ownership tried to write."""

    def __init__(self, run_id: int, generation: int, current: int) -> None:
        """Keep the facts beside the sentence."""
        super().__init__(
            f"run {run_id} has generation {current}; a write of generation {generation} is refused"
        )
        self.run_id, self.generation, self.current = run_id, generation, current


class SpoolGapError(Exception):
    """A batch begins past the offset: bytes between were never stored."""

    def __init__(self, participant_id: int, start: int, offset: int) -> None:
        """Keep the facts beside the sentence."""
        super().__init__(
            f"participant {participant_id} is stored up to byte {offset}; "
            f"a batch from byte {start} would leave a gap"
        )
        self.participant_id, self.start, self.offset = participant_id, start, offset


@dataclass
class Ingested:
    """What a batch brought. `consumed` counts from the batch's own first byte."""

    offset: int
    consumed: int
    samples: int = 0
    results: int = 0
    end: events.End | None = None
    hello: events.Hello | None = None

    @property
    def changed(self) -> bool:
        """Whether anything new was stored."""
        return self.consumed > 0


@dataclass
class _Batch:
    """What is being read: where, the attempt under way, and its samples not yet stored."""

    session: Session
    run: Run
    participant: Participant
    done: Ingested
    attempt: Attempt | None
    pending: list[tuple[int, Row]] = field(default_factory=list[tuple[int, Row]])


def ingest(
    session: Session, participant_id: int, generation: int, start: int, data: bytes
) -> Ingested:
    """Store the whole lines of `data`, which begins at byte `start` of the participant's spool.

    Lines before a broken one are stored; BrokenEventError is raised by the batch that begins
    with the broken line. Raises StaleGenerationError when the run has another generation, and
    SpoolGapError when `start` lies past what is stored.
    """
    run, participant = _lock(session, participant_id, generation)
    if start > participant.offset:
        raise SpoolGapError(participant_id, start, participant.offset)
    known = participant.offset - start
    fresh = data[known:]
    batch = _Batch(
        session, run, participant, Ingested(participant.offset, 0), _under_way(session, participant)
    )
    length = 0
    try:
        for event, past in events.read(fresh, participant.offset, participant.next_seq):
            _apply(batch, event, participant.offset + length)
            length = past
    except events.BrokenEventError:
        if length == 0:
            raise
    if length == 0:
        return batch.done
    _store_samples(batch)
    _finish(batch, fresh[:length])
    batch.done.offset = participant.offset
    batch.done.consumed = known + length
    return batch.done


def rebuild(session: Session, participant_id: int) -> int:
    """Make a participant's samples and roll-ups anew from its raw chunks; returns how many."""
    attempts = {
        (attempt.trial_id, attempt.number): attempt.id
        for attempt in session.scalars(
            select(Attempt).where(Attempt.participant_id == participant_id)
        )
    }
    session.execute(delete(rollups).where(rollups.c.attempt_id.in_(attempts.values())))
    session.execute(delete(samples).where(samples.c.participant_id == participant_id))
    counts = dict.fromkeys(attempts.values(), 0)
    next_seq = 0
    for start, data in raw_log(session, participant_id):
        found: dict[int, list[tuple[int, Row]]] = {}
        for event, _ in events.read(data, start, next_seq):
            next_seq = event.seq + 1
            if isinstance(event, events.Sample):
                attempt_id = attempts[event.trial, event.attempt]
                found.setdefault(attempt_id, []).append((event.seq, event.s))
        for attempt_id, sequence in found.items():
            store(session, participant_id, attempt_id, counts[attempt_id], sequence)
            counts[attempt_id] += len(sequence)
    return sum(counts.values())


def raw_log(session: Session, participant_id: int, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """A participant's spool as it was read, chunk by chunk from `start`: (first byte, bytes)."""
    chunks = session.execute(
        select(RawChunk.start, RawChunk.data)
        .where(RawChunk.participant_id == participant_id, RawChunk.start >= start)
        .order_by(RawChunk.start)
        .execution_options(yield_per=10)
    )
    for first, data in chunks:
        yield first, zlib.decompress(data)


def _lock(session: Session, participant_id: int, generation: int) -> tuple[Run, Participant]:
    """The run and its participant, held against other writers until the transaction ends."""
    run = session.scalars(
        select(Run)
        .join(Participant, Participant.run_id == Run.id)
        .where(Participant.id == participant_id)
        .with_for_update(of=Run)
        .execution_options(populate_existing=True)
    ).one()
    if run.generation != generation:
        raise StaleGenerationError(run.id, generation, run.generation)
    participant = session.get_one(Participant, participant_id, populate_existing=True)
    return run, participant


def _under_way(session: Session, participant: Participant) -> Attempt | None:
    return session.scalars(
        select(Attempt).where(Attempt.participant_id == participant.id, Attempt.status == RUNNING)
    ).one_or_none()


def _apply(batch: _Batch, event: events.AnyEvent, byte: int) -> None:
    if batch.participant.hello is None and not isinstance(event, events.Hello):
        raise events.BrokenEventError(byte, "the log does not begin with a hello")
    if (batch.participant.hello or {}).get(ENDED) and not isinstance(event, events.Hello):
        raise events.BrokenEventError(byte, f"the segment ended, but {event.ev} came after it")
    match event:
        case events.Sample():
            _check_under_way(batch, event, byte)
            batch.pending.append((event.seq, event.s))
        case events.TrialBegan():
            _begin(batch, event, byte)
        case events.Result():
            _end_attempt(batch, event, byte)
        case events.Hello():
            _interrupt(batch)
            batch.participant.hello = event.model_dump(mode="json")
            batch.done.hello, batch.done.end = event, None
        case events.Told():
            _tell(batch, event, "info", event.detail)
        case events.Failed():
            _tell(batch, event, "error", {"errno": event.errno, "trial": event.trial})
        case events.End():
            _interrupt(batch)
            batch.participant.hello = (batch.participant.hello or {}) | {ENDED: True}
            batch.done.end = event


def _begin(batch: _Batch, event: events.TrialBegan, byte: int) -> None:
    trial = batch.session.get(Trial, event.trial)
    if trial is None or trial.run_id != batch.run.id:
        raise events.BrokenEventError(byte, f"trial {event.trial} is not of run {batch.run.id}")
    again = batch.session.scalars(
        select(Attempt.id).where(
            Attempt.trial_id == trial.id,
            Attempt.participant_id == batch.participant.id,
            Attempt.number == event.attempt,
        )
    ).first()
    if again is not None:
        raise events.BrokenEventError(
            byte, f"attempt {event.attempt} of trial {trial.id} begins a second time"
        )
    _interrupt(batch)
    batch.attempt = Attempt(
        trial_id=trial.id,
        participant_id=batch.participant.id,
        number=event.attempt,
        status=RUNNING,
        started_at=_wall(batch, event.t),
        total_bytes=event.total_bytes,
        bytes=0,
        ops=0,
        sample_count=0,
    )
    batch.session.add(batch.attempt)
    batch.session.flush()
    batch.participant.current_trial_id = trial.id


def _end_attempt(batch: _Batch, event: events.Result, byte: int) -> None:
    attempt = _check_under_way(batch, event, byte)
    _store_samples(batch)
    if (attempt.bytes, attempt.ops) != (event.bytes, event.ops):
        raise events.BrokenEventError(
            byte,
            f"the samples of trial {event.trial} add up to {attempt.bytes} bytes in "
            f"{attempt.ops} operations, its result to {event.bytes} in {event.ops}",
        )
    attempt.status, attempt.reason = event.status, event.reason
    attempt.bytes, attempt.ops = event.bytes, event.ops
    attempt.app_ns, attempt.durable_ns = event.app_ns, event.durable_ns
    attempt.lat_max_ns = event.lat_max
    if event.started is not None:
        attempt.started_at = _wall(batch, event.started)
    attempt.histogram = event.hist
    attempt.result = event.model_dump(mode="json", exclude={"hist", "v", "ev"})
    batch.attempt = None
    batch.participant.current_trial_id = None
    batch.done.results += 1


def _check_under_way(batch: _Batch, event: events.Sample | events.Result, byte: int) -> Attempt:
    attempt = batch.attempt
    if attempt is None or (attempt.trial_id, attempt.number) != (event.trial, event.attempt):
        raise events.BrokenEventError(
            byte,
            f"a {event.ev} of attempt {event.attempt} of trial {event.trial}, "
            "which is not under way",
        )
    return attempt


def _interrupt(batch: _Batch) -> None:
    """An attempt that never told its result: its samples stay, but it enters no cell."""
    if batch.attempt is not None:
        _store_samples(batch)
        batch.attempt.status = INTERRUPTED
        batch.attempt = None
    batch.participant.current_trial_id = None


@dataclass(frozen=True)
class Sums:
    """What the samples of an attempt have added up to."""

    bytes: int
    ops: int
    lat_max_ns: int | None


def add_up(sums: Sums, sequence: Sequence[tuple[int, Row]]) -> Sums:
    """The sums with further samples, which are one or more."""
    return Sums(
        min(_MAX, sums.bytes + sum(row[_BYTES] or 0 for _, row in sequence)),
        min(_MAX, sums.ops + sum(row[_OPS] or 0 for _, row in sequence)),
        max(sums.lat_max_ns or 0, *(row[_LAT_MAX] or 0 for _, row in sequence)),
    )


def _store_samples(batch: _Batch) -> None:
    """Write the pending samples of the attempt under way, and add them to its running sums."""
    attempt, pending = batch.attempt, batch.pending
    if attempt is None or not pending:
        return
    store(batch.session, batch.participant.id, attempt.id, attempt.sample_count, pending)
    attempt.sample_count += len(pending)
    sums = add_up(Sums(attempt.bytes, attempt.ops, attempt.lat_max_ns), pending)
    attempt.bytes, attempt.ops, attempt.lat_max_ns = sums.bytes, sums.ops, sums.lat_max_ns
    batch.done.samples += len(pending)
    batch.pending = []


def _finish(batch: _Batch, lines: bytes) -> None:
    """Keep the raw lines, move the offset on, and let the campaign's watchers know."""
    session, run, participant = batch.session, batch.run, batch.participant
    session.add(
        RawChunk(
            participant_id=participant.id,
            start=participant.offset,
            length=len(lines),
            data=zlib.compress(lines, CHUNK_LEVEL),
        )
    )
    participant.offset += len(lines)
    participant.next_seq += lines.count(b"\n")
    if batch.done.results:
        session.flush()
        run.trials_done = session.scalars(
            select(func.count(Attempt.trial_id.distinct()))
            .join(Trial)
            .where(Trial.run_id == run.id, Attempt.status.in_(FINISHED))
        ).one()
    campaign_changed(session, run.campaign_id)
    session.flush()


def _tell(
    batch: _Batch,
    event: events.Told | events.Failed,
    level: str,
    detail: dict[str, object],
) -> None:
    batch.session.add(
        Notice(
            run_id=batch.run.id,
            at=_wall(batch, event.t),
            level=level,
            code=event.code,
            message=event.message[:2000],
            detail=detail,
        )
    )


def _wall(batch: _Batch, t: int) -> datetime:
    """The host's wall clock at `t` nanoseconds of the present segment."""
    hello = batch.participant.hello or _NO_CLOCK
    microseconds = (hello["wall_ns"] - hello["t"] + t) // 1000
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
