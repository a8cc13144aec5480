"""Storing samples: rows in bulk, and their roll-ups in the same transaction."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import insert, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from assay.samples.columns import NAMES
from assay.samples.models import ROLLUP_FACTOR, ROLLUP_LEVELS, rollups, samples
from assay.samples.rollup import Bucket, Row, merge, roll_up

_UPSERTS = {"postgresql": postgresql.insert, "sqlite": sqlite.insert}
_KEY = (rollups.c.attempt_id, rollups.c.level, rollups.c.bucket)

Place = tuple[int, int, int]
"""Where a bucket belongs: attempt, level, number."""


@dataclass(frozen=True)
class NewSamples:
    """Samples `first`, `first` + 1, … of an attempt, given as (seq, values)."""

    participant_id: int
    attempt_id: int
    first: int
    sequence: Sequence[tuple[int, Row]]


def store(
    session: Session,
    participant_id: int,
    attempt_id: int,
    first: int,
    sequence: Sequence[tuple[int, Row]],
) -> None:
    """Add samples `first`, `first` + 1, … of one attempt, given as (seq, values)."""
    if sequence:
        store_all(session, [NewSamples(participant_id, attempt_id, first, sequence)])


def store_all(session: Session, news: Sequence[NewSamples]) -> None:
    """Add samples of several attempts; each has one or more."""
    session.execute(
        insert(samples),
        [
            {
                "participant_id": new.participant_id,
                "seq": seq,
                "attempt_id": new.attempt_id,
                "number": new.first + i,
                **dict(zip(NAMES, values, strict=True)),
            }
            for new in news
            for i, (seq, values) in enumerate(new.sequence)
        ],
    )
    _store_rollups(session, news)


def _store_rollups(session: Session, news: Sequence[NewSamples]) -> None:
    """Write the buckets of new samples; those that were partial are replaced by the merged."""
    buckets: dict[Place, Bucket] = {}
    partial: list[Place] = []
    for new in news:
        rolled = roll_up([values for _, values in new.sequence], new.first)
        buckets |= {(new.attempt_id, *place): bucket for place, bucket in rolled.items()}
        partial += [
            (new.attempt_id, level, new.first // ROLLUP_FACTOR**level)
            for level in ROLLUP_LEVELS
            if new.first % ROLLUP_FACTOR**level
        ]
    for place, known in _stored(session, partial):
        buckets[place] = merge([known, buckets[place]])
    upsert = _UPSERTS[session.get_bind().dialect.name](rollups)
    rest = {c.name: upsert.excluded[c.name] for c in rollups.c if not c.primary_key}
    session.execute(
        upsert.on_conflict_do_update(index_elements=_KEY, set_=rest),
        [_row(place, bucket) for place, bucket in buckets.items()],
    )


def _stored(session: Session, places: Sequence[Place]) -> Iterable[tuple[Place, Bucket]]:
    if not places:
        return
    for attempt_id, level, number, count, least, most, *values in session.execute(
        select(*_KEY, rollups.c.count, rollups.c.rate_min, rollups.c.rate_max)
        .add_columns(*(rollups.c[name] for name in NAMES))
        .where(tuple_(*_KEY).in_(places))
    ):
        yield (attempt_id, level, number), Bucket(count, least, most, tuple(values))


def _row(place: Place, bucket: Bucket) -> dict[str, Any]:
    attempt_id, level, number = place
    return {
        "attempt_id": attempt_id,
        "level": level,
        "bucket": number,
        "count": bucket.count,
        "rate_min": bucket.rate_min,
        "rate_max": bucket.rate_max,
        **dict(zip(NAMES, bucket.values, strict=True)),
    }
