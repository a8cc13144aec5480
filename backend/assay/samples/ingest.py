"""Storing samples: rows in bulk, and their roll-ups in the same transaction."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import and_, delete, insert, or_, select
from sqlalchemy.orm import Session

from assay.samples.columns import NAMES
from assay.samples.models import ROLLUP_FACTOR, ROLLUP_LEVELS, rollups, samples
from assay.samples.rollup import Bucket, Row, merge, roll_up


def store(
    session: Session,
    participant_id: int,
    attempt_id: int,
    first: int,
    sequence: Sequence[tuple[int, Row]],
) -> None:
    """Add samples `first`, `first` + 1, … of an attempt, given as (seq, values)."""
    if not sequence:
        return
    session.execute(
        insert(samples),
        [
            {
                "participant_id": participant_id,
                "seq": seq,
                "attempt_id": attempt_id,
                "number": first + i,
                **dict(zip(NAMES, values, strict=True)),
            }
            for i, (seq, values) in enumerate(sequence)
        ],
    )
    _store_rollups(session, attempt_id, first, [values for _, values in sequence])


def _store_rollups(session: Session, attempt_id: int, first: int, rows: Sequence[Row]) -> None:
    """Write the buckets of new samples; those that were partial are replaced by the merged."""
    buckets = roll_up(rows, first)
    partial = [
        (level, first // ROLLUP_FACTOR**level)
        for level in ROLLUP_LEVELS
        if first % ROLLUP_FACTOR**level
    ]
    if partial:
        at = and_(
            rollups.c.attempt_id == attempt_id,
            or_(*(and_(rollups.c.level == lv, rollups.c.bucket == b) for lv, b in partial)),
        )
        for stored in session.execute(select(rollups).where(at)).mappings():
            place = (stored["level"], stored["bucket"])
            known = Bucket(
                stored["count"],
                stored["rate_min"],
                stored["rate_max"],
                tuple(stored[name] for name in NAMES),
            )
            buckets[place] = merge([known, buckets[place]])
        session.execute(delete(rollups).where(at))
    session.execute(insert(rollups), [_row(attempt_id, *item) for item in buckets.items()])


def _row(attempt_id: int, place: tuple[int, int], bucket: Bucket) -> dict[str, Any]:
    level, number = place
    return {
        "attempt_id": attempt_id,
        "level": level,
        "bucket": number,
        "count": bucket.count,
        "rate_min": bucket.rate_min,
        "rate_max": bucket.rate_max,
        **dict(zip(NAMES, bucket.values, strict=True)),
    }
