"""`assay campaign scale-out`: what growing numbers of targets, or of pairs, reach together."""

from typing import Annotated, Literal

import typer

from assay.campaigns.scale_out import ScaledRate, ScaledRun, ScaleOut, scale_out_csv
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
    rates = ("durable", "efficiency", "application", "efficiency")
    for curve in found.curves:
        title = f"{curve.title}, {curve.label}" if curve.label else curve.title
        titles = (curve.counted, *rates, "fairness", "slowest")
        grid = table(*titles, title=f"Scale-out of {title}, MB/s", numbers=True)
        for run in curve.runs:
            grid.add_row(*map(shown, _row(run)))
        output.print(grid)


def _row(run: ScaledRun) -> list[str]:
    slowest = next(
        (one for one in run.parts if one.participant_id == run.slowest_participant_id), None
    )
    return [
        str(run.targets),
        *(_rate(run.durable)),
        *(_rate(run.application)),
        "" if run.fairness is None else f"{run.fairness:.3f}",
        f"{slowest.host} {slowest.path or ''}".strip() if slowest else "",
    ]


def _rate(rate: ScaledRate | None) -> tuple[str, str]:
    """Format a rate and its efficiency, or why it does not compare."""
    if rate is None:
        return "", ""
    reached = "" if rate.bytes_per_s is None else f"{rate.bytes_per_s / 1e6:.1f}"
    if rate.efficiency is not None:
        return reached, f"{100 * rate.efficiency:.0f} %"
    return reached, (rate.doubt or "").replace("_", " ")
