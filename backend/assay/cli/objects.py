"""`list`, `show`, `change` and `delete` of objects that the API has, in the same words for each."""

import json
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, cast
from urllib.parse import quote

import typer

from assay.cli.client import connected
from assay.cli.console import (
    AsJson,
    CommandError,
    json_only,
    minute,
    output,
    print_json,
    print_list,
    shown,
)
from assay.cli.described import print_object
from assay.cli.files import read
from assay.cli.filters import filtered

_TIME = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+Z")

Which = Annotated[str, typer.Argument(help="Name or id; of a target also HOST/PATH")]
Fields = Annotated[
    list[str],
    typer.Argument(
        metavar="FIELD=VALUE...",
        help="Fields of the API: text or JSON, as in name=ci enabled=false text=@FILE",
    ),
]


def fields_of(given: Sequence[str]) -> dict[str, Any]:
    """Return a body of the API from FIELD=VALUE; raises CommandError.

    What is no JSON is text: `address=10.0.0.7`. A text that is JSON needs quotes: `name='"7"'`.
    `@FILE` is the text of a file, and `@-` that of standard input: arguments are no place for
    secrets.
    """
    found: dict[str, Any] = {}
    for one in given:
        field, equals, text = one.partition("=")
        if not equals or not field:
            raise CommandError(f"{one!r} is no field. Write it as FIELD=VALUE.")
        if field in found:
            raise CommandError(f"{field} is given more than once. Give one value.")
        if text.startswith("@"):
            found[field] = read(Path(text[1:])).removesuffix("\n")
            continue
        try:
            found[field] = json.loads(text)
        except ValueError:
            found[field] = text
    return found


def path_of(path: str, which: str) -> str:
    """Return the path of an object by its name or id."""
    return f"{path}/{quote(which, safe='')}"


def add_list(
    app: typer.Typer, plural: str, path: str, columns: Mapping[str, str], *filters: str
) -> None:
    """Add `list`; `columns` has a field of the API for each title."""

    @filtered(*filters)
    def list_objects(query: dict[str, Any], as_json: AsJson = False) -> None:
        with connected("admin") as assay:
            found = assay.all(path, **query)
        print_list(found, tuple(columns), row, as_json=as_json)

    def row(one: dict[str, Any]) -> list[str]:
        return [_text(one[field]) for field in columns.values()]

    app.command("list", help=f"List {plural}.")(list_objects)


def add_show(app: typer.Typer, what: str, path: str) -> None:
    """Add `show`."""

    def show(which: Which, as_json: AsJson = False) -> None:
        with connected("admin") as assay:
            print_object(assay.get(path_of(path, which)), as_json=as_json)

    app.command(help=f"Show the {what}.")(show)


def add_create(app: typer.Typer, what: str, path: str, example: str) -> None:
    """Add `add`; `example` shows its fields."""

    @json_only
    def add(fields: Fields) -> None:
        with connected("admin") as assay:
            print_json(assay.post(path, fields_of(fields)))

    app.command(help=f"Create a {what}, such as: {example}")(add)


def add_change(app: typer.Typer, what: str, path: str) -> None:
    """Add `change`, which fails if somebody else changes the object at the same time."""

    @json_only
    def change(which: Which, fields: Fields) -> None:
        body = fields_of(fields)
        with connected("admin") as assay:
            found = assay.get(path_of(path, which))
            print_json(assay.patch(f"{path}/{found['id']}", body, etag=found["etag"]))

    app.command(help=f"Change fields of the {what}, and print it as JSON.")(change)


def add_delete(
    app: typer.Typer,
    what: str,
    path: str,
    *,
    consequence: str = "",
    name: Callable[[dict[str, Any]], str] = operator.itemgetter("name"),
) -> None:
    """Add `delete`; `name` returns that of an object."""

    def delete(which: Which, as_json: AsJson = False) -> None:
        with connected("admin") as assay:
            found = assay.get(path_of(path, which))
            assay.delete(f"{path}/{found['id']}")
        if as_json:
            print_json(found)
        else:
            output.print(shown(f"{what} {found['id']}: deleted: {name(found)}"), highlight=False)

    app.command(help=f"Delete the {what}{consequence}.")(delete)


def _text(value: object) -> str:
    """Return a field of the API for a table; times, which end with Z, to the minute."""
    if isinstance(value, str) and _TIME.fullmatch(value):
        return minute(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "\n".join(map(str, cast("list[object]", value)))
    return "" if value is None else str(value)
