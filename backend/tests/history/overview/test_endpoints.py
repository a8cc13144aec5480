"""The overview: active and queued runs, problems, recent results."""

from datetime import timedelta
from typing import Any

import pytest
from assay.api.app import app
from assay.base.deadline import Deadline
from assay.runs.scheduling import capacity
from assay.tables.database import now, writing
from assay.tables.hosts import Host
from assay.tables.runs import Run, WorkerSeen
from sqlalchemy import update
from testing.api import Appliance


@pytest.fixture
def campaign(appliance: Appliance) -> dict[str, Any]:
    target = appliance.target(appliance.host())
    test = {
        "kind": "matrix",
        "operation": "write",
        "title": "Write",
        "block": [65536],
        "threads": [1],
        "file_size": 1000,
    }
    plan = {
        "profile_id": appliance.profile(),
        "target_ids": [target],
        "tests": [test, {**test, "operation": "read", "title": "Read"}],
    }
    with writing() as session:
        capacity.announce(session, "worker@a", 1)
    return appliance.operator.post("/campaigns", plan).json()


def _heard(seconds_ago: float = 0) -> None:
    with writing() as session:
        session.merge(WorkerSeen(name="worker@a", seen_at=now() - timedelta(seconds=seconds_ago)))


def test_an_empty_installation_has_no_problems(appliance: Appliance) -> None:
    _heard()
    assert appliance.viewer.get("/overview").json() == {
        "running": [],
        "queued": [],
        "issues": [],
        "arrays": [],
        "latest": [],
        "hosts_with_problems": [],
    }


def test_active_and_queued_runs_are_listed_with_obstacles(
    appliance: Appliance, campaign: dict[str, Any]
) -> None:
    _heard()
    overview = appliance.viewer.get("/overview").json()
    assert [run["title"] for run in overview["running"]] == ["Write"]
    assert [run["title"] for run in overview["queued"]] == ["Read"]
    for run in (*overview["running"], *overview["queued"]):
        assert (run["campaign_id"], run["campaign_name"]) == (campaign["id"], campaign["name"])
    assert "busy" in overview["queued"][0]["waits_for"]["what"]
    assert overview["issues"] == []


@pytest.mark.parametrize(
    "seconds_ago", [None, 60, -3600], ids=["never", "long ago", "before a clock's setback"]
)
def test_a_missing_worker_is_reported_before_anything_waits_for_it(
    appliance: Appliance, seconds_ago: float | None
) -> None:
    app.state.worker_due = Deadline(0)
    if seconds_ago is not None:
        _heard(seconds_ago=seconds_ago)
    (issue,) = appliance.viewer.get("/overview").json()["issues"]
    assert (issue["kind"], issue["link"]) == ("no_worker", None)
    assert "hosts are not checked and runs are not followed" in issue["message"]
    assert "`" not in issue["message"]


def test_a_worker_has_time_to_start_when_the_api_does(
    appliance: Appliance, campaign: dict[str, Any]
) -> None:
    app.state.worker_due = Deadline(600)
    _heard(seconds_ago=3600)
    assert appliance.viewer.get("/overview").json()["issues"] == []


@pytest.mark.parametrize(
    ("state", "kind", "words"),
    [
        ("key_unapproved", "host_key", "an unapproved host key"),
        ("key_changed", "host_key", "changed host key"),
        ("unreachable", "host", "is unreachable: connection refused"),
        ("error", "host", "failed its check: connection refused"),
    ],
)
def test_a_host_with_a_problem_is_listed(
    appliance: Appliance, state: str, kind: str, words: str
) -> None:
    _heard()
    host = appliance.host(state=state, state_reason="connection refused")
    overview = appliance.viewer.get("/overview").json()
    assert [one["id"] for one in overview["hosts_with_problems"]] == [host]
    (issue,) = overview["issues"]
    assert (issue["kind"], issue["link"]) == (kind, f"/hosts/{host}")
    assert words in issue["message"]


def test_a_lost_run_is_listed(appliance: Appliance, campaign: dict[str, Any]) -> None:
    _heard()
    with writing() as session:
        session.execute(update(Host).values(state="unreachable"))
        session.execute(
            update(Run)
            .where(Run.id == campaign["runs"][0]["id"])
            .values(state="running", unreachable_since=now() - timedelta(hours=1))
        )
    issues = appliance.viewer.get("/overview").json()["issues"]
    assert [issue["kind"] for issue in issues] == ["host", "run_lost"]
    assert issues[1]["link"] == f"/campaigns/{campaign['id']}"


def test_recent_results_are_listed(appliance: Appliance, campaign: dict[str, Any]) -> None:
    with writing() as session:
        session.execute(
            update(Run)
            .where(Run.id == campaign["runs"][0]["id"])
            .values(state="done", ended_at=now())
        )
    (latest,) = appliance.viewer.get("/overview").json()["latest"]
    assert latest["run_id"] == campaign["runs"][0]["id"]
    assert latest["campaign_id"] == campaign["id"]
