"""`assay campaign mesh`: what each pair of hosts reaches, as a grid of source × destination."""

from typing import Annotated, Literal

import typer

from assay.campaigns.mesh import Mesh, mesh_csv
from assay.campaigns.tables import mesh_tables
from assay.cli.client import connected
from assay.cli.console import AsJson, print_json, print_table
from assay.client import Assay, parsed


def command(
    campaign: Annotated[int, typer.Argument(help="Id")],
    form: Annotated[
        Literal["table", "json", "csv"], typer.Option("--format", help="Output format")
    ] = "table",
    as_json: AsJson = False,
) -> None:
    """Print the rates of a campaign's mesh: from each source to each destination."""
    with connected() as assay:
        found = _get(assay, campaign)
    if as_json or form == "json":
        print_json(found)
    elif form == "csv":
        typer.echo(mesh_csv(found), nl=False)
    else:
        _print(found)


def show(assay: Assay, campaign_id: int) -> None:
    """Print the grids of a campaign that is a mesh."""
    _print(_get(assay, campaign_id))


def _get(assay: Assay, campaign_id: int) -> Mesh:
    return parsed(Mesh, assay.get(f"/campaigns/{campaign_id}/mesh"))


def _print(found: Mesh) -> None:
    for one in mesh_tables(found.model_dump(mode="json")):
        print_table(one)
