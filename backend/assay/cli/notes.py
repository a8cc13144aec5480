"""`note`: the notes in Markdown on campaigns, runs and arrays."""

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import objects
from assay.cli.client import connected
from assay.cli.console import AsJson, CommandError, output, print_json, shown
from assay.cli.files import read
from assay.client import parsed
from assay.notes.schemas import NotesOut


def add(app: typer.Typer, what: str, path: str) -> None:
    """Add `note` for the objects of an address."""

    def note(
        which: Annotated[str, typer.Argument(metavar=what.upper(), help="Id, or an array's name")],
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
        address = f"{objects.path_of(path, which)}/notes"
        with connected("viewer" if wanted is None else "operator") as assay:
            body = {"text": wanted}
            answer = assay.get(address) if wanted is None else assay.put(address, body)
        found = parsed(NotesOut, answer)
        if as_json:
            print_json(found)
        elif wanted is None and found.text:
            output.print(shown(found.text), highlight=False, end="")

    app.command(help=f"Replace the notes on the {what}, or print them if no text is given.")(note)
