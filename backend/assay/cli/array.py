"""`assay array`: storage systems under test."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from assay.arrays.schemas import ArrayOut
from assay.cli import history, notes, nouns
from assay.cli.client import connected
from assay.cli.console import AsJson, output, print_json, print_list, shown
from assay.cli.filters import filtered
from assay.cli.labels import labels_of

app = typer.Typer(help="Arrays: storage systems under test.", no_args_is_help=True)
nouns.add_common(app, "array")
notes.add(app, "array", "/arrays")
app.command("history")(history.of_array)
history.add_matches(app, "array")


@app.command("list")
@filtered("array", "host", "label", "words", sort="name")
def list_arrays(query: dict[str, Any], as_json: AsJson = False) -> None:
    """List arrays with the number of their targets."""
    with connected("viewer") as assay:
        found = list(assay.arrays.list(**query))
    print_list(found, ("id", "name", "vendor", "model", "targets"), _row, as_json=as_json)


@app.command()
def add(  # noqa: PLR0917 (options, each given by name)
    name: Annotated[str, typer.Argument(help="Name")],
    vendor: Annotated[str | None, typer.Option(help="Manufacturer")] = None,
    model: Annotated[str | None, typer.Option(help="Model")] = None,
    serial: Annotated[str | None, typer.Option(help="Serial number")] = None,
    firmware: Annotated[str | None, typer.Option(help="Version of the firmware")] = None,
    label: Annotated[list[str] | None, typer.Option(help="KEY=VALUE; repeatable")] = None,
    as_json: AsJson = False,
) -> None:
    """Add an array; targets are assigned to it."""
    facts = {"vendor": vendor, "model": model, "serial": serial, "firmware": firmware}
    body: dict[str, Any] = {key: value for key, value in facts.items() if value is not None}
    with connected() as assay:
        made = assay.arrays.create(body | {"name": name, "labels": labels_of(label)})
    if as_json:
        print_json(made)
    else:
        output.print(shown(f"array {made.id} {made.name}"), highlight=False)


def _row(array: ArrayOut) -> Sequence[str]:
    return (str(array.id), array.name, array.vendor or "", array.model or "", str(array.targets))
