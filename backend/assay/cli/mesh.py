"""`assay campaign mesh`: what each pair of hosts reaches, as a grid of source × destination."""

from typing import Annotated, Literal

import typer

from assay.campaigns.mesh import Mesh, MeshCell, mesh_csv
from assay.cli.client import connected
from assay.cli.console import AsJson, output, print_json, shown, table
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
    names = [f"{one.host} {one.path or ''}".strip() for one in found.places]
    for one in found.grids:
        cells = {(cell.source, cell.sink): cell for cell in one.cells}
        grid = table("from, to", *names, title=f"{one.title}, MB/s", numbers=True)
        for source, name in enumerate(names):
            row = [_cell(cells.get((source, sink))) for sink in range(len(names))]
            grid.add_row(shown(name), *map(shown, row))
        output.print(grid)


def _cell(cell: MeshCell | None) -> str:
    """Format the rate of a pair and what limits it; its state if there is no rate."""
    if cell is None:
        return ""
    if cell.bytes_per_s is None:
        return f"{cell.state}, no rate" if cell.headline else cell.state
    limit: str | None = getattr(cell.headline, "limit", None)  # of some kinds
    rate = f"{cell.bytes_per_s / 1e6:.1f}"
    return f"{rate} ({limit.replace('_', ' ')})" if limit else rate
