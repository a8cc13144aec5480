"""The space that stored data takes, by what it is."""

from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Select, func, select, text
from sqlalchemy.orm import Session

from assay.history.retention.schemas import SpaceUsed
from assay.tables.campaigns import Campaign
from assay.tables.runs import Attempt, RawChunk, Result, Run, Trial
from assay.tables.samples import LinkBlock, MarkBlock, SampleBlock

RAW: tuple[tuple[type[Any], tuple[Any, ...]], ...] = ((RawChunk, (RawChunk.data,)),)
SAMPLES: tuple[tuple[type[Any], tuple[Any, ...]], ...] = (
    (SampleBlock, (SampleBlock.samples, SampleBlock.rollups)),
    (MarkBlock, (MarkBlock.marks,)),
    (LinkBlock, (LinkBlock.links,)),
)
"""The tables of each, with their columns of data; a row belongs to the run `run_id`."""


def used(session: Session) -> SpaceUsed:
    """Return the space that everything stored takes."""
    every = select(Run.id)
    database, reusable = _database(session)
    return SpaceUsed(
        campaigns=_count(session, Campaign.id),
        runs=_count(session, Run.id),
        raw_logs_bytes=bytes_of(session, RAW, every),
        samples_bytes=bytes_of(session, SAMPLES, every),
        results_bytes=results_bytes(session, every),
        database_bytes=database,
        reusable_bytes=reusable,
    )


def bytes_of(session: Session, tables: Any, runs: Select[int]) -> int:
    """Return the size of the runs' data in these tables."""
    total = 0
    for table, columns in tables:
        size = sum((func.length(column) for column in columns[1:]), func.length(columns[0]))
        chosen = select(func.coalesce(func.sum(size), 0)).where(table.run_id.in_(runs))
        total += session.scalar(chosen) or 0
    return int(total)


def results_bytes(session: Session, runs: Select[int]) -> int:
    """Return the size of the runs' results, and of attempts with their histograms."""
    results = select(func.sum(_size(session, Result.body))).where(Result.run_id.in_(runs))
    attempts = (
        select(
            func.sum(
                func.coalesce(_size(session, Attempt.result), 0)
                + func.coalesce(_size(session, Attempt.histogram), 0)
            )
        )
        .join(Trial, Trial.id == Attempt.trial_id)
        .where(Trial.run_id.in_(runs))
    )
    return int(sum(session.scalar(one) or 0 for one in (results, attempts)))


def _size(session: Session, document: Any) -> ColumnElement[int]:
    """Return SQL for the stored size of a document."""
    if session.get_bind().dialect.name == "postgresql":
        return func.pg_column_size(document)
    return func.length(document)


def _count(session: Session, column: Any) -> int:
    return session.scalar(select(func.count(column))) or 0


def _database(session: Session) -> tuple[int, int | None]:
    """Return the size of the database on disk, and the part of it that is free for reuse."""
    bind = session.get_bind()
    if bind.dialect.name == "postgresql":
        return session.scalar(text("SELECT pg_database_size(current_database())")) or 0, None
    pages, free, size = (
        session.scalar(text(f"PRAGMA {name}")) or 0
        for name in ("page_count", "freelist_count", "page_size")
    )
    log = Path(f"{bind.engine.url.database}-wal")
    return pages * size + (log.stat().st_size if log.exists() else 0), free * size
