"""Sample blocks: packing samples, and reading a block at one level of detail. Pure."""

import struct
from collections.abc import Collection, Sequence
from typing import Any

from assay.samples import codec
from assay.samples.columns import NAMES
from assay.samples.models import BLOCK_SAMPLES
from assay.samples.rollup import (
    COURSE,
    FACTOR,
    LEVELS,
    Course,
    SampleRow,
    columns_of,
    of_samples,
    roll_up,
)

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
