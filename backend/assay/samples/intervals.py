"""The course of all trials of a run in a constant number of statements, each from few rows."""

from collections import defaultdict
from typing import Any

from sqlalchemy import Select, Table, case, cast, func, select
from sqlalchemy.orm import Session

from assay.analysis.cells import COUNTED
from assay.analysis.cliff import LEAST_NS, Intervals
from assay.db.database import Big
from assay.runs.models import Attempt, Trial
from assay.samples.columns import SYNC
from assay.samples.models import ROLLUP_FACTOR, ROLLUP_LEVELS, rollups, samples

FEWEST = 60
"""Intervals into which a trial of as many samples is divided at least; at most twice as many."""


def of_run(session: Session, run_id: int) -> dict[int, Intervals]:
    """Writing or reading of each attempt that counts and is long enough for two levels, by its id.

    The final sync is left out; an interval that it shares with the writing ends with the writing.
    """
    found: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for level in (0, *ROLLUP_LEVELS):
        for row in session.execute(_wanted(run_id, level)):
            found[row.attempt_id].append(tuple(row))
    return {attempt: _intervals(rows) for attempt, rows in found.items()}


def _wanted(run_id: int, level: int) -> Select[*tuple[Any, ...]]:
    """What a level has of the attempts for which it is the coarsest one that is fine enough."""
    table: Table = rollups if level else samples
    number, device = table.c.bucket if level else table.c.number, table.c.dev_write_bytes
    least = FEWEST * ROLLUP_FACTOR**level
    count = Attempt.sample_count
    fits = [count >= least] if level else []
    if level != ROLLUP_LEVELS[-1]:
        fits.append(count < least * ROLLUP_FACTOR)
    begin = table.c.end_ns - table.c.dt_ns
    interval = number // case((count < least, 1), else_=count // least)
    wanted = (
        select(
            table.c.attempt_id,
            Attempt.app_ns,
            func.min(begin),
            func.max(table.c.end_ns),
            cast(func.sum(table.c.bytes), Big),  # PostgreSQL adds integers up to decimals
            case((func.count() == func.count(device), cast(func.sum(device), Big))),
        )
        .join(Attempt, Attempt.id == table.c.attempt_id)
        .join(Trial)
        .where(Trial.run_id == run_id, Attempt.status.in_(COUNTED))
        .where(Attempt.app_ns >= 2 * LEAST_NS, *fits)
        .where((table.c.phase != SYNC) | (begin < Attempt.app_ns))
        .group_by(table.c.attempt_id, Attempt.app_ns, interval)
        .order_by(table.c.attempt_id, func.min(begin))
    )
    return wanted.where(rollups.c.level == level) if level else wanted


def _intervals(rows: list[tuple[Any, ...]]) -> Intervals:
    _, app_ns, begins, until, moved, device = zip(*rows, strict=True)
    ends = [min(end, app) for end, app in zip(until, app_ns, strict=True)]
    lengths = [end - begin for begin, end in zip(begins, ends, strict=True)]
    return Intervals(ends, lengths, moved, device)
