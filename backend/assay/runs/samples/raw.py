"""The raw record: participants' unmodified event logs, and the samples in them.

Raw chunks contain the samples that are not in a block yet, and the samples for live pages.
"""

import zlib
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic_core import from_json
from sqlalchemy import ColumnElement, SQLColumnExpression, and_, func, literal, select
from sqlalchemy.orm import Session, aliased

from assay.kinds.transfer.links import LinkRow, reduced
from assay.runs.samples.blocks import SampleRow
from assay.runs.samples.columns import MARK_COLUMNS, NAMES
from assay.tables.database import among
from assay.tables.runs import Attempt, Participant, RawChunk, Trial

SMALL = 32 * 1024
"""Chunks of up to this stored size are cached decoded: every live page reads the newest ones."""

NEWEST = 20
"""Number of chunks that are searched for the newest samples: some contain only marks."""

KEPT = 2000
"""Number of small chunks whose samples a process caches."""


_SAMPLE_END = NAMES.index("end_ns")
_MARK_END = [column.name for column in MARK_COLUMNS].index("end_ns")


class Sample(NamedTuple):
    """A sample, mark or link row of the trial at a position of the run.

    `byte` is the offset of its line in the chunk.
    """

    byte: int
    position: int
    attempt: int
    values: Any


