"""`assay campaign scale-out`: what growing numbers of targets, or of pairs, reach together."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import typer
from rich.table import Table

from assay.campaigns.scale_out import ScaleOut, scale_out_csv
from assay.cli.client import Client, connected
from assay.cli.console import output, shown

Rows = Sequence[Mapping[str, Any]]


def command(
    campaign: Annotated[int, typer.Argument(help="Id")],
    form: Annotated[
        Literal["table", "json", "csv"], typer.Option("--format", help="Output format")
    ] = "table",
) -> None:
    """Print a campaign's aggregate rates over 1, 2, … N targets, or pairs."""
    with connected() as client:
        found = client.get(f"/campaigns/{campaign}/scale-out")
    if form == "json":
        typer.echo(json.dumps(found, indent=2))
    elif form == "csv":
        typer.echo(scale_out_csv(ScaleOut.model_validate(found)), nl=False)
    else:
        _print(found["curves"])


def show(client: Client, campaign_id: int) -> None:
    """Print the tables of a campaign that scales out."""
    _print(client.get(f"/campaigns/{campaign_id}/scale-out")["curves"])


def _print(curves: Rows) -> None:
    for curve in curves:
        title = f"{curve['title']}, {curve['label']}" if curve["label"] else curve["title"]
        table = Table(curve["counted"], title=shown(f"Scale-out of {title}, MB/s"))
        for column in ("durable", "efficiency", "application", "efficiency", "fairness", "slowest"):
            table.add_column(column, justify="right")
        for run in curve["runs"]:
            table.add_row(*map(shown, _row(run)))
        output.print(table)


def _row(run: Mapping[str, Any]) -> list[str]:
    slowest = next(
        (one for one in run["parts"] if one["participant_id"] == run["slowest_participant_id"]),
        None,
    )
    return [
        str(run["targets"]),
        *(_rate(run["durable"])),
        *(_rate(run["application"])),
        "" if run["fairness"] is None else f"{run['fairness']:.3f}",
        f"{slowest['host']} {slowest['path'] or ''}".strip() if slowest else "",
    ]


def _rate(rate: Mapping[str, Any] | None) -> tuple[str, str]:
    """Format a rate and its efficiency, or why it does not compare."""
    if rate is None:
        return "", ""
    reached = "" if rate["bytes_per_s"] is None else f"{rate['bytes_per_s'] / 1e6:.1f}"
    if rate["efficiency"] is not None:
        return reached, f"{100 * rate['efficiency']:.0f} %"
    return reached, (rate["doubt"] or "").replace("_", " ")
