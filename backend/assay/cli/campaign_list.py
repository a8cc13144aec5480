"""`assay campaign list`: campaigns by the filters and in the order of the API."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from assay.campaigns.schemas import CampaignOut
from assay.cli import filters
from assay.cli.client import connected
from assay.cli.console import AsJson, print_list
from assay.cli.nouns import placed


def command(  # noqa: PLR0917 (options, each given by name)
    host: filters.Host = None,
    array: filters.Array = None,
    target: filters.Target = None,
    profile: filters.Profile = None,
    kind: filters.Kinds = None,
    state: filters.States = None,
    verdict: filters.Verdicts = None,
    label: filters.Labels = None,
    since: filters.Since = None,
    until: filters.Until = None,
    words: filters.Words = None,
    schedule: Annotated[
        str | None, typer.Option(help="Name or id of the schedule that launched them")
    ] = None,
    sort: filters.Sort = "-id",
    limit: filters.Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List campaigns, by default the newest first."""
    query: dict[str, Any] = {
        **placed(host, array, target),
        "profile": profile,
        "schedule": schedule,
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
        found = list(assay.campaigns.list(most=limit, **query))
    columns = ("id", "state", "verdict", "campaign", "profile", "launched (UTC)")
    print_list(found, columns, _row, as_json=as_json)


def _row(campaign: CampaignOut) -> Sequence[str]:
    return (
        str(campaign.id),
        campaign.state,
        campaign.verdict.outcome if campaign.verdict else "",
        campaign.name,
        campaign.profile.slug,
        f"{campaign.created_at:%Y-%m-%d %H:%M}",
    )
