"""`assay campaign`: launch a profile on targets, wait for it, print its results, share them."""

from typing import Annotated, Any

import typer

from assay.base.nouns import CAMPAIGN
from assay.cli import downloads, launching, verdicts
from assay.cli.connection import address, connected
from assay.cli.console import AsJson, Columns, minute, output, print_json, print_list, say
from assay.cli.described import print_object
from assay.cli.nouns import CampaignId, group
from assay.cli.options import filtered
from assay.cli.results import doing, grid, named
from assay.client.resources import OrderFilter
from assay.runs.campaigns.schemas import CampaignOut, DeletedCampaign

ShareId = Annotated[int, typer.Argument(help="The link's id", min=1)]

app = group(CAMPAIGN)
app.command("run")(launching.run)
app.command("launch")(launching.launch)
app.command("rerun")(launching.rerun)
app.command("plan")(launching.plan)
app.command("save-profile")(launching.save_profile)
app.command("wait")(launching.wait_for)
app.command("verdict")(verdicts.of_campaign)
app.command("judge")(verdicts.judge)
app.command("waive")(verdicts.waive_in_campaign)
app.command("report")(downloads.report)
GRIDS = {
    "scale-out": "Print a campaign's aggregate rates over 1, 2, … N targets, or pairs.",
    "mesh": "Print the rates of a campaign's mesh: from each source to each destination.",
}
for _name, _help in GRIDS.items():
    app.command(_name, help=_help)(grid(_name))


@app.command()
def show(campaign: CampaignId, as_json: AsJson = False) -> None:
    """Show a campaign and its runs."""
    with connected("viewer") as assay:
        found = assay.campaigns.get(campaign)
    print_object(found, as_json=as_json, without="runs")
    if not as_json:
        columns: Columns = {
            "run": "id",
            "test and place": named,
            "verdict": "verdict.outcome",
            "now": doing,
        }
        print_list(found.runs, columns, as_json=False)


@app.command()
def cancel(campaign: CampaignId, as_json: AsJson = False) -> None:
    """Stop a campaign; what was measured is kept."""
    with connected() as assay:
        found = assay.campaigns.cancel(campaign)
    _print(found, found.state, as_json)


@app.command()
def rename(
    campaign: CampaignId,
    name: Annotated[str, typer.Argument(help="New name")],
    as_json: AsJson = False,
) -> None:
    """Rename a campaign."""
    with connected() as assay:
        _print(assay.campaigns.change(campaign, {"name": name}), "renamed", as_json)


@app.command()
def seen(campaign: CampaignId, as_json: AsJson = False) -> None:
    """Mark a campaign's failures as seen: the overview does not show them any more."""
    with connected() as assay:
        _print(assay.campaigns.mark_seen(campaign), "marked as seen", as_json)


@app.command()
def unseen(campaign: CampaignId, as_json: AsJson = False) -> None:
    """Undo `seen`: failures that no later campaign has repeated need attention again."""
    with connected() as assay:
        _print(assay.campaigns.mark_unseen(campaign), "marked as unseen", as_json)


@app.command()
def delete(
    campaign: CampaignId,
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Cancel the campaign if it has not ended")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Delete a campaign with everything that it measured; can be undone for a minute."""
    with connected() as assay:
        _print(assay.campaigns.delete(campaign, cancel=cancel), "deleted", as_json)
    if not as_json:
        output.print(f"undo within a minute: assay campaign undelete {campaign}", highlight=False)


@app.command()
def undelete(campaign: CampaignId, as_json: AsJson = False) -> None:
    """Undo the deletion of a campaign."""
    with connected() as assay:
        _print(assay.campaigns.undelete(campaign), "restored", as_json)


@app.command()
def share(
    campaign: CampaignId,
    days: Annotated[int, typer.Option(help="How long the link works, 1 to 90")],
    name: Annotated[str | None, typer.Option(help="For whom or what it is")] = None,
    show_identifiers: Annotated[
        bool,
        typer.Option(
            "--show-identifiers",
            help="Show host names, paths, addresses, serial numbers and who launched it",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Create a link that shows a campaign's report without a login; it is printed only now."""
    body = {"expires_in_days": days, "name": name, "show_identifiers": show_identifiers}
    with connected() as assay:
        made = assay.shares(campaign).create(body)
    if as_json:
        print_json(made)
        return
    typer.echo(address() + made.path)
    said = f"share {made.id} of campaign {campaign}, until {minute(made.expires_at)} UTC"
    output.print(said, highlight=False)


@app.command()
@filtered(OrderFilter)
def shares(campaign: CampaignId, query: dict[str, Any], as_json: AsJson = False) -> None:
    """List a campaign's share links, and how often each was opened."""
    with connected("viewer") as assay:
        found = list(assay.shares(campaign).list(**query))
    columns: Columns = {
        **{"id": "id", "name": "name", "state": "state", "until (UTC)": "expires_at"},
        **{"opened": "accesses", "last (UTC)": lambda one: minute(one.last_access_at) or "never"},
    }
    print_list(found, columns, as_json=as_json)


@app.command()
def show_share(campaign: CampaignId, share: ShareId, as_json: AsJson = False) -> None:
    """Show a share link, without its secret."""
    with connected("viewer") as assay:
        print_object(assay.shares(campaign).get(share), as_json=as_json)


@app.command()
def unshare(campaign: CampaignId, share: ShareId, as_json: AsJson = False) -> None:
    """Revoke a share link: it stops working at once."""
    with connected() as assay:
        links = assay.shares(campaign)
        links.delete(share)
        found = links.get(share)
    say(found, f"share {share} of campaign {campaign}: {found.state}", as_json=as_json)


def _print(campaign: CampaignOut | DeletedCampaign, what: str, as_json: bool) -> None:
    say(campaign, f"campaign {campaign.id}: {what}: {campaign.name}", as_json=as_json)
