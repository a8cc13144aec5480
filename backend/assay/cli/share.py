"""`assay campaign report|share|shares|unshare`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from assay.cli.client import address, connected
from assay.cli.console import AsJson, CommandError, output, print_json, print_list, shown
from assay.cli.organize import CampaignId

ShareId = Annotated[int, typer.Argument(help="The link's id", min=1)]


def report(
    campaign: CampaignId,
    file: Annotated[
        Path, typer.Option("--output", "-o", help="HTML file; - is standard output")
    ] = Path("-"),
    hide_identifiers: Annotated[
        bool,
        typer.Option(
            "--hide-identifiers",
            help="Replace host names, paths, addresses and serial numbers, also in texts",
        ),
    ] = False,
) -> None:
    """Write a campaign's report: one HTML file that opens without a network."""
    if str(file) != "-" and (file.is_dir() or not file.absolute().parent.is_dir()):
        raise CommandError(f"--output: {file} cannot be written. Name a file in a directory.")
    how = {"hide_identifiers": "true"} if hide_identifiers else {}
    with connected("viewer") as assay:
        page = assay.text(f"/campaigns/{campaign}/report.html", **how)
    if str(file) == "-":
        typer.echo(page, nl=False)
        return
    try:
        file.write_text(page, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"--output: {file} cannot be written: {error.strerror}.") from error
    output.print(shown(f"wrote {file}"), highlight=False)


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
        made = assay.post(f"/campaigns/{campaign}/shares", body)
    if as_json:
        print_json(made)
        return
    typer.echo(address() + made["path"])
    said = f"share {made['id']} of campaign {campaign}, until {_minute(made['expires_at'])}"
    output.print(said, highlight=False)


def shares(
    campaign: CampaignId,
    as_json: AsJson = False,
) -> None:
    """List a campaign's share links, and how often each was opened."""
    with connected("viewer") as assay:
        found = assay.all(f"/campaigns/{campaign}/shares")
    title = f"share links of campaign {campaign}"
    columns = ("id", "name", "state", "until", "opened", "last")
    print_list(found, columns, _row, as_json=as_json, title=title)


def unshare(campaign: CampaignId, share: ShareId) -> None:
    """Revoke a share link: it stops working at once."""
    with connected() as assay:
        assay.delete(f"/campaigns/{campaign}/shares/{share}")
    output.print(f"share {share} of campaign {campaign}: revoked", highlight=False)


def _row(one: dict[str, Any]) -> list[str]:
    last = one["last_access_at"]
    return [
        str(one["id"]),
        one["name"] or "",
        one["state"],
        _minute(one["expires_at"]),
        str(one["accesses"]),
        _minute(last) if last else "never",
    ]


def _minute(at: str) -> str:
    """Return a time in UTC to the minute: `2026-12-05 09:14Z`."""
    return f"{at[:16].replace('T', ' ')}Z"
