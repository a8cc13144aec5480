"""Tokens with limits and schedules, whose campaigns would not count."""

from typing import Any

import pytest
from assay.api.tokens.queries import Limits, issue
from assay.tables.database import writing
from testing.api import SETTING_UP, Appliance, Caller, problem

PLAN = {"cron": "0 2 * * *", "zone": "UTC"}


@pytest.mark.parametrize(
    "limits",
    [{"target_labels": {"tier": "test"}}, {"bytes_per_day": 10**12}, {"campaigns_at_once": 1}],
    ids=lambda limits: next(iter(limits)),
)
def test_a_token_with_a_limit_cannot_schedule(appliance: Appliance, limits: dict[str, Any]) -> None:
    target = appliance.target(appliance.host())
    plan = {"profile_id": appliance.profile(), "target_ids": [target]}
    body = {"name": "nightly", "plan": plan, **PLAN}
    made = appliance.operator.post("/schedules", body)
    assert made.status_code == 201, made.text
    with writing() as session:
        _, text = issue(session, SETTING_UP, "limited", "operator", None, limits=Limits(**limits))
    limited = Caller(appliance.http, text)
    where = f"/schedules/{made.json()['id']}"
    for answer in (
        limited.post("/schedules", body | {"name": "another"}),
        limited.patch(where, {"cron": "0 3 * * *"}),
        limited.post(f"{where}/resume"),
    ):
        refused = problem(answer, 403, "token_is_limited")
        assert next(iter(limits)) in refused["detail"]
    assert len(appliance.viewer.get("/schedules").json()["items"]) == 1
    paused = limited.post(f"{where}/pause")
    if "target_labels" in limits:  # the schedule may launch on targets that are not the token's
        problem(paused, 403, "token_is_limited")
        problem(limited.delete(where), 403, "token_is_limited")
        assert appliance.viewer.get(where).json()["state"] == "active"
    else:
        assert paused.status_code == 200
