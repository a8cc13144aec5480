"""The commands that nouns share, made of the table of nouns, such as `assay host list`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.base import words
from assay.base.nouns import Noun, Verb
from assay.cli.arguments import changed, fields_of, print_labels, read
from assay.cli.connection import connected
from assay.cli.console import (
    AsJson,
    Columns,
    CommandError,
    json_only,
    output,
    print_json,
    print_list,
    say,
    shown,
    value_at,
)
from assay.cli.described import print_object
from assay.cli.options import filtered, filters_of
from assay.client import Assay
from assay.client.appliance import RESOURCES

CampaignId = Annotated[int, typer.Argument(help="The campaign's id", min=1)]
RunId = Annotated[int, typer.Argument(help="The run's id", min=1)]
Fields = Annotated[
    list[str],
    typer.Argument(
        metavar="FIELD=VALUE...",
        help="Fields of the API: text or JSON, as in name=ci enabled=false text=@FILE",
    ),
]
Earlier = Annotated[int, typer.Argument(help="Id of the deleted one", min=1)]

Listing = Callable[[Assay, dict[str, Any]], Sequence[Any]]
"""Returns what a list has by the parameters of the API."""

NO_CELLS: Columns = {}


def group(noun: Noun, cells: Columns = NO_CELLS, listing: Listing | None = None) -> Any:
    """Return the commands of a noun that other nouns have as well.

    `cells` makes the texts of the columns that the table leaves to code, and `listing` the list, if
    it is not as the API has it.
    """
    app = typer.Typer(help=noun.about, no_args_is_help=True)
    _add_list(app, noun, cells, listing or _listed(noun))
    for verb in noun.verbs:
        ADD[verb](app, noun)
    return app


def _resource(assay: Assay, noun: Noun) -> Any:
    return getattr(assay, noun.attribute)


def argument(noun: Noun) -> Any:
    """Return the argument that finds an object."""
    if noun.by_id:
        return typer.Argument(metavar=noun.group.upper(), help="Id", parser=_id)
    of_targets = "HOST/PATH, path, name or id"
    said = of_targets if len(noun.title) > 1 else "Name or id"
    return typer.Argument(metavar=noun.group.upper(), help=said)


def _id(text: str) -> str:
    if not text.isdecimal() or not int(text):
        raise typer.BadParameter(f"{text!r} is not an id.")
    return text


def _listed(noun: Noun) -> Listing:
    return lambda assay, query: list(_resource(assay, noun).list(**query))


def _add_list(app: typer.Typer, noun: Noun, cells: Columns, listing: Listing) -> None:
    columns = {title: field or cells[title] for title, field in noun.fields.items()}

    @filtered(filters_of(RESOURCES[noun.group]), sort=noun.sort, most=noun.most)
    def list_objects(query: dict[str, Any], as_json: AsJson = False) -> None:
        with connected(noun.reader) as assay:
            found = listing(assay, query)
        print_list(found, columns, as_json=as_json, wide=noun.wide)

    app.command("list", help=f"List {noun.listed or noun.plural}.")(list_objects)


def _add_show(app: typer.Typer, noun: Noun) -> None:
    def show(which: Annotated[str, argument(noun)], as_json: AsJson = False) -> None:
        with connected(noun.reader) as assay:
            print_object(_resource(assay, noun).get(which), as_json=as_json)

    app.command("show", help=f"Show the {noun.name}{noun.shown}.")(show)


def _add_create(app: typer.Typer, noun: Noun) -> None:
    @json_only
    def add(fields: Fields) -> None:
        with connected(noun.writer) as assay:
            print_json(_resource(assay, noun).create(fields_of(fields)))

    app.command("add", help=f"Create a {noun.name}, such as: {noun.example}")(add)


def _add_change(app: typer.Typer, noun: Noun) -> None:
    @json_only
    def change(which: Annotated[str, argument(noun)], fields: Fields) -> None:
        body = fields_of(fields)
        with connected(noun.writer) as assay:
            resource = _resource(assay, noun)
            found = resource.get(which)
            print_json(resource.change(found.id, body, etag=found.etag))

    app.command("change", help=f"Change fields of the {noun.name}, and print it as JSON.")(change)


def _add_label(app: typer.Typer, noun: Noun) -> None:
    def label(
        which: Annotated[str, argument(noun)],
        changes: Annotated[
            list[str] | None, typer.Argument(help="KEY=VALUE sets a label, KEY- removes it")
        ] = None,
        reference: Annotated[
            str | None,
            typer.Option(help="Ticket, order or asset in another system; an empty text removes it"),
        ] = None,
        as_json: AsJson = False,
    ) -> None:
        with connected(noun.writer) as assay:
            resource = _resource(assay, noun)
            found = resource.get(which)
            body: dict[str, Any] = {} if reference is None else {"reference": reference or None}
            if changes:
                body["labels"] = changed(found.labels, changes)
            if body:
                found = resource.change(found.id, body, etag=found.etag)
        print_labels(found.labels, found.reference, as_json)

    said = f"Change labels and external reference of the {noun.name}, then print them."
    app.command("label", help=said)(label)


def _add_note(app: typer.Typer, noun: Noun) -> None:
    def note(
        which: Annotated[str, argument(noun)],
        text: Annotated[
            str | None, typer.Argument(help="Markdown; an empty text removes it")
        ] = None,
        file: Annotated[
            Path | None, typer.Option(help="Read the text from this file; - is standard input")
        ] = None,
        as_json: AsJson = False,
    ) -> None:
        if text is not None and file is not None:
            raise CommandError("Give the text or --file, not both.")
        wanted = text if file is None else read(file)
        with connected("viewer" if wanted is None else "operator") as assay:
            resource = _resource(assay, noun)
            found = resource.notes(which) if wanted is None else resource.write_notes(which, wanted)
        if as_json:
            print_json(found)
        elif wanted is None and found.text:
            output.print(shown(found.text), highlight=False, end="")

    said = f"Replace the notes on the {noun.name}, or print them if no text is given."
    app.command("note", help=said)(note)


def _add_match(app: typer.Typer, noun: Noun) -> None:
    def match(
        which: Annotated[str, argument(noun)],
        earlier: Earlier,
        same: Annotated[
            bool,
            typer.Option(
                "--same/--different", help="If same, the runs of the deleted one become its own"
            ),
        ],
        as_json: AsJson = False,
    ) -> None:
        with connected(noun.writer) as assay:
            found = _resource(assay, noun).decide(which, earlier, same=same)
        runs = words.count(found.runs, "run")
        said = f"has {runs} of {earlier} now" if same else f"is not {noun.name} {earlier}"
        say(found, f"{noun.name} {found.id} {said}", as_json=as_json)

    def unmatch(
        which: Annotated[str, argument(noun)], earlier: Earlier, as_json: AsJson = False
    ) -> None:
        with connected(noun.writer) as assay:
            resource = _resource(assay, noun)
            number = resource.get(which).id
            resource.undo_decision(number, earlier)
        undone = {"of": noun.name, "id": number, "earlier_id": earlier}
        say(undone, f"{noun.name} {number}: decision on {earlier} undone", as_json=as_json)

    said = f"Decide whether the {noun.name} and a deleted one are the same."
    app.command("match", help=said)(match)
    said = "Undo that decision: the runs belong to the deleted one again."
    app.command("unmatch", help=said)(unmatch)


def _add_delete(app: typer.Typer, noun: Noun) -> None:
    def delete(which: Annotated[str, argument(noun)], as_json: AsJson = False) -> None:
        with connected(noun.writer) as assay:
            resource = _resource(assay, noun)
            found = resource.get(which)
            resource.delete(found.id)
        title = "".join(str(value_at(found, field)) for field in noun.title)
        say(found, f"{noun.name} {found.id}: deleted: {title}", as_json=as_json)

    app.command("delete", help=f"Delete the {noun.name}{noun.consequence}.")(delete)


ADD: Mapping[Verb, Callable[[typer.Typer, Noun], None]] = {
    "show": _add_show,
    "create": _add_create,
    "change": _add_change,
    "label": _add_label,
    "note": _add_note,
    "match": _add_match,
    "delete": _add_delete,
}
"""How the commands of each verb are made."""
