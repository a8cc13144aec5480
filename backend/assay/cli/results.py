"""Results of campaigns: as tables of runs, of a mesh and of a scale-out, and as files."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from assay.cli import reports, verdicts
from assay.cli.connection import connected
from assay.cli.console import AsJson, CommandError, output, print_json, print_table, shown, table
from assay.cli.nouns import CampaignId
from assay.cli.options import Command
from assay.cli.verdicts import ERROR
from assay.client import Assay
from assay.kinds.registry import KINDS
from assay.kinds.result import Report
from assay.runs.campaigns.schemas import CampaignOut
from assay.runs.campaigns.tables import TextTable, mesh_tables, scale_out_tables
from assay.runs.places import places, titled
from assay.runs.schemas import RunSummary
from assay.runs.verdicts.schemas import CampaignVerdict

Measured = Sequence[tuple[RunSummary, Report]]
"""Runs with their results in words."""

TABLES: Mapping[str, Callable[[Mapping[str, Any]], Sequence[TextTable]]] = {
    "mesh": mesh_tables,
    "scale-out": scale_out_tables,
}
"""How each of the API's documents is printed."""


def grid(name: str) -> Command:
    """Return the command that prints one of `TABLES`."""

    def command(
        campaign: CampaignId,
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
                _show_grid(assay, campaign, name)

    return command


def _show_grid(assay: Assay, campaign_id: int, name: str) -> None:
    """Print the tables of a campaign that is a mesh, or that scales out."""
    for one in TABLES[name](_get(assay, campaign_id, name)):
        print_table(one)


def _get(assay: Assay, campaign_id: int, name: str) -> dict[str, Any]:
    return assay.get(f"/campaigns/{campaign_id}/{name}")


def show(
    assay: Assay,
    ended: CampaignOut,
    verdict: CampaignVerdict | None,
    found: Measured,
) -> None:
    """Print the results and the verdict of a campaign."""
    for run, report in found:
        _show_run(run, report)
    if ended.parameters.get("scale_out"):
        _show_grid(assay, ended.id, "scale-out")
    if ended.parameters.get("arrangement") == "mesh":
        _show_grid(assay, ended.id, "mesh")
    if verdict:
        verdicts.print_campaign(verdict)


def write(
    junit: Path | None,
    markdown: Path | None,
    ended: CampaignOut,
    verdict: CampaignVerdict | None,
    found: Measured,
) -> None:
    """Write the files that were asked for."""
    campaign = ended.model_dump(mode="json")
    judged = verdict and verdict.model_dump(mode="json")
    if junit:
        _store(junit, reports.junit(campaign, judged))
    if markdown:
        results = [(run.model_dump(mode="json"), report) for run, report in found]
        _store(markdown, reports.markdown(campaign, judged, results).encode())


def _store(file: Path, content: bytes) -> None:
    """Write a file; raises CommandError."""
    try:
        file.write_bytes(content)
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error.strerror}.", ERROR) from error


def named(one: RunSummary) -> str:
    """Return the title of a run with its hosts and targets."""
    return titled(one.title, places(one.participants))


def doing(one: RunSummary) -> str:
    """Return the current activity of a run."""
    if one.state == "queued":
        return f"queued: {one.waits_for.what}" if one.waits_for else "queued"
    if one.condition is not None:
        return f"{one.state}, {one.condition}: {one.state_reason}"
    current = one.current
    if one.state != "running" or current is None:
        return one.state
    parts = [KINDS[one.kind].trial_words(current.parameters.model_dump(mode="json"))]
    if current.rate_bytes_per_s:
        parts.append(f"{current.rate_bytes_per_s / 1e6:.0f} MB/s")
    if one.eta_s is not None:
        parts.append(f"{one.eta_s:.0f} s left")
    return ", ".join(parts)


def _show_run(one: RunSummary, report: Report) -> None:
    """Print a run's result as a table, and its warnings."""
    made = table(*report.columns, title=f"{named(one)}: {report.title}", numbers=True)
    for row in report.rows:
        made.add_row(*map(shown, row))
    output.print(made)
    if one.error:
        output.print(shown(one.error.cause))
    for sentence in report.sentences:
        output.print(shown(sentence), highlight=False)