def raw_log(session: Session, participant_id: int, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield a participant's log from byte `start` on in parts: (first byte, data)."""
    for first, data in _chunks(session, participant_id, start):
        skipped = max(0, start - first)
        plain = zlib.decompress(data)[skipped:]
        if plain:
            yield first + skipped, plain


def newest(session: Session, participant_id: int, limit: int) -> list[bytes]:
    """Return the last chunks of a participant's log, newest first."""
    return [zlib.decompress(data) for data in _newest(session, participant_id, limit)]


def samples_since(
    session: Session, participant_id: int, start: int, limit: int
) -> Sequence[Sample]:
    """Return the samples from byte `start` of a log on: the last `limit` of them."""
    found: deque[Sample] = deque(maxlen=limit)
    for first, data in _chunks(session, participant_id, start):
        found.extend(one for one in samples_in(data) if first + one.byte >= start)
    return found


def last_samples(
    session: Session, participant_id: int, position: int, attempt: int, limit: int
) -> list[SampleRow]:
    """Return the newest samples of an attempt in progress, at most `limit`."""
    found: list[SampleRow] = []
    for data in _newest(session, participant_id, max(limit, NEWEST)):
        of_chunk = [
            one.values
            for one in samples_in(data)
            if (one.position, one.attempt) == (position, attempt)
        ]
        found = [*of_chunk, *found][-limit:]
        if len(found) == limit:
            break
    return found


def newest_end_ns(session: Session, participant_id: int, position: int, attempt: int) -> int:
    """Return the end of the newest sample or mark of an attempt in progress; 0 without one."""
    for data in _newest(session, participant_id, NEWEST):
        ends = [
            one.values[place] or 0
            for rows, place in ((samples_in(data), _SAMPLE_END), (_marks(data), _MARK_END))
            for one in rows
            if (one.position, one.attempt) == (position, attempt)
        ]
        if ends:
            return max(ends)
    return 0


def unsealed(
    session: Session, attempt_ids: Sequence[int]
) -> dict[int, list[tuple[int, SampleRow]]]:
    """Return the samples of running attempts that are not in a block yet, by attempt.

    Each has the offset of its line in the participant's log.
    """
    return _unsealed(session, attempt_ids, samples_in)


def unsealed_marks(
    session: Session, attempt_ids: Sequence[int]
) -> dict[int, list[tuple[int, SampleRow]]]:
    """Return the marks of running attempts that are not in a block yet, like `unsealed`."""
    return _unsealed(session, attempt_ids, _marks)


def unsealed_links(
    session: Session, attempt_ids: Sequence[int]
) -> dict[int, list[tuple[int, LinkRow]]]:
    """Return what the streams of running attempts did after their last block, like `unsealed`."""
    return _unsealed(session, attempt_ids, _links)


def _unsealed(
    session: Session, attempt_ids: Sequence[int], rows_in: Callable[[bytes], Sequence[Any]]
) -> dict[int, list[tuple[int, Any]]]:
    if not attempt_ids:
        return {}
    rows = session.execute(
        select(
            Attempt.id,
            Attempt.number,
            Trial.position,
            Attempt.unsealed_from,
            RawChunk.start,
            RawChunk.data,
        )
        .join(Trial, Trial.id == Attempt.trial_id)
        .join(Participant, Participant.id == Attempt.participant_id)
        .join(RawChunk, and_(*_of_participant()))
        .where(among(session, Attempt.id, attempt_ids))
        .where(RawChunk.start >= _start_of_chunk(Attempt.unsealed_from))
        .order_by(Attempt.id, RawChunk.start)
    )
    found: defaultdict[int, list[tuple[int, Any]]] = defaultdict(list)
    for attempt_id, number, position, begin, start, data in rows:
        found[attempt_id] += [
            (start + row.byte, row.values)
            for row in rows_in(data)
            if start + row.byte >= begin and (row.position, row.attempt) == (position, number)
        ]
    return found


def samples_in(data: bytes) -> Sequence[Sample]:
    """Return the samples of a stored chunk."""
    return _remembered(data) if len(data) <= SMALL else _samples(data)


def _samples(data: bytes) -> tuple[Sample, ...]:
    return tuple(_rows(data, "sample", "s"))


def _marks(data: bytes) -> tuple[Sample, ...]:
    return tuple(_rows(data, "mark", "m"))


def _links(data: bytes) -> tuple[Sample, ...]:
    return tuple(
        Sample(byte, event["trial"], event["attempt"], reduced(event))
        for byte, event in _named(data, "link")
    )


def _rows(data: bytes, event_name: str, field: str) -> Iterator[Sample]:
    """Yield the samples or marks of a stored chunk: the values in `field` of these events."""
    for byte, event in _named(data, event_name):
        yield Sample(byte, event["trial"], event["attempt"], event[field])


def _named(data: bytes, event_name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the events of this name in a stored chunk, with the offset of their lines in it."""
    named = f'"{event_name}"'.encode()
    byte = 0
    for line in zlib.decompress(data).splitlines(keepends=True):
        if named in line:
            event = from_json(line)
            if event["ev"] == event_name:
                yield byte, event
        byte += len(line)


_remembered = lru_cache(KEPT)(_samples)


def _chunks(session: Session, participant_id: int, start: int) -> Iterator[tuple[int, bytes]]:
    """Return the stored chunks, starting with the one that contains byte `start`."""
    found = session.execute(
        select(RawChunk.start, RawChunk.data)
        .join(Participant, Participant.id == participant_id)
        .where(*_of_participant(), RawChunk.start >= _start_of_chunk(literal(start)))
        .order_by(RawChunk.start)
        .execution_options(yield_per=10)
    )
    yield from map(tuple[int, bytes], found)


def _newest(session: Session, participant_id: int, limit: int) -> Sequence[bytes]:
    return session.scalars(
        select(RawChunk.data)
        .join(Participant, Participant.id == participant_id)
        .where(*_of_participant())
        .order_by(RawChunk.start.desc())
        .limit(limit)
    ).all()


def _of_participant() -> tuple[ColumnElement[bool], ...]:
    return RawChunk.run_id == Participant.run_id, RawChunk.participant_id == Participant.id


def _start_of_chunk(byte: SQLColumnExpression[int]) -> ColumnElement[int]:
    """Return the start of the participant's chunk with a byte of its log; 0 if there is none."""
    chunk = aliased(RawChunk)
    held = (
        select(func.max(chunk.start))
        .where(
            chunk.run_id == Participant.run_id,
            chunk.participant_id == Participant.id,
            chunk.start <= byte,
        )
        .correlate(Participant, Attempt)
        .scalar_subquery()
    )
    return func.coalesce(held, 0)
