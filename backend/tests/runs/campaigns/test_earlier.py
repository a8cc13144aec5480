"""The earlier runs behind an expected duration."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from assay.runs.campaigns.expectation import MOST_USED
from assay.tables.database import reading, writing
from assay.tables.runs import Attempt, Participant, Run, Trial
from sqlalchemy import select
from testing.api import Appliance

pytestmark = pytest.mark.usefixtures("worker")

MB = 10**6
THEN = datetime(2026, 11, 3, 9, tzinfo=UTC)
TEST: dict[str, Any] = {
    "kind": "matrix",
    "operation": "write",
    "title": "Write",
    "block": [65536],
    "threads": [1],
    "file_size": 100 * 65536,
    "repeats": 2,
}


def profile(appliance: Appliance, *tests: dict[str, Any]) -> int:
    number = len(appliance.viewer.get("/profiles").json()["items"])
    body = {"name": f"Own {number}", "body": {"tests": list(tests) or [TEST]}}
    return appliance.operator.post("/profiles", body).json()["id"]


def measured(appliance: Appliance, plan: dict[str, Any], *, trial_s: float, gap_s: float) -> int:
    """Launch a campaign of one run that took so long; return the run's id.

    It started 5 s before its first trial, and half of each trial was its final sync.
    """
    (launched,) = appliance.operator.post("/campaigns", plan).json()["runs"]
    with writing() as session:
        run = session.get_one(Run, launched["id"])
        trials = session.scalars(
            select(Trial).where(Trial.run_id == run.id).order_by(Trial.position)
        ).all()
        parts = session.scalars(select(Participant).where(Participant.run_id == run.id)).all()
        for number, trial in enumerate(trials):
            for part in parts:
                attempt = Attempt(trial_id=trial.id, participant_id=part.id, number=1)
                attempt.status, attempt.bytes = "complete", 100 * 65536
                attempt.app_ns = round(trial_s * 5e8)
                attempt.durable_ns = round(trial_s * 1e9)
                # the clock of the host is an hour ahead
                attempt.started_at = THEN + timedelta(
                    hours=1, seconds=5 + number * (trial_s + gap_s)
                )
                session.add(attempt)
        run.state, run.started_at = "done", THEN
        whole = 5 + len(trials) * trial_s + (len(trials) - 1) * gap_s
        run.ended_at = THEN + timedelta(seconds=whole)
        return run.id


def expected(appliance: Appliance, plan: dict[str, Any]) -> dict[str, Any] | None:
    answer = appliance.viewer.post("/campaigns/estimate", plan)
    assert answer.status_code == 200, answer.text
    return answer.json()["expected"]


def test_the_same_campaign_is_expected_to_take_as_long_as_before(appliance: Appliance) -> None:
    plan = {
        "profile_id": profile(appliance),
        "target_ids": [appliance.target(appliance.host())],
    }
    assert expected(appliance, plan) is None
    run_id = measured(appliance, plan, trial_s=4, gap_s=1)
    found = expected(appliance, plan)
    assert found is not None
    assert found["seconds"] == pytest.approx(5 + 4 + 1 + 4)
    assert found["run_ids"] == [run_id]
    assert found["since"] == "2026-11-03T09:00:14Z"
    more = expected(appliance, plan | {"overrides": {"repeats": 10}})
    assert more is not None
    assert more["seconds"] == pytest.approx(5 + 10 * 4 + 9 * 1)


def test_only_runs_of_the_same_direction_cache_and_target_count(appliance: Appliance) -> None:
    here, there = (appliance.target(appliance.host(name)) for name in ("web-1", "web-2"))
    plan = {"profile_id": profile(appliance), "target_ids": [here]}
    measured(appliance, plan, trial_s=4, gap_s=1)
    assert expected(appliance, plan) is not None
    assert expected(appliance, plan | {"target_ids": [there]}) is None
    assert expected(appliance, plan | {"overrides": {"cache": "direct"}}) is None
    assert expected(appliance, plan | {"overrides": {"open_mode": "rws"}}) is None
    reads = plan | {"profile_id": profile(appliance, TEST | {"operation": "read"})}
    assert expected(appliance, reads) is None
    both = plan | {"target_ids": [here, there]}
    assert expected(appliance, both) is None  # one of the two is unknown
    assert expected(appliance, both | {"together": True}) is None


def test_targets_that_run_together_are_known_from_runs_together(appliance: Appliance) -> None:
    targets = [appliance.target(appliance.host(name)) for name in ("web-1", "web-2")]
    plan = {"profile_id": profile(appliance), "target_ids": targets, "together": True}
    measured(appliance, plan, trial_s=6, gap_s=0)
    found = expected(appliance, plan | {"target_ids": targets[::-1]})
    assert found is not None
    assert found["seconds"] == pytest.approx(5 + 2 * 6)
    alone = plan | {"target_ids": targets[:1], "together": False}
    assert expected(appliance, alone) is None


def test_runs_of_one_host_add_up_and_hosts_do_not(appliance: Appliance) -> None:
    first = appliance.host("web-1")
    targets = [
        appliance.target(first, "/mnt/a"),
        appliance.target(first, "/mnt/b"),
        appliance.target(appliance.host("web-2")),
    ]
    plan = {"profile_id": profile(appliance)}
    for target in targets:
        measured(appliance, plan | {"target_ids": [target]}, trial_s=4, gap_s=0)
    found = expected(appliance, plan | {"target_ids": targets})
    assert found is not None
    assert found["seconds"] == pytest.approx(2 * (5 + 2 * 4))
    assert len(found["run_ids"]) == 3


def test_the_newest_runs_are_used(appliance: Appliance) -> None:
    plan = {
        "profile_id": profile(appliance),
        "target_ids": [appliance.target(appliance.host())],
    }
    measured(appliance, plan, trial_s=400, gap_s=0)
    newest = [measured(appliance, plan, trial_s=4, gap_s=0) for _ in range(MOST_USED)]
    found = expected(appliance, plan)
    assert found is not None
    assert found["seconds"] == pytest.approx(5 + 2 * 4)
    assert found["run_ids"] == newest[::-1]


def test_a_run_that_failed_tells_nothing(appliance: Appliance) -> None:
    plan = {
        "profile_id": profile(appliance),
        "target_ids": [appliance.target(appliance.host())],
    }
    run_id = measured(appliance, plan, trial_s=4, gap_s=0)
    with writing() as session:
        session.get_one(Run, run_id).state = "failed"
    assert expected(appliance, plan) is None


def test_a_duration_is_expected_with_what_came_on_top_of_it(appliance: Appliance) -> None:
    test = {"kind": "sustained", "title": "Long", "length": "10 s", "repeats": 2}
    plan = {
        "profile_id": profile(appliance, test),
        "target_ids": [appliance.target(appliance.host())],
    }
    measured(appliance, plan, trial_s=12, gap_s=3)
    with reading() as session:
        (trial, _) = session.scalars(select(Trial)).all()
        assert trial.parameters["duration_ms"] == 10_000
    found = expected(appliance, plan | {"overrides": {"length": "60 s"}})
    assert found is not None
    assert found["seconds"] == pytest.approx(5 + 2 * (60 + 2) + 3)
