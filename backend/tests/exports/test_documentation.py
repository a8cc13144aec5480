"""Every column of every export is documented, in its order and with its type."""

from collections.abc import Iterable
from pathlib import Path

from assay.exports import comparison, layout
from assay.exports.layout import ExportLayout, TableColumn
from assay.kinds.export import ExportColumn
from assay.kinds.registry import KINDS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "exports.md"


def listed(columns: Iterable[TableColumn | ExportColumn]) -> str:
    return ", ".join(f"`{column.name}` {column.type}" for column in columns)


def documented() -> str:
    """Return the lists of columns as the page has them."""
    empty = ExportLayout([], [])
    of_attempt = empty.samples()[len(layout.OF_RUN + layout.OF_PLACE + layout.OF_TRIAL) :]
    lists = {
        "All rows": listed(layout.OF_RUN + layout.OF_PLACE + layout.OF_TRIAL),
        "Trials, of any kind": listed(layout.JUDGED),
    }
    for kind in KINDS:
        columns = KINDS[kind].export_columns
        lists[f"Parameters of *{kind}*"] = listed(one for one in columns if one.is_parameter)
        lists[f"Figures of *{kind}* (trials)"] = listed(
            one for one in columns if not one.is_parameter
        )
    lists["Samples"] = listed(of_attempt)
    lists["Compared figures"] = listed(comparison.RATIO_COLUMNS)
    lists["Conditions"] = listed(comparison.CONDITION_COLUMNS)
    return "\n\n".join(f"**{title}**: {names}." for title, names in lists.items())


def test_every_column_is_documented_in_its_order_with_its_type() -> None:
    assert documented() in PAGE.read_text()
