"""CSV as all downloads have it: RFC 4180, numbers unrounded, times in UTC, no cell is a formula."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import datetime

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
