"""Tables of samples and of their roll-ups, written together at ingest.

Both are plain tables rather than mapped classes: rows come and go by the thousand.
"""

from sqlalchemy import Column, ForeignKey, Index, Table

from assay.db.database import Base, Big
from assay.samples.columns import COLUMNS

ROLLUP_FACTOR = 10
"""Samples (or buckets of the level below) that make a bucket."""

ROLLUP_LEVELS = (1, 2, 3)
"""Level n holds buckets of `ROLLUP_FACTOR ** n` samples."""

samples = Table(
    "samples",
    Base.metadata,
    Column(
        "participant_id", Big, ForeignKey("participants.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("seq", Big, primary_key=True, autoincrement=False),
    Column("attempt_id", Big, ForeignKey("attempts.id", ondelete="CASCADE"), nullable=False),
    Column("number", Big, nullable=False),  # of the sample within its attempt, from 0
    *(Column(column.name, Big, nullable=column.nullable) for column in COLUMNS),
    Index("ix_samples_attempt_id_number", "attempt_id", "number", unique=True),
)

rollups = Table(
    "rollups",
    Base.metadata,
    Column("attempt_id", Big, ForeignKey("attempts.id", ondelete="CASCADE"), primary_key=True),
    Column("level", Big, primary_key=True, autoincrement=False),
    Column("bucket", Big, primary_key=True, autoincrement=False),
    Column("count", Big, nullable=False),
    Column("rate_min", Big, nullable=False),  # bytes per second of the slowest sample
    Column("rate_max", Big, nullable=False),
    *(Column(column.name, Big, nullable=column.nullable) for column in COLUMNS),
)
