"""Rows as CSV: RFC 4180, UTF-8, numbers unrounded, times in UTC, and no cell that is a formula."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any

from assay.exports.runs import Row
from assay.kinds.export import TableColumn

MEDIA_TYPE = "text/csv; charset=utf-8"

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet calculates a cell that begins with one of these."""


def written(columns: Sequence[TableColumn], batches: Iterator[Sequence[Row]]) -> Iterator[bytes]:
    """Yield the file in parts, a part per batch; the first has the names of the columns."""
    formats = [
        (place, _FORMATS[column.type])
        for place, column in enumerate(columns)
        if column.type in _FORMATS
    ]
    yield _lines([[column.name for column in columns]])
    for rows in batches:
        if rows:
            by_column: list[Any] = list(zip(*rows, strict=True))
            for place, formatted in formats:
                by_column[place] = map(formatted, by_column[place])
            yield _lines(zip(*by_column, strict=True))


def text(columns: Sequence[TableColumn], rows: Sequence[Row]) -> str:
    """Return a file of a few rows."""
    return b"".join(written(columns, iter([rows]))).decode()


def _lines(rows: Any) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue().encode()


def _safe(text: str | None) -> str | None:
    """Return text that no spreadsheet takes for a formula."""
    return "'" + text if text and text.startswith(FORMULA) else text


def _time(at: datetime | None) -> str | None:
    return at and at.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _boolean(value: bool | None) -> str | None:
    return None if value is None else str(value).lower()


_FORMATS: dict[str, Callable[[Any], str | None]] = {
    "text": _safe,
    "time": _time,
    "boolean": _boolean,
}
"""How values are written that the `csv` module does not write as wanted."""
