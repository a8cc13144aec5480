"""What the commands of hosts, targets, arrays and profiles have in common."""

from typing import Annotated, Any, cast

import typer

from assay.cli import objects
from assay.cli.client import connected
from assay.cli.console import AsJson, CommandError, print_json
from assay.cli.organize import changed, print_labels
from assay.client import Assay
from assay.client.nouns import Editable, Noun

Which = Annotated[str, typer.Argument(help="Name or id; of a target also HOST/PATH")]


def reference(given: str) -> int | str:
    """Return an id or a name as the client takes it."""
    return int(given) if given.isdecimal() else given


def named(noun: str, wanted: str | None) -> dict[str, str | int]:
    """Return a field or filter by name; by id also for what was deleted, whose results are kept."""
    if wanted is None:
        return {}
    return {f"{noun}_id": int(wanted)} if wanted.isdecimal() else {noun: wanted}


def placed(host: str | None, array: str | None, target: str | None) -> dict[str, str | int]:
    """Return the filters of places that are given."""
    return named("host", host) | named("array", array) | named("target", target)


def noun_of(assay: Assay, name: str) -> Noun[Any]:
    """Return what the client can do with a noun, such as `host`."""
    return getattr(assay, f"{name}s")


def labeled(given: list[str]) -> dict[str, str]:
    """Return the labels of options KEY=VALUE; raises CommandError."""
    found: dict[str, str] = {}
    for one in given:
        key, equals, value = one.partition("=")
        if not equals:
            raise CommandError(f"--label: {one!r} is not a label. Write it like rack=b7.")
        found[key] = value
    return found


def add_common(app: typer.Typer, name: str) -> None:
    """Add `show` and `delete` for a noun, and `label` if it has labels."""

    def show(which: Which) -> None:
        with connected("viewer") as assay:
            print_json(noun_of(assay, name).get(reference(which)))

    def delete(which: Which) -> None:
        with connected() as assay:
            noun_of(assay, name).delete(reference(which))

    app.command(help=f"Print the {name} as JSON.")(show)
    app.command(help=f"Delete the {name}; what was measured is kept.")(delete)
    if name == "profile":
        return
    objects.add_change(app, name, f"/{name}s")

    def label(
        which: Which,
        changes: Annotated[
            list[str] | None, typer.Argument(help="KEY=VALUE sets a label, KEY- removes it")
        ] = None,
        reference_: Annotated[
            str | None,
            typer.Option("--reference", help="In another system; an empty text removes it"),
        ] = None,
        as_json: AsJson = False,
    ) -> None:
        with connected() as assay:
            editable = cast(Editable[Any], noun_of(assay, name))
            found = editable.get(reference(which))
            body: dict[str, Any] = {} if reference_ is None else {"reference": reference_ or None}
            if changes:
                body["labels"] = changed(found.labels, changes)
            if body:
                found = editable.change(found.id, body, etag=found.etag)
        print_labels(found.labels, found.reference, as_json)

    app.command(help=f"Change labels and external reference of the {name}, then print them.")(label)
