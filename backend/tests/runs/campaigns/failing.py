"""Campaigns whose runs end as a test wants, as the worker would end them."""

from typing import Any

from assay.tables.campaigns import Campaign
from assay.tables.clock import now
from assay.tables.database import writing
from assay.tables.runs import Run
from sqlalchemy import select
from testing.api import Appliance

from .launching import TEST, launch_on

DIED = {
    "code": "connection_lost",
    "title": "The connection was lost",
    "detail": "lab1 did not respond\nfor 24 h.",
    "remedy": "Check the host.",
}


def plan(**fields: Any) -> dict[str, Any]:
    return {"tests": [TEST], **fields}


def campaign(appliance: Appliance, *targets: int, **fields: Any) -> int:
    """Launch a campaign; return its id."""
    return launch_on(appliance, *targets, **plan(**fields))["id"]


def end(campaign_id: int, *states: str) -> list[int]:
    """End the runs of a campaign in these states, the last of which is that of the others, too."""
    with writing() as session:
        runs = session.scalars(
            select(Run).where(Run.campaign_id == campaign_id).order_by(Run.number)
        ).all()
        given = [*states, *states[-1:] * (len(runs) - len(states))]
        for run, state in zip(runs, given, strict=True):
            run.state = state
            if state in ("done", "failed", "cancelled"):
                run.ended_at = now(session)
            run.error = DIED if state == "failed" else None
        return [run.id for run in runs]


def failed(appliance: Appliance, *targets: int, **fields: Any) -> int:
    """Return the id of a campaign all runs of which failed."""
    campaign_id = campaign(appliance, *targets, **fields)
    end(campaign_id, "failed")
    return campaign_id


def cancel(campaign_id: int) -> None:
    """Record that somebody canceled a campaign."""
    with writing() as session:
        session.get_one(Campaign, campaign_id).cancel_requested_at = now(session)


def needing(appliance: Appliance) -> list[int]:
    """Return the campaigns that need attention, newest first."""
    found = appliance.viewer.get("/campaigns", needs_attention="true").json()["items"]
    assert all(one["needs_attention"] for one in found)
    others = appliance.viewer.get("/campaigns", needs_attention="false").json()["items"]
    assert not any(one["needs_attention"] for one in others)
    return [one["id"] for one in found]
