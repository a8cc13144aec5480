"""Merging of small raw chunks into large ones: fewer rows, and half the bytes.

A batch of one line is stored as a separate chunk, which compresses badly. A background task calls
`merge_next`, never the transaction that stores a batch.
"""

import zlib

from sqlalchemy import delete, insert, or_, select
from sqlalchemy.orm import Session

from assay.runs.lifecycle import FINAL
from assay.tables.runs import Participant, RawChunk, Run

MERGED_BYTES = 256 * 1024
"""Minimum size of a merged chunk before compression; the last one of a log may be smaller."""

LEVEL = 6
"""Level of zlib; level 9 takes four times as long and saves one percent."""


def merge_next(session: Session) -> bool:
    """Merge the next part of a participant's log; return false if nothing is due.

    A part of a log that still grows is merged once it has `MERGED_BYTES`.
    """
    due = session.execute(
        select(Participant.id, Participant.run_id)
        .join(Run, Run.id == Participant.run_id)
        .where(
            or_(
                Participant.offset - Participant.merged >= MERGED_BYTES,
                Run.state.in_(FINAL) & (Participant.merged < Participant.offset),
            )
        )
        .order_by(Participant.id)
        .limit(1)
    ).first()
    if due is None:
        return False
    if session.get(Run, due.run_id, with_for_update=True) is None:  # the same lock as ingest
        return True  # its campaign was just deleted
    _merge(session, session.get_one(Participant, due.id, populate_existing=True))
    return True


def _merge(session: Session, participant: Participant) -> None:
    of_log = (
        RawChunk.run_id == participant.run_id,
        RawChunk.participant_id == participant.id,
        RawChunk.start >= participant.merged,
    )
    chunks = session.execute(
        select(RawChunk.start, RawChunk.length, RawChunk.received_at, RawChunk.data)
        .where(*of_log)
        .order_by(RawChunk.start)
        .execution_options(yield_per=100)
    )
    start, end, lines, received_at = participant.merged, participant.merged, list[bytes](), None
    for chunk in chunks:
        if chunk.start != end:
            break  # a log with a gap is not merged; `assay rebuild` reports it
        lines.append(zlib.decompress(chunk.data))
        end, received_at = chunk.start + chunk.length, chunk.received_at
        if end - start >= MERGED_BYTES:
            break
    chunks.close()
    if not lines:
        participant.merged = participant.offset
        return
    if len(lines) > 1:
        session.execute(delete(RawChunk).where(*of_log, RawChunk.start < end))
        session.execute(
            insert(RawChunk).values(
                run_id=participant.run_id,
                participant_id=participant.id,
                start=start,
                length=end - start,
                received_at=received_at,
                data=zlib.compress(b"".join(lines), LEVEL),
            )
        )
    participant.merged = end
