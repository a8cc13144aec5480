"""Output and errors of the command line."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, TypeVar

import typer
from pydantic_core import to_jsonable_python
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from assay.campaigns.tables import TextTable
from assay.cli.filters import Command, with_options
from assay.printable import one_line, printable

output = Console()
errors = Console(stderr=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON")]
OnlyJson = Annotated[bool, typer.Option("--json", help="Print JSON, as without this option")]

Item = TypeVar("Item")


def shown(text: str) -> str:
    """Escape untrusted text: neither rich markup nor terminal escapes take effect."""
    return escape(printable(text))


def shown_line(text: str) -> str:
    """Escape untrusted text of one line, such as one with a path."""
    return escape(one_line(text))


def print_json(document: object) -> None:
    """Print a document as JSON; an API type as the API has it."""
    typer.echo(json.dumps(to_jsonable_python(document), indent=2))


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
    found: Sequence[Item],
    columns: Sequence[str],
    cells: Callable[[Item], Sequence[str]],
    *,
    as_json: bool,
    title: str | None = None,
) -> None:
    """Print a list as JSON, or as a table with the cells, untrusted texts, of each item."""
    if as_json:
        print_json(found)
        return
    made = table(*columns, title=title)
    for one in found:
        made.add_row(*map(shown, cells(one)))
    output.print(made)


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
