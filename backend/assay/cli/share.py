"""`assay campaign report|share|shares|show-share|unshare`."""

from typing import Annotated, Any

import typer

from assay.cli import downloads
from assay.cli.client import address, connected
from assay.cli.console import AsJson, minute, output, print_json, print_list
from assay.cli.described import print_object
from assay.cli.filters import filtered
from assay.cli.organize import CampaignId
from assay.sharing.schemas import ShareLinkOut

ShareId = Annotated[int, typer.Argument(help="The link's id", min=1)]


def report(
    campaign: CampaignId,
    file: downloads.Output = None,
    hide_identifiers: Annotated[
        bool,
        typer.Option(
            "--hide-identifiers",
            help="Replace host names, paths, addresses and serial numbers, also in texts",
        ),
    ] = False,
) -> None:
    """Write a campaign's report: one HTML file that opens without a network."""
    how = {"hide_identifiers": "true"} if hide_identifiers else {}
    with connected("viewer") as assay:
        downloads.write(assay.download(f"/campaigns/{campaign}/report.html", **how), file)


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


@filtered()
def shares(campaign: CampaignId, query: dict[str, Any], as_json: AsJson = False) -> None:
    """List a campaign's share links, and how often each was opened."""
    with connected("viewer") as assay:
        found = list(assay.shares(campaign).list(**query))
    columns = ("id", "name", "state", "until (UTC)", "opened", "last (UTC)")
    print_list(found, columns, _row, as_json=as_json)


def show_share(campaign: CampaignId, share: ShareId, as_json: AsJson = False) -> None:
    """Show a share link, without its secret."""
    with connected("viewer") as assay:
        print_object(assay.shares(campaign).get(share), as_json=as_json)


def unshare(campaign: CampaignId, share: ShareId, as_json: AsJson = False) -> None:
    """Revoke a share link: it stops working at once."""
    with connected() as assay:
        links = assay.shares(campaign)
        links.delete(share)
        found = links.get(share)
    if as_json:
        print_json(found)
    else:
        output.print(f"share {share} of campaign {campaign}: {found.state}", highlight=False)


def _row(one: ShareLinkOut) -> list[str]:
    last = minute(one.last_access_at) or "never"
    about = [str(one.id), one.name or "", one.state, minute(one.expires_at)]
    return [*about, str(one.accesses), last]
