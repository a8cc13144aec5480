"""Storing samples: rows in bulk, and their roll-ups in the same transaction."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from assay.db.bulk import read_rows, write
from assay.samples.models import ROLLUP_FACTOR, ROLLUP_LEVELS, rollups, samples
from assay.samples.rollup import Bucket, Row, merge, roll_up

Place = tuple[int, int, int]
"""Where a bucket belongs: attempt, level, number."""


@dataclass(frozen=True)
class NewSamples:
    """Samples `first`, `first` + 1, … of an attempt, given as (seq, values)."""

    participant_id: int
    attempt_id: int
    first: int
    sequence: Sequence[tuple[int, Row]]


def store(session: Session, news: Sequence[NewSamples]) -> None:
    """Add samples of several attempts; each has one or more."""
    write(
        session,
        samples,
        [
            (new.participant_id, seq, new.attempt_id, number, *values)
            for new in news
            for number, (seq, values) in enumerate(new.sequence, start=new.first)
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
    rows = [
        (*place, bucket.count, bucket.rate_min, bucket.rate_max, *bucket.values)
        for place, bucket in buckets.items()
    ]
    write(session, rollups, rows, replace=True)


def _stored(session: Session, places: Sequence[Place]) -> Iterable[tuple[Place, Bucket]]:
    for row in read_rows(session, rollups, places):
        attempt_id, level, number, count, least, most, *values = row
        yield (attempt_id, level, number), Bucket(count, least, most, tuple(values))
