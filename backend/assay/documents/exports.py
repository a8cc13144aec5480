"""`python -m assay.documents.exports` writes the columns of all exports into `docs/exports.md`."""

from collections.abc import Iterable, Mapping

from assay.base.settings import REPOSITORY
from assay.history.exports import comparison, layout
from assay.history.exports.layout import ExportLayout
from assay.kinds.export import JUDGED, OF_TRIAL, TableColumn
from assay.kinds.registry import KINDS

PAGE = REPOSITORY / "docs" / "exports.md"
BEGIN, END = (
    "<!-- columns: written by `python -m assay.documents.exports` -->\n\n",
    "\n\n<!-- end of columns -->",
)


def written(page: str) -> str:
    """Return the page with the current columns in place of those that it has."""
    before, _, rest = page.partition(BEGIN)
    lists = "\n\n".join(f"**{title}**: {names}." for title, names in _lists().items())
    return before + BEGIN + lists + END + rest.partition(END)[2]


def _listed(columns: Iterable[TableColumn]) -> str:
    return ", ".join(f"`{column.name}` {column.type}" for column in columns)


def _lists() -> Mapping[str, str]:
    """Return the columns of each table, in their order and with their types."""
    of_run = [*layout.OF_RUN, *layout.OF_PLACE]
    of_attempt = ExportLayout([], []).samples()[len(of_run) + len(OF_TRIAL) :]
    lists = {
        "All rows": _listed([*of_run, *OF_TRIAL]),
        "Trials, of any kind": _listed(JUDGED),
    }
    for name, kind in KINDS.items():
        columns = kind.export_columns
        lists[f"Parameters of *{name}*"] = _listed(one for one in columns if one.is_parameter)
        lists[f"Figures of *{name}* (trials)"] = _listed(
            one for one in columns if not one.is_parameter
        )
        found = kind.csv_columns(kind.result.model_validate(kind.examples.result))
        known = {one.name for one in (*OF_TRIAL, *JUDGED, *columns)}
        if more := [one for one in found if one.name not in known]:
            lists[f"Only in `result.csv` of *{name}*"] = _listed(more)
    lists["Samples"] = _listed(of_attempt)
    lists["Compared figures"] = _listed(comparison.RATIO_COLUMNS)
    lists["Conditions"] = _listed(comparison.CONDITION_COLUMNS)
    return lists


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
