"""`assay campaign list`: campaigns by the filters and in the order of the API."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from assay.campaigns.schemas import CampaignOut
from assay.cli.client import connected
from assay.cli.console import AsJson, output, print_json, shown, table
from assay.cli.nouns import named


def command(  # noqa: PLR0917 (options, each given by name)
    host: Annotated[str | None, typer.Option(help="Name or id")] = None,
    array: Annotated[str | None, typer.Option(help="Name or id")] = None,
    target: Annotated[str | None, typer.Option(help="HOST/PATH, path, name or id")] = None,
    profile: Annotated[str | None, typer.Option(help="Name or slug, in any version")] = None,
    kind: Annotated[list[str] | None, typer.Option(help="Test kind; repeatable")] = None,
    state: Annotated[list[str] | None, typer.Option(help="Repeatable")] = None,
    verdict: Annotated[list[str] | None, typer.Option(help="Repeatable")] = None,
    label: Annotated[
        list[str] | None, typer.Option(help="KEY=VALUE, or KEY with any value; repeatable")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--from", help="Launched at or after this date or time")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--to", help="Launched before this date or time")
    ] = None,
    words: Annotated[str | None, typer.Option("--words", help="Words of the name")] = None,
    schedule: Annotated[
        str | None, typer.Option(help="Name or id of the schedule that launched them")
    ] = None,
    sort: Annotated[str, typer.Option(help="Field of the API; - before it reverses it")] = "-id",
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of campaigns")] = 50,
    as_json: AsJson = False,
) -> None:
    """List campaigns, by default the newest first."""
    query: dict[str, Any] = {
        **named("host", host),
        **named("array", array),
        **named("target", target),
        "profile": profile,
        "kind": kind,
        "state": state,
        "verdict": verdict,
        "label": label,
        "since": since,
        "until": until,
        "q": words,
        "sort": sort,
    }
    with connected("viewer") as assay:
        if schedule is not None:
            query["schedule"] = assay.schedules.get(schedule)["id"]
        found = list(assay.campaigns.list(most=limit, **query))
    if as_json:
        print_json(found)
        return
    grid = table("id", "state", "verdict", "campaign", "profile", "launched (UTC)")
    for campaign in found:
        grid.add_row(*map(shown, _row(campaign)))
    output.print(grid)


def _row(campaign: CampaignOut) -> Sequence[str]:
    return (
        str(campaign.id),
        campaign.state,
        campaign.verdict.outcome if campaign.verdict else "",
        campaign.name,
        campaign.profile.slug,
        f"{campaign.created_at:%Y-%m-%d %H:%M}",
    )
