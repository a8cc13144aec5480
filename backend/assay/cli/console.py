"""Output and errors of the command line."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Annotated, Any, cast

import typer
from pydantic_core import to_jsonable_python
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from assay.base.printable import one_line, printable
from assay.base.words import size
from assay.cli.options import WIDE, Command, with_options
from assay.runs.campaigns.tables import TextTable

output = Console()
errors = Console(stderr=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON")]
OnlyJson = Annotated[bool, typer.Option("--json", help="Print JSON, as without this option")]

GAP = "   "
NARROWEST = 4
"""Cells of a truncated column, at least."""

Cell = str | Callable[[Any], str]
"""The path of a field, or what makes the text of a cell from an item."""

Columns = Mapping[str, Cell]
"""The cells of a list by the titles of its columns."""


def shown(text: str) -> str:
    """Escape untrusted text: neither rich markup nor terminal escapes take effect."""
    return escape(printable(text))


def shown_line(text: str) -> str:
    """Escape untrusted text of one line, such as one with a path."""
    return escape(one_line(text))


def print_json(document: object) -> None:
    """Print a document as JSON; an API type as the API has it."""
    typer.echo(json.dumps(to_jsonable_python(document), indent=2))


def say(found: object, *lines: str, as_json: bool) -> None:
    """Print what a command did: an object as JSON, or lines of untrusted text about it."""
    if as_json:
        print_json(found)
        return
    for line in lines:
        output.print(shown(line), highlight=False)


def table(*columns: str, title: str | None = None, numbers: bool = False) -> Table:
    """Return a table that wraps what is too wide for the terminal instead of truncating it.

    With `numbers`, all columns but the first are aligned to the right. Titles are escaped here;
    cells are not.
    """
    made = Table(title=None if title is None else shown(title))
    for position, column in enumerate(columns):
        right = numbers and position > 0
        made.add_column(shown(column), justify="right" if right else "left", overflow="fold")
    return made


def print_table(printed: TextTable) -> None:
    """Print a table of untrusted texts; all columns but the first are figures."""
    made = table(*printed.columns, title=printed.title, numbers=True)
    for row in printed.rows:
        made.add_row(*map(shown, row))
    output.print(made)


def print_list(
    found: Sequence[object],
    columns: Columns,
    *,
    as_json: bool,
    title: str | None = None,
    wide: Sequence[str] = (),
) -> None:
    """Print a list as JSON, or a line for each item with its cells, untrusted texts.

    A terminal gets columns as wide as it is, and other programs whole texts between tabs. `wide`
    are the columns that only `-o wide` shows. A title is for a command that prints several lists.
    """
    if as_json:
        print_json(found)
        return
    is_wide = WIDE.get()
    chosen = [cell for name, cell in columns.items() if is_wide or name not in wide]
    titles = [name.upper() for name in columns if is_wide or name not in wide]
    rows = [titles, *([_cell(one, cell) for cell in chosen] for one in found)]
    if title is not None:
        typer.echo(one_line(title))
    width = None if is_wide else output.width
    for line in aligned(rows, width) if output.is_terminal else map("\t".join, rows):
        typer.echo(line)


def in_order(*titles: str) -> Columns:
    """Return the columns of items that are rows of texts."""
    return {title: itemgetter(position) for position, title in enumerate(titles)}


def value_at(found: object, path: str) -> object:
    """Return a field of an object of the API by its path, such as `array.name`; None without it."""
    for name in path.split("."):
        found = None if found is None else getattr(found, name)
    return found


def _cell(found: object, cell: Cell) -> str:
    said = cell(found) if callable(cell) else _text(cell, value_at(found, cell))
    return one_line(said.replace("\n", ", "))


def _text(path: str, value: object) -> str:
    """Return the value of a field for a list."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case datetime():
            return minute(value)
        case list():
            return "\n".join(map(str, cast("list[object]", value)))
        case int() if path.endswith("_bytes"):
            return size(value)
        case _:
            return str(value)


def aligned(rows: Sequence[Sequence[str]], width: int | None) -> Iterator[str]:
    """Yield rows with aligned columns; the widest are truncated until a line fits in `width`."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    most = sum(widths) if width is None else width - len(GAP) * (len(widths) - 1)
    while sum(widths) > most and max(widths) > NARROWEST:
        widths[widths.index(max(widths))] -= 1
    for row in rows:
        fitted = (_fitted(text, size) for text, size in zip(row, widths, strict=True))
        yield GAP.join(fitted).rstrip()


def _fitted(text: str, size: int) -> str:
    """Return a text with `size` cells of a terminal, truncated or with spaces after it."""
    return (
        set_cell_size(text, size - 1) + "…" if cell_len(text) > size else set_cell_size(text, size)
    )


def json_only(command: Command) -> Command:
    """Let a command that prints nothing but JSON accept `--json`, as all others do."""

    def called(**given: Any) -> None:
        del given["as_json"]
        command(**given)

    return with_options(called, command, {"as_json": (OnlyJson, False)})


def minute(at: datetime | str | None) -> str:
    """Return a time in UTC to the minute: `2026-12-05 09:14`; nothing for none."""
    return "" if at is None else f"{at}".replace("T", " ")[:16]


class CommandError(Exception):
    """A failed command; the message has reason and remedy for the user."""

    def __init__(self, message: str, exit_code: int = 2) -> None:
        """Use `exit_code` 2 if the command did not start its work, and 1 if the work failed."""
        super().__init__(message)
        self.exit_code = exit_code
