"""Marks of attempts: packing them into blocks, reading them, and drawing them."""

from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.analysis.throughput import Marks, neighbors
from assay.runs.samples import codec, raw
from assay.runs.samples.blocks import SampleRow, UnknownFormatError
from assay.runs.samples.columns import MARK_COLUMNS
from assay.runs.samples.schemas import MarkColumns, Numbers
from assay.runs.samples.series import four_digits
from assay.tables.database import among
from assay.tables.runs import Attempt, Trial
from assay.tables.samples import MarkBlock

_SECOND = 10**9
_NAMES = [column.name for column in MARK_COLUMNS]


def block(run_id: int, attempt_id: int, first: int, rows: Sequence[SampleRow]) -> dict[str, Any]:
    """Pack marks `first`, `first` + 1, … of an attempt, one or more, as a row of the table."""
    columns = {name: [row[i] for row in rows] for i, name in enumerate(_NAMES)}
    return {
        "run_id": run_id,
        "attempt_id": attempt_id,
        "first": first,
        "count": len(rows),
        "format": codec.FORMAT,
        "marks": codec.pack(columns),
    }


def of_attempts(session: Session, run_id: int, attempt_ids: Collection[int]) -> dict[int, Marks]:
    """Return all marks of these attempts of a run, by attempt; an attempt without marks is absent.

    Raises UnknownFormatError.
    """
    found: dict[int, dict[str, list[Any]]] = {}
    of_blocks = session.execute(
        select(MarkBlock.attempt_id, MarkBlock.format, MarkBlock.count, MarkBlock.marks)
        .where(MarkBlock.run_id == run_id, among(session, MarkBlock.attempt_id, attempt_ids))
        .order_by(MarkBlock.attempt_id, MarkBlock.first)
        .execution_options(yield_per=50)
    )
    for attempt_id, version, count, packed in of_blocks:
        if version != codec.FORMAT:
            raise UnknownFormatError(version)
        columns = found.setdefault(attempt_id, {name: [] for name in _NAMES})
        for name, values in codec.unpack(packed, count).items():
            columns[name].extend(values)
    for attempt_id, rows in raw.unsealed_marks(session, _open(session, attempt_ids)).items():
        columns = found.setdefault(attempt_id, {name: [] for name in _NAMES})
        for _, row in rows:
            for name, value in zip(_NAMES, row, strict=True):
                columns[name].append(value)
    return {attempt_id: Marks(**columns) for attempt_id, columns in found.items()}


def of_run(session: Session, run_id: int) -> dict[int, Marks]:
    """Return all marks of a run, by attempt; an attempt without marks is absent."""
    with_marks = session.scalars(
        select(Attempt.id)
        .join(Trial, Trial.id == Attempt.trial_id)
        .where(Trial.run_id == run_id, Attempt.mark_count > 0)
    ).all()
    return of_attempts(session, run_id, with_marks) if with_marks else {}


def mark_series(
    marks: Marks, points: int, window: tuple[int, int] | None = None, *, ramp_bytes: int = 0
) -> MarkColumns:
    """Return the marks in at most `points` points; extremes are kept.

    `window` are the cumulative bytes at which it begins and ends: a mark that overlaps it belongs
    to it. `ramp_bytes` were written before the first mark.
    """
    ends = list(accumulate(marks.bytes, initial=ramp_bytes))[1:]
    begins = [end - size for end, size in zip(ends, marks.bytes, strict=True)]
    inside = range(len(ends))
    if window is not None:
        since, until = window
        inside = [i for i in inside if ends[i] > since and begins[i] < until]
    groups = [
        inside[group.start : group.stop]
        for group in neighbors([marks.bytes[i] for i in inside], points)
    ]
    rates = [size * _SECOND // dt for size, dt in zip(marks.bytes, marks.dt_ns, strict=True)]

    def most(values: Sequence[int | None]) -> Numbers:
        of_groups = ([v for i in group if (v := values[i]) is not None] for group in groups)
        return [four_digits(max(known)) if known else None for known in of_groups]

    def total(values: Sequence[int]) -> list[int]:
        return [sum(values[i] for i in group) for group in groups]

    dt, ops = total(marks.dt_ns), total(marks.ops)
    return MarkColumns(
        begin_bytes=[begins[group[0]] for group in groups],
        end_bytes=[ends[group[-1]] for group in groups],
        t_ns=[marks.end_ns[group[-1]] for group in groups],
        dt_ns=list[int | float | None](dt),
        ops=list[int | float | None](ops),
        rate_min_bytes_per_s=[four_digits(min(rates[i] for i in group)) for group in groups],
        rate_mean_bytes_per_s=[
            four_digits(size * _SECOND // time)
            for size, time in zip(total(marks.bytes), dt, strict=True)
        ],
        rate_max_bytes_per_s=most(rates),
        lat_mean_ns=[
            four_digits(latency // count)
            for latency, count in zip(total(marks.lat_sum_ns), ops, strict=True)
        ],
        lat_max_ns=most(marks.lat_max_ns),
        lat_p99_ns=most(marks.lat_p99_ns),
        due_max_ns=most(marks.due_max_ns),
        backlog_bytes=most(marks.backlog_bytes),
    )


def _open(session: Session, attempt_ids: Collection[int]) -> Sequence[int]:
    """Return those of the attempts that have marks outside a block."""
    return session.scalars(
        select(Attempt.id).where(
            among(session, Attempt.id, attempt_ids), Attempt.mark_count > Attempt.marks_sealed
        )
    ).all()
