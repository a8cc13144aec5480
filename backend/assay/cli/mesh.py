"""`assay campaign mesh`: what each pair of hosts reaches, as a grid of source × destination."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import typer
from rich.table import Table

from assay.campaigns.mesh import Mesh, mesh_csv
from assay.cli.client import Client, connected
from assay.cli.console import output, shown


def command(
    campaign: Annotated[int, typer.Argument(help="Id")],
    form: Annotated[
        Literal["table", "json", "csv"], typer.Option("--format", help="Output format")
    ] = "table",
) -> None:
    """Print the rates of a campaign's mesh: from each source to each destination."""
    with connected() as client:
        found = client.get(f"/campaigns/{campaign}/mesh")
    if form == "json":
        typer.echo(json.dumps(found, indent=2))
    elif form == "csv":
        typer.echo(mesh_csv(Mesh.model_validate(found)), nl=False)
    else:
        _print(found)


def show(client: Client, campaign_id: int) -> None:
    """Print the grids of a campaign that is a mesh."""
    _print(client.get(f"/campaigns/{campaign_id}/mesh"))


def _print(found: Mapping[str, Any]) -> None:
    names = [f"{one['host']} {one['path'] or ''}".strip() for one in found["places"]]
    for grid in found["grids"]:
        cells = {(one["source"], one["sink"]): one for one in grid["cells"]}
        table = Table("from, to", title=shown(f"{grid['title']}, MB/s"))
        for name in names:
            table.add_column(shown(name), justify="right")
        for source, name in enumerate(names):
            row = [_cell(cells.get((source, sink))) for sink in range(len(names))]
            table.add_row(shown(name), *map(shown, row))
        output.print(table)


def _cell(cell: Mapping[str, Any] | None) -> str:
    """Format the rate of a pair and what limits it; its state if there is no rate."""
    if cell is None:
        return ""
    if cell["bytes_per_s"] is None:
        return f"{cell['state']}, no rate" if cell["headline"] else cell["state"]
    headline: Mapping[str, Any] = cell["headline"] or {}
    limit: str | None = headline.get("limit")
    rate = f"{cell['bytes_per_s'] / 1e6:.1f}"
    return f"{rate} ({limit.replace('_', ' ')})" if limit else rate
