"""Every column of every export is documented, in its order and with its type."""

from collections.abc import Iterable
from pathlib import Path

from assay.exports import comparison, layout
from assay.exports.layout import ExportLayout
from assay.kinds.export import JUDGED, OF_TRIAL, TableColumn
from assay.kinds.registry import KINDS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "exports.md"


def listed(columns: Iterable[TableColumn]) -> str:
    return ", ".join(f"`{column.name}` {column.type}" for column in columns)


def documented() -> str:
    """Return the lists of columns as the page has them."""
    of_run = [*layout.OF_RUN, *layout.OF_PLACE]
    of_attempt = ExportLayout([], []).samples()[len(of_run) + len(OF_TRIAL) :]
    lists = {
        "All rows": listed([*of_run, *OF_TRIAL]),
        "Trials, of any kind": listed(JUDGED),
    }
    for name, kind in KINDS.items():
        columns = kind.export_columns
        lists[f"Parameters of *{name}*"] = listed(one for one in columns if one.is_parameter)
        lists[f"Figures of *{name}* (trials)"] = listed(
            one for one in columns if not one.is_parameter
        )
        found = kind.csv_columns(kind.result.model_validate(kind.examples.result))
        known = {one.name for one in (*OF_TRIAL, *JUDGED, *columns)}
        if more := [one for one in found if one.name not in known]:
            lists[f"Only in `result.csv` of *{name}*"] = listed(more)
    lists["Samples"] = listed(of_attempt)
    lists["Compared figures"] = listed(comparison.RATIO_COLUMNS)
    lists["Conditions"] = listed(comparison.CONDITION_COLUMNS)
    return "\n\n".join(f"**{title}**: {names}." for title, names in lists.items())


def test_every_column_is_documented_in_its_order_with_its_type() -> None:
    assert documented() in PAGE.read_text()
