"""CSV as all downloads have it: RFC 4180, numbers unrounded, times in UTC, no cell is a formula."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from assay.kinds.export import Row, TableColumn

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet calculates a cell that begins with one of these."""


def table(names: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Return the CSV of rows, after the names of their columns."""
    return lines([names, *(map(cell, row) for row in rows)])


def lines(rows: Iterable[Iterable[object]]) -> str:
    """Return rows whose values are cells already."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue()


def cell(value: object) -> object:
    """Return a value as text where the `csv` module would not write it as wanted."""
    match value:
        case str():
            return "'" + value if value.startswith(FORMULA) else value
        case bool():
            return str(value).lower()
        case datetime():
            return value.isoformat(timespec="microseconds").replace("+00:00", "Z")
        case _:
            return value


MEDIA_TYPE = "text/csv; charset=utf-8"

_NUMBERS = ("integer", "number")
"""The types of columns that are written as they are: most columns of samples."""


def written(columns: Sequence[TableColumn], batches: Iterator[Sequence[Row]]) -> Iterator[bytes]:
    """Yield the file in parts, a part per batch; the first has the names of the columns."""
    others = [place for place, column in enumerate(columns) if column.type not in _NUMBERS]
    yield lines([[column.name for column in columns]]).encode()
    for rows in batches:
        if rows:
            by_column: list[Any] = list(zip(*rows, strict=True))
            for place in others:
                by_column[place] = map(cell, by_column[place])
            yield lines(zip(*by_column, strict=True)).encode()
