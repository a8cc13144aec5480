"""Profiles and ended runs with criteria, and waivers."""

from datetime import UTC, datetime, timedelta
from typing import Any

from assay.runs.scheduling import capacity
from assay.tables.campaigns import Campaign
from assay.tables.database import writing
from assay.tables.runs import Run
from testing.seeds import TEST, seed_ended_run

FASTER = "durable.mean >= 1250 MB/s"
"""The seeded run wrote 5 MB/s."""
SLOWER = "durable.mean >= 4 MB/s"
TOO_FEW = "write.p99.99 < 20 ms"


def profile_with(*criteria: str, stop: bool = False) -> dict[str, Any]:
    listed = [{"criterion": one, "stop": stop} for one in criteria]
    return {"name": "Mine", "body": {"tests": [TEST], "criteria": listed}}


def seed_judged(*criteria: str, stop: bool = False) -> tuple[int, int]:
    """Return the ids of an ended run, whose result is not stored, and its campaign."""
    with writing() as session:
        run = seed_ended_run(session)
        campaign = session.get_one(Campaign, run.campaign_id)
        campaign.criteria = [{"criterion": one, "stop": stop} for one in criteria]
        campaign.stops = stop
        return run.id, campaign.id


def later(**ahead: float) -> str:
    return (datetime.now(UTC) + timedelta(**ahead)).isoformat()


def waiver(number: int = 0) -> dict[str, Any]:
    return {"number": number, "reason": "accepted until the update", "expires_at": later(days=30)}


def queue_beside(run_id: int) -> int:
    """Queue a run on another host in the same campaign; a worker has capacity for it."""
    with writing() as session:
        capacity.announce(session, "worker:1", 10)
        other = seed_ended_run(session)
        other.campaign_id = session.get_one(Run, run_id).campaign_id
        other.number, other.state, other.ended_at = 2, "queued", None
        return other.id
