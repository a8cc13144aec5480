"""The raw record of a run: its participants' spools as they were read.

Samples and roll-ups can be made anew from it.
"""

import zlib
from collections.abc import Iterator

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from assay.recording import events
from assay.recording.samples import NewSamples, store
from assay.runs.models import Attempt, RawChunk, Trial
from assay.samples.models import rollups, samples
from assay.samples.rollup import Row


def rebuild(session: Session, participant_id: int) -> int:
    """Make a participant's samples and roll-ups anew from its raw chunks; returns how many."""
    attempts = {
        (position, number): attempt_id
        for position, number, attempt_id in session.execute(
            select(Trial.position, Attempt.number, Attempt.id)
            .join(Attempt, Attempt.trial_id == Trial.id)
            .where(Attempt.participant_id == participant_id)
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
            new = NewSamples(participant_id, attempt_id, counts[attempt_id], sequence)
            store(session, [new])
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
