"""The columns of samples and marks, in the probe's order.

The contract declares them once, in `worker/probe/contract/columns.json`, of which `make columns`
writes a copy beside this file: ingest, blocks, roll-ups, the API's series and exports follow.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

CONTRACT = Path(__file__).with_name("columns.json")

SeriesForm = Literal["share", "rate", "amount", "time"]
"""How a series shows a column: as a part of the time, per second, or as it is; times are rounded to
microseconds."""


@dataclass(frozen=True)
class Column:
    """A column's name, how it merges, and whether it may be null.

    `merge` is how neighboring rows are merged: `sum`, `max`, `min`, or `last`. `series` is how the
    API's series show it; None if they do not, or not by itself.
    """

    name: str
    merge: str = "sum"
    nullable: bool = False
    series: SeriesForm | None = None
    description: str = ""

    @property
    def series_name(self) -> str:
        """Return the name of its series."""
        if self.series == "share":
            return self.name.removesuffix("_ns")
        return f"{self.name}_per_s" if self.series == "rate" else self.name


def declared(rows: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
    """Return the columns that rows of the contract declare."""
    fields = Column.__dataclass_fields__
    return tuple(Column(**{key: row[key] for key in row if key in fields}) for row in rows)


_CONTRACT: Mapping[str, Any] = json.loads(CONTRACT.read_text())

COLUMNS = declared(_CONTRACT["columns"])

NAMES: tuple[str, ...] = tuple(column.name for column in COLUMNS)

MARK_COLUMNS = declared(_CONTRACT["mark_columns"])

SYNC = 1
"""The phase of a sample of the final sync; a sample of writing has 0, of reading 2."""
