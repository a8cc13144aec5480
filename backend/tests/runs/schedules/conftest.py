"""Fixtures of the tests of schedules: a plan, and a schedule of it that is due."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from assay.runs.scheduling import capacity
from assay.tables.clock import now
from assay.tables.database import reading, writing
from assay.tables.schedules import Schedule
from testing.api import Appliance

Made = dict[str, Any]
Make = Callable[..., Made]

TEST = {
    "kind": "matrix",
    "operation": "write",
    "title": "Write",
    "block": [65536],
    "threads": [1],
    "file_size": 1000,
}


@pytest.fixture
def plan(appliance: Appliance) -> dict[str, Any]:
    """A plan that can be launched; a worker has announced itself."""
    with writing() as session:
        capacity.announce(session, "worker@a", 1)
    target = appliance.target(appliance.host())
    return {"profile_id": appliance.profile(), "target_ids": [target], "tests": [TEST]}


@pytest.fixture
def make(appliance: Appliance, plan: dict[str, Any]) -> Make:
    """Create a schedule with some fields over the API."""

    def create(**fields: Any) -> Made:
        body = {"name": "nightly", "cron": "0 2 * * *", "zone": "UTC", "plan": plan, **fields}
        answer = appliance.operator.post("/schedules", body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    return create


def present() -> datetime:
    with reading() as session:
        return now(session)


@pytest.fixture
def make_due(make: Make) -> Callable[..., tuple[int, datetime]]:
    """Create a schedule that fires hourly, last 30 min ago, and has not fired since `hours` before.

    Returns its id and the time of the last fire time.
    """

    def create(hours: int = 0, **fields: Any) -> tuple[int, datetime]:
        last = (present() - timedelta(minutes=30)).replace(second=0, microsecond=0)
        schedule_id = make(cron=f"{last.minute} * * * *", **fields)["id"]
        with writing() as session:
            row = session.get_one(Schedule, schedule_id)
            row.next_at = last - timedelta(hours=hours)
            row.planned_at = row.next_at - timedelta(minutes=1)
        return schedule_id, last

    return create
