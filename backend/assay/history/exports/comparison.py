"""What Compare shows as rows: each figure beside that of the base, and differing conditions."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from assay.history.compare.schemas import Comparison
from assay.kinds.export import Row, TableColumn
from assay.kinds.registry import comparing_kind

RATIO_COLUMNS: tuple[TableColumn, ...] = (
    TableColumn("base_run_id", "integer"),
    TableColumn("run_id", "integer"),
    TableColumn("kind", "text"),
    TableColumn("cell", "text"),
    TableColumn("figure", "text"),
    TableColumn("base_value", "number"),
    TableColumn("value", "number"),
    TableColumn("ratio", "number"),
    TableColumn("ratio_of", "text"),
    TableColumn("p", "number"),
    TableColumn("answer", "text"),
)
CONDITION_COLUMNS: tuple[TableColumn, ...] = (
    TableColumn("condition", "text"),
    TableColumn("label", "text"),
    TableColumn("run_id", "integer"),
    TableColumn("value", "text"),
)


def ratios(found: Comparison) -> Iterator[Sequence[Row]]:
    """Yield the figures of each run after the first beside those of the first."""
    comparing = comparing_kind({run.kind for run in found.runs})
    if comparing is None:
        return
    for comparison in [found.outcome, *found.others] if found.outcome else ():
        yield [
            (
                one.base_run_id,
                one.run_id,
                comparing.name,
                one.cell,
                one.figure,
                one.base_value,
                one.value,
                one.ratio,
                "run ÷ base" if one.of_base else "base ÷ run",
                one.p,
                one.answer or None,
            )
            for one in comparing.export_ratios(comparison)
        ]


def conditions(found: Comparison) -> Iterator[Sequence[Row]]:
    """Yield the conditions that differ, a row for each run."""
    for one in found.differences:
        yield [
            (one.name, one.what, run.id, _text(value))
            for run, value in zip(found.runs, one.values, strict=True)
        ]


def _text(value: Any) -> str | None:
    """Return a condition as text; those that are no text as JSON."""
    return value if value is None or isinstance(value, str) else json.dumps(value)
