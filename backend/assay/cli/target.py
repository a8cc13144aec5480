"""`assay target`: directories where tests may write."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from assay.analysis.words import size
from assay.cli import history, nouns
from assay.cli.client import connected
from assay.cli.console import AsJson, output, print_json, print_list, shown_line
from assay.cli.filters import filtered, named
from assay.cli.labels import labels_of
from assay.targets.schemas import TargetOut

app = typer.Typer(help="Targets: directories where tests may write.", no_args_is_help=True)
nouns.add_common(app, "target")
history.add_matches(app, "target")

OPTIONS = {
    **{"array": "--array", "name": "--name", "reserve_bytes": "--reserve"},
    **{"root_consent": "--root-consent", "labels": "--label"},
}
"""The options of `add` by the fields of the request that they set."""


@app.command("list")
@filtered("host", "array", "target", "label", "words", sort="path")
def list_targets(query: dict[str, Any], as_json: AsJson = False) -> None:
    """List targets with their file systems and free space."""
    with connected("viewer") as assay:
        found = list(assay.targets.list(**query))
    columns = ("id", "host", "path", "array", "file system", "free")
    print_list(found, columns, _row, as_json=as_json)


@app.command()
def add(  # noqa: PLR0917 (options, each given by name)
    host: Annotated[str, typer.Argument(help="Name or id")],
    path: Annotated[str, typer.Argument(help="Directory on the host")],
    array: Annotated[str | None, typer.Option(help="Name")] = None,
    name: Annotated[str | None, typer.Option(help="Display name")] = None,
    reserve: Annotated[
        str | None, typer.Option(help='Free space that tests never use, such as "50 GB"')
    ] = None,
    label: Annotated[list[str] | None, typer.Option(help="KEY=VALUE; repeatable")] = None,
    root_consent: Annotated[
        bool, typer.Option("--root-consent", help="Permit tests on the root file system")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Register a directory of a host, once a worker has inspected it."""
    body: dict[str, Any] = {
        **named("host", host),
        **named("array", array),
        "path": path,
        "name": name,
        "reserve_bytes": reserve,
        "labels": labels_of(label),
        "root_consent": root_consent,
    }
    given = {field: value for field, value in body.items() if value is not None}
    with connected("admin", OPTIONS) as assay:
        _print(assay.targets.register(given), as_json)


@app.command()
def check(which: nouns.Which, as_json: AsJson = False) -> None:
    """Inspect the directory again: free space, device, and whether it is the same."""
    with connected() as assay:
        _print(assay.targets.check(nouns.reference(which)), as_json)


def _row(target: TargetOut) -> Sequence[str]:
    array = target.array.name if target.array else ""
    free = size(target.free_bytes)
    return (str(target.id), target.host_name, target.path, array, target.fs_type, free)


def _print(target: TargetOut, as_json: bool) -> None:
    if as_json:
        print_json(target)
        return
    line = f"target {target.id} {target.host_name}:{target.path}: {size(target.free_bytes)} free"
    output.print(shown_line(line), highlight=False)
