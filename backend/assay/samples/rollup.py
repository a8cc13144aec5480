"""Roll-ups: neighbouring samples merged into buckets of 10, 100 and 1000, pure.

A bucket keeps the rate of its slowest and of its fastest sample beside the merged columns, so a
stall is seen at every zoom. A bucket that is not yet full is merged again as samples arrive.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from assay.samples.columns import COLUMNS, NAMES, Column
from assay.samples.models import ROLLUP_FACTOR, ROLLUP_LEVELS

Row = Sequence[int | None]
"""A sample's values in the order of its columns."""

_BYTES, _DT = NAMES.index("bytes"), NAMES.index("dt_ns")
_MAX_RATE = 2**63 - 1


@dataclass(frozen=True)
class Bucket:
    """Samples merged into one: how many, their slowest and fastest rate, and their columns."""

    count: int
    rate_min: int
    rate_max: int
    values: tuple[int | None, ...]


def rate(size: int, duration_ns: int) -> int:
    """Bytes per second, 0 for no time at all."""
    return min(size * 10**9 // duration_ns, _MAX_RATE) if duration_ns else 0


def of_sample(values: Row) -> Bucket:
    """A sample as the bucket of one."""
    speed = rate(values[_BYTES] or 0, values[_DT] or 0)
    return Bucket(1, speed, speed, tuple(values))


def merge(buckets: Sequence[Bucket]) -> Bucket:
    """Neighbouring buckets, in their order, as one; what is unknown in all stays unknown."""
    if len(buckets) == 1:
        return buckets[0]
    columns = zip(*(bucket.values for bucket in buckets), strict=True)
    return Bucket(
        count=sum(bucket.count for bucket in buckets),
        rate_min=min(bucket.rate_min for bucket in buckets),
        rate_max=max(bucket.rate_max for bucket in buckets),
        values=tuple(
            _merge_values(column, values) for column, values in zip(COLUMNS, columns, strict=True)
        ),
    )


def merge_neighbours(column: Column, values: Sequence[int | None], width: int) -> list[int | None]:
    """A column of buckets with each `width` neighbours merged into one."""
    starts = range(0, len(values), width)
    if column.nullable and None in values:
        return [_merge_values(column, values[i : i + width]) for i in starts]
    known: Sequence[Any] = values
    merged = _MERGES[column.merge]
    return [merged(known[i : i + width]) for i in starts]


def roll_up(rows: Sequence[Row], first: int) -> dict[tuple[int, int], Bucket]:
    """Buckets by (level, number) that hold `rows`, samples `first`, `first` + 1, … of an attempt.

    Each level is made of the one below. The first bucket of a level may be partial: what is
    stored of it has to be merged in front.
    """
    buckets: dict[tuple[int, int], Bucket] = {}
    below = [(first + i, of_sample(row)) for i, row in enumerate(rows)]
    for level in ROLLUP_LEVELS:
        grouped = groupby(below, key=lambda numbered: numbered[0] // ROLLUP_FACTOR)
        below = [(number, merge([bucket for _, bucket in group])) for number, group in grouped]
        buckets |= {(level, number): bucket for number, bucket in below}
    return buckets


def _merge_values(column: Column, values: Sequence[Any]) -> int | None:
    known = [value for value in values if value is not None] if column.nullable else values
    return _MERGES[column.merge](known) if known else None


_MERGES: dict[str, Callable[[Sequence[int]], int]] = {
    "sum": sum,
    "min": min,
    "max": max,
    "last": itemgetter(-1),
}
