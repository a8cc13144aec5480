"""Rows as CSV, a part at a time."""

from collections.abc import Iterator, Sequence
from typing import Any

from assay import csv_text
from assay.exports.runs import Row
from assay.kinds.export import TableColumn

MEDIA_TYPE = "text/csv; charset=utf-8"

_NUMBERS = ("integer", "number")
"""The types of columns that are written as they are: most columns of samples."""


def written(columns: Sequence[TableColumn], batches: Iterator[Sequence[Row]]) -> Iterator[bytes]:
    """Yield the file in parts, a part per batch; the first has the names of the columns."""
    others = [place for place, column in enumerate(columns) if column.type not in _NUMBERS]
    yield csv_text.lines([[column.name for column in columns]]).encode()
    for rows in batches:
        if rows:
            by_column: list[Any] = list(zip(*rows, strict=True))
            for place in others:
                by_column[place] = map(csv_text.cell, by_column[place])
            yield csv_text.lines(zip(*by_column, strict=True)).encode()
