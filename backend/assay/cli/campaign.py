"""`assay campaign`: launch a profile on targets, wait for it, print its results."""

from collections.abc import Sequence
from typing import Annotated

import typer

from assay.cli import campaign_list, grids, launching, notes, organize, share, verdicts
from assay.cli.choices import Choices, choosing
from assay.cli.client import connected
from assay.cli.console import AsJson, print_list
from assay.cli.described import print_object
from assay.cli.launching import JustEstimate, Key, go
from assay.cli.organize import CampaignId
from assay.cli.waiting import (
    CancelOnInterrupt,
    JUnit,
    Markdown,
    Timeout,
    Wait,
    doing,
    named,
    waiting,
)
from assay.client import AssayError
from assay.runs.schemas import RunSummary

app = typer.Typer(help="Campaigns.", no_args_is_help=True)


app.command("launch")(launching.launch)
app.command("rerun")(launching.rerun)
app.command("plan")(launching.plan)
app.command("save-profile")(launching.save_profile)
app.command("wait")(launching.wait_for)
app.command("verdict")(verdicts.of_campaign)
app.command("judge")(verdicts.judge)
app.command("waive")(verdicts.waive_in_campaign)
grids.add(app, "scale-out", "Print a campaign's aggregate rates over 1, 2, … N targets, or pairs.")
grids.add(
    app, "mesh", "Print the rates of a campaign's mesh: from each source to each destination."
)
app.command("list")(campaign_list.command)
app.command("cancel")(organize.cancel)
app.command("rename")(organize.rename)
app.command("label")(organize.label)
notes.add(app, "campaign", "/campaigns")
app.command("delete")(organize.delete)
app.command("undelete")(organize.undelete)
app.command("report")(share.report)
app.command("share")(share.share)
app.command("shares")(share.shares)
app.command("show-share")(share.show_share)
app.command("unshare")(share.unshare)


@app.command()
def show(campaign: CampaignId, as_json: AsJson = False) -> None:
    """Show a campaign and its runs."""
    with connected("viewer") as assay:
        found = assay.campaigns.get(campaign)
    print_object(found, as_json=as_json, without="runs")
    if not as_json:
        columns = ("run", "test and place", "now", "verdict")
        print_list(found.runs, columns, _run, as_json=False)


@app.command()
@choosing
def run(  # noqa: PLR0917 (options, each given by name)
    profile: Annotated[str, typer.Option(help="Name, slug or id")],
    choices: Choices,
    wait: Wait = False,
    timeout: Timeout = None,
    cancel_on_interrupt: CancelOnInterrupt = False,
    junit: JUnit = None,
    markdown: Markdown = None,
    name: Annotated[str | None, typer.Option(help="Campaign name")] = None,
    estimate: JustEstimate = False,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Launch a campaign.

    With --wait, exit with 0 if it passed, or is done and has no criteria; with 99 if it failed a
    criterion, with 98 if its verdict is inconclusive, and with 1 if a run failed or was canceled,
    or if it has not ended within --timeout.
    """
    how = waiting(wait, timeout, cancel_on_interrupt, junit, markdown, as_json)
    with connected() as assay:
        try:
            plan = {"name": name, **choices.plan(assay, profile)}
            go(assay, plan, how, estimate=estimate, key=key, as_json=as_json)
        except AssayError as error:
            raise choices.explained(error) from error


def _run(one: RunSummary) -> Sequence[str]:
    verdict = one.verdict.outcome if one.verdict else ""
    return (str(one.id), named(one), doing(one), verdict)
