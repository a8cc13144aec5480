"""What the commands of hosts, targets, arrays and profiles have in common."""

from typing import Annotated, Any, cast

import typer

from assay.cli import objects
from assay.cli.client import connected
from assay.cli.console import AsJson, output, print_json, shown
from assay.cli.described import print_object
from assay.cli.labels import changed, print_labels
from assay.client import Assay
from assay.client.nouns import Editable, Noun

Which = Annotated[str, typer.Argument(help="Name or id; of a target also HOST/PATH")]


def reference(given: str) -> int | str:
    """Return an id or a name as the client takes it."""
    return int(given) if given.isdecimal() else given


def noun_of(assay: Assay, name: str) -> Noun[Any]:
    """Return what the client can do with a noun, such as `host`."""
    return getattr(assay, f"{name}s")


def add_common(app: typer.Typer, name: str) -> None:
    """Add `show` and `delete` for a noun, and `label` if it has labels."""

    def show(which: Which, as_json: AsJson = False) -> None:
        with connected("viewer") as assay:
            print_object(noun_of(assay, name).get(reference(which)), as_json=as_json)

    def delete(which: Which, as_json: AsJson = False) -> None:
        with connected("admin") as assay:
            noun = noun_of(assay, name)
            found = noun.get(reference(which))
            noun.delete(found.id)
        if as_json:
            print_json(found)
        else:
            output.print(shown(f"{name} {found.id}: deleted: {_name(found)}"), highlight=False)

    app.command(help=f"Show the {name}.")(show)
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
        with connected("admin") as assay:
            editable = cast(Editable[Any], noun_of(assay, name))
            found = editable.get(reference(which))
            body: dict[str, Any] = {} if reference_ is None else {"reference": reference_ or None}
            if changes:
                body["labels"] = changed(found.labels, changes)
            if body:
                found = editable.change(found.id, body, etag=found.etag)
        print_labels(found.labels, found.reference, as_json)

    app.command(help=f"Change labels and external reference of the {name}, then print them.")(label)


def _name(found: Any) -> str:
    """Return how people name an object: by its name, or a target by its host and path."""
    return f"{found.host_name}{found.path}" if hasattr(found, "host_name") else found.name
