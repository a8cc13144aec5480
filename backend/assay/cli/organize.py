"""`assay campaign cancel|rename|label|delete|undelete`."""

from typing import Annotated, Any

import typer

from assay.campaigns.schemas import CampaignOut, DeletedCampaign
from assay.cli.client import connected
from assay.cli.console import AsJson, output, print_json, shown
from assay.cli.labels import changed, print_labels

CampaignId = Annotated[int, typer.Argument(help="The campaign's id", min=1)]


def cancel(campaign: CampaignId, as_json: AsJson = False) -> None:
    """Stop a campaign; what was measured is kept."""
    with connected() as assay:
        found = assay.campaigns.cancel(campaign)
    if as_json:
        print_json(found)
    else:
        output.print(shown(f"campaign {found.id}: {found.state}: {found.name}"), highlight=False)


def rename(
    campaign: CampaignId,
    name: Annotated[str, typer.Argument(help="New name")],
    as_json: AsJson = False,
) -> None:
    """Rename a campaign."""
    with connected() as assay:
        _print(assay.campaigns.change(campaign, {"name": name}), "renamed", as_json)


def label(
    campaign: CampaignId,
    changes: Annotated[
        list[str] | None, typer.Argument(help="KEY=VALUE sets a label, KEY- removes it")
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(help="Ticket, order or change in another system; an empty text removes it"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change a campaign's labels and external reference, then print them."""
    with connected() as assay:
        found = assay.campaigns.get(campaign)
        body: dict[str, Any] = {} if reference is None else {"reference": reference or None}
        if changes:
            body["labels"] = changed(found.labels, changes)
        if body:
            found = assay.campaigns.change(campaign, body, etag=found.etag)
    print_labels(found.labels, found.reference, as_json)


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


def undelete(campaign: CampaignId, as_json: AsJson = False) -> None:
    """Undo the deletion of a campaign."""
    with connected() as assay:
        _print(assay.campaigns.undelete(campaign), "restored", as_json)


def _print(campaign: CampaignOut | DeletedCampaign, what: str, as_json: bool) -> None:
    if as_json:
        print_json(campaign)
    else:
        said = f"campaign {campaign.id}: {what}: {campaign.name}"
        output.print(shown(said), highlight=False)
