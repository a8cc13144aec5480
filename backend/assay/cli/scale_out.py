"""`assay campaign scale-out`: what growing numbers of targets, or of pairs, reach together."""

from typing import Annotated, Literal

import typer

from assay.campaigns.scale_out import ScaleOut, scale_out_csv
from assay.campaigns.tables import scale_out_tables
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
    """Print a campaign's aggregate rates over 1, 2, … N targets, or pairs."""
    with connected() as assay:
        found = _get(assay, campaign)
    if as_json or form == "json":
        print_json(found)
    elif form == "csv":
        typer.echo(scale_out_csv(found), nl=False)
    else:
        _print(found)


def show(assay: Assay, campaign_id: int) -> None:
    """Print the tables of a campaign that scales out."""
    _print(_get(assay, campaign_id))


def _get(assay: Assay, campaign_id: int) -> ScaleOut:
    return parsed(ScaleOut, assay.get(f"/campaigns/{campaign_id}/scale-out"))


def _print(found: ScaleOut) -> None:
    for one in scale_out_tables(found.model_dump(mode="json")):
        print_table(one)
