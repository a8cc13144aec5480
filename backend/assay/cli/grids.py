"""`assay campaign mesh` and `assay campaign scale-out`: what parts of a campaign reach together."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

import typer

from assay.campaigns.tables import TextTable, mesh_tables, scale_out_tables
from assay.cli.client import connected
from assay.cli.console import AsJson, print_json, print_table
from assay.client import Assay

TABLES: Mapping[str, Callable[[Mapping[str, Any]], Sequence[TextTable]]] = {
    "mesh": mesh_tables,
    "scale-out": scale_out_tables,
}
"""How each of the API's documents is printed."""


def add(app: typer.Typer, name: str, summary: str) -> None:
    """Add the command of one of `TABLES`."""

    def command(
        campaign: Annotated[int, typer.Argument(help="Id", min=1)],
        form: Annotated[
            Literal["table", "json", "csv"], typer.Option("--format", help="Output format")
        ] = "table",
        as_json: AsJson = False,
    ) -> None:
        with connected("viewer") as assay:
            if as_json or form == "json":
                print_json(_get(assay, campaign, name))
            elif form == "csv":
                typer.echo(assay.text(f"/campaigns/{campaign}/{name}.csv"), nl=False)
            else:
                show(assay, campaign, name)

    app.command(name, help=summary)(command)


def show(assay: Assay, campaign_id: int, name: str) -> None:
    """Print the tables of a campaign that is a mesh, or that scales out."""
    for one in TABLES[name](_get(assay, campaign_id, name)):
        print_table(one)


def _get(assay: Assay, campaign_id: int, name: str) -> dict[str, Any]:
    return assay.get(f"/campaigns/{campaign_id}/{name}")
