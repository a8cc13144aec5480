"""`assay campaign list`: campaigns by the filters and in the order of the API."""

from collections.abc import Sequence
from typing import Any

from assay.campaigns.schemas import CampaignOut
from assay.cli.client import connected
from assay.cli.console import AsJson, minute, print_list
from assay.cli.filters import OF_RUNS, filtered


@filtered(*OF_RUNS, sort="-id", most=50)
def command(query: dict[str, Any], as_json: AsJson = False) -> None:
    """List campaigns, by default the newest first."""
    with connected("viewer") as assay:
        found = list(assay.campaigns.list(**query))
    columns = ("id", "state", "verdict", "campaign", "profile", "launched (UTC)")
    print_list(found, columns, _row, as_json=as_json)


def _row(campaign: CampaignOut) -> Sequence[str]:
    return (
        str(campaign.id),
        campaign.state,
        campaign.verdict.outcome if campaign.verdict else "",
        campaign.name,
        campaign.profile.slug,
        minute(campaign.created_at),
    )
