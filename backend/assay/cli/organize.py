"""`assay campaign rename|label|note|delete|undelete`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from assay.campaigns.schemas import CampaignOut, DeletedCampaign
from assay.cli.client import connected
from assay.cli.console import AsJson, CommandError, output, print_json, shown
from assay.cli.files import read

CampaignId = Annotated[int, typer.Argument(help="The campaign's id", min=1)]


def show(campaign: CampaignId) -> None:
    """Print a campaign with its runs as JSON."""
    with connected("viewer") as assay:
        print_json(assay.campaigns.get(campaign))


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


def note(
    campaign: CampaignId,
    text: Annotated[str | None, typer.Argument(help="Markdown; an empty text removes it")] = None,
    file: Annotated[
        Path | None, typer.Option(help="Read the text from this file; - is standard input")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Replace a campaign's notes, or print them if no text is given."""
    if text is not None and file is not None:
        raise CommandError("Give the text or --file, not both.", exit_code=2)
    if file is not None:
        text = read(file)
    with connected() as assay:
        notes = assay.campaigns
        found = notes.notes(campaign) if text is None else notes.write_notes(campaign, text)
    if as_json:
        print_json(found)
    elif text is None and found.text:
        output.print(shown(found.text), highlight=False, end="")


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


def print_labels(labels: dict[str, str], reference: str | None, as_json: bool) -> None:
    """Print the labels and the external reference of a campaign, a host, a target or an array."""
    if as_json:
        print_json({"labels": labels, "reference": reference})
        return
    for key, value in labels.items():
        output.print(shown(f"{key}={value}"), highlight=False)
    if reference:
        output.print(shown(f"reference: {reference}"), highlight=False)


def changed(labels: dict[str, str], changes: list[str]) -> dict[str, str]:
    """Return labels with the changes of the command line; raises CommandError."""
    changed = dict(labels)
    for one in changes:
        key, equals, value = one.partition("=")
        if equals:
            changed[key] = value
        elif one.endswith("-") and one[:-1] in changed:
            del changed[one[:-1]]
        elif one.endswith("-"):
            raise CommandError(f"There is no label {one[:-1]!r}.", exit_code=2)
        else:
            raise CommandError(
                f"{one!r} is not a change of a label. Use KEY=VALUE or KEY-.", exit_code=2
            )
    return changed
