"""Roll-ups: neighboring samples merged into buckets of 10, 100 and 1000, by column. Pure.

In addition to the merged columns, a bucket has the rates of its slowest and fastest sample, so that
stalls remain visible at every zoom level.
"""

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from assay.samples.columns import COLUMNS, NAMES, Column

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
