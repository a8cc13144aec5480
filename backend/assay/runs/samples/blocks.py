"""Sample blocks: packing samples, and reading a block at one level of detail. Pure.

A level is a roll-up: neighboring samples merged into buckets of 10, 100 and 1000, by column. In
addition to the merged columns, a bucket has the rates of its slowest and fastest sample, so that
stalls remain visible at every zoom level.
"""

import struct
from collections.abc import Callable, Collection, Mapping, Sequence
from operator import itemgetter
from typing import Any

from assay.runs.samples import codec
from assay.runs.samples.columns import COLUMNS, NAMES, Column
from assay.tables.samples import BLOCK_SAMPLES

FACTOR = 10
"""Samples (or buckets of the level below) in a bucket."""

LEVELS = (1, 2, 3)
"""Level n has buckets of `FACTOR ** n` samples."""

SampleRow = Sequence[int | None]
"""A sample's values in the order of its columns."""

Course = Mapping[str, Sequence[int | None]]
"""Neighboring buckets, one sequence per column of `COURSE`."""

COURSE: tuple[Column, ...] = (
    Column("count"),
    Column("rate_min", "min"),
    Column("rate_max", "max"),
    *COLUMNS,
)
"""A bucket's columns: number of samples, lowest and highest rate, and the merged values."""

_MAX_RATE = 2**63 - 1


def rate(size: int, duration_ns: int) -> int:
    """Return bytes per second, 0 if the duration is 0."""
    return min(size * 10**9 // duration_ns, _MAX_RATE) if duration_ns else 0


def columns_of(rows: Sequence[SampleRow]) -> dict[str, Sequence[int | None]]:
    """Transpose samples into their columns."""
    return (
        dict(zip(NAMES, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(NAMES, ())
    )


def of_samples(columns: Course) -> Course:
    """Return samples as buckets of one sample each."""
    sizes: Sequence[Any] = columns["bytes"]
    lengths: Sequence[Any] = columns["dt_ns"]
    speed = list(map(rate, sizes, lengths))
    return {"count": [1] * len(speed), "rate_min": speed, "rate_max": speed, **columns}


def merged(course: Course, width: int) -> Course:
    """Merge each `width` neighbors into one; a value that is null in all of them stays null."""
    return {column.name: _merge_neighbors(column, course[column.name], width) for column in COURSE}


def roll_up(columns: Course) -> list[Course]:
    """Return the buckets of each level, made of the level below; the last may be partial."""
    course, levels = of_samples(columns), list[Course]()
    for _ in LEVELS:
        course = merged(course, FACTOR)
        levels.append(course)
    return levels


def _merge_neighbors(column: Column, values: Sequence[int | None], width: int) -> list[int | None]:
    starts = range(0, len(values), width)
    merge = _MERGES[column.merge]
    if column.nullable and None in values:
        groups = ([value for value in values[i : i + width] if value is not None] for i in starts)
        return [merge(known) if known else None for known in groups]
    known: Sequence[Any] = values
    return [merge(known[i : i + width]) for i in starts]


_MERGES: dict[str, Callable[[Sequence[int]], int]] = {
    "sum": sum,
    "min": min,
    "max": max,
    "last": itemgetter(-1),
}


_LENGTHS = struct.Struct(f"<{len(LEVELS)}I")

_COURSE = tuple(column.name for column in COURSE)
"""All columns of a bucket; older blocks have fewer."""

_DERIVED = frozenset({"count", "rate_min", "rate_max"})
"""Columns of a bucket that a sample does not store."""


class UnknownFormatError(Exception):
    """A block has a layout that this version cannot read."""

    def __init__(self, version: int) -> None:
        """Describe what to do."""
        super().__init__(
            f"A sample block has format {version}, but this Assay reads format {codec.FORMAT}. "
            "Run `assay rebuild` for its run."
        )


def seal(
    run_id: int, attempt_id: int, first: int, rows: Sequence[SampleRow], *, ended: bool
) -> list[dict[str, Any]]:
    """Pack samples `first`, `first` + 1, … of an attempt into blocks, as rows of the table.

    `first` is the first sample of a block. Unless the attempt has `ended`, samples that do not fill
    a block are omitted.
    """
    full = len(rows) if ended else len(rows) - len(rows) % BLOCK_SAMPLES
    return [
        _block(run_id, attempt_id, first + at, rows[at : min(at + BLOCK_SAMPLES, full)])
        for at in range(0, full, BLOCK_SAMPLES)
    ]


def read(
    version: int, data: bytes, count: int, level: int, wanted: Collection[str] | None = None
) -> Course:
    """Return a block of `count` samples: `data` is its `samples` for level 0, else its `rollups`.

    If `wanted` is given, only these columns are read. Raises UnknownFormatError.
    """
    if version != codec.FORMAT:
        raise UnknownFormatError(version)
    if level:
        lengths = _LENGTHS.unpack_from(data)
        start = _LENGTHS.size + sum(lengths[: level - 1])
        packed = data[start : start + lengths[level - 1]]
        return codec.unpack(packed, -(-count // FACTOR**level), wanted or _COURSE)
    if wanted is None:
        return of_samples(codec.unpack(data, count, NAMES))
    return codec.unpack(data, count, [name for name in wanted if name not in _DERIVED])


def _block(run_id: int, attempt_id: int, first: int, rows: Sequence[SampleRow]) -> dict[str, Any]:
    columns = columns_of(rows)
    ends: Any = columns["end_ns"]
    levels = [codec.pack(level) for level in roll_up(columns)]
    return {
        "run_id": run_id,
        "attempt_id": attempt_id,
        "first": first,
        "count": len(rows),
        "begin_ns": ends[0] - (columns["dt_ns"][0] or 0),
        "end_ns": max(ends),
        "format": codec.FORMAT,
        "samples": codec.pack(columns),
        "rollups": _LENGTHS.pack(*map(len, levels)) + b"".join(levels),
    }
