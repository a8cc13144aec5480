"""`assay campaign rename|label|note|delete|undelete`."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.cli.client import connected
from assay.cli.console import CommandError, output, shown

CampaignId = Annotated[int, typer.Argument(help="The campaign's id", min=1)]


def rename(campaign: CampaignId, name: Annotated[str, typer.Argument(help="New name")]) -> None:
    """Rename a campaign."""
    with connected() as client:
        _named(client.patch(f"/campaigns/{campaign}", {"name": name}))


def label(
    campaign: CampaignId,
    changes: Annotated[
        list[str] | None, typer.Argument(help="KEY=VALUE sets a label, KEY- removes it")
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(help="Ticket, order or change in another system; an empty text removes it"),
    ] = None,
) -> None:
    """Change a campaign's labels and external reference, then print them."""
    path = f"/campaigns/{campaign}"
    with connected() as client:
        found = client.get(path)
        body: dict[str, Any] = {} if reference is None else {"reference": reference or None}
        if changes:
            body["labels"] = changed(found["labels"], changes)
        if body:
            found = client.patch(path, body)
    for key, value in found["labels"].items():
        output.print(shown(f"{key}={value}"), highlight=False)
    if found["reference"]:
        output.print(shown(f"reference: {found['reference']}"), highlight=False)


def note(
    campaign: CampaignId,
    text: Annotated[str | None, typer.Argument(help="Markdown; an empty text removes it")] = None,
    file: Annotated[
        Path | None, typer.Option(help="Read the text from this file; - is standard input")
    ] = None,
) -> None:
    """Replace a campaign's notes, or print them if no text is given."""
    if text is not None and file is not None:
        raise CommandError("Give the text or --file, not both.", exit_code=2)
    if file is not None:
        text = _read(file)
    path = f"/campaigns/{campaign}/notes"
    with connected() as client:
        found = client.get(path) if text is None else client.put(path, {"text": text})
    if text is None and found["text"]:
        output.print(shown(found["text"]), highlight=False, end="")


def delete(
    campaign: CampaignId,
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Cancel the campaign if it has not ended")
    ] = False,
) -> None:
    """Delete a campaign with everything that it measured; can be undone for a minute."""
    with connected() as client:
        _named(client.delete(f"/campaigns/{campaign}", cancel=cancel), "deleted")
    output.print(f"undo within a minute: assay campaign undelete {campaign}", highlight=False)


def undelete(campaign: CampaignId) -> None:
    """Undo the deletion of a campaign."""
    with connected() as client:
        _named(client.post(f"/campaigns/{campaign}/undelete"), "restored")


def _named(campaign: dict[str, Any], what: str = "renamed") -> None:
    output.print(shown(f"campaign {campaign['id']}: {what}: {campaign['name']}"), highlight=False)


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
            raise CommandError(f"The campaign has no label {one[:-1]!r}.", exit_code=2)
        else:
            raise CommandError(
                f"{one!r} is not a change of a label. Use KEY=VALUE or KEY-.", exit_code=2
            )
    return changed


def _read(file: Path) -> str:
    """Return the text of a file or of standard input; raises CommandError."""
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} cannot be read: {error}", exit_code=2) from error
