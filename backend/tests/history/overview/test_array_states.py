"""The overview has the states of arrays."""

from typing import Any

import pytest
from assay.history.overview import array_states
from assay.runs.verdicts.stored import store_ended
from assay.tables.campaigns import Campaign
from assay.tables.clock import now
from assay.tables.database import writing
from assay.tables.runs import Run
from sqlalchemy import select
from testing.api import Appliance
from testing.seeds import seed_ended_run, seed_run


def _arrays(appliance: Appliance) -> list[dict[str, Any]]:
    return appliance.viewer.get("/overview").json()["arrays"]


def _ended() -> int:
    with writing() as session:
        run = seed_ended_run(session)
        run.ended_at = now(session)
        return run.id


def test_an_array_that_is_measured_is_running_and_then_idle(appliance: Appliance) -> None:
    with writing() as session:
        run, _, _ = seed_run(session)
        run_id = run.id
    (array,) = _arrays(appliance)
    assert (array["name"], array["state"], array["newest"]) == ("array-1", "running", None)
    for state, shown in (("queued", "queued"), ("done", "idle")):
        with writing() as session:
            session.get_one(Run, run_id).state = state
        (array,) = _arrays(appliance)
        assert array["state"] == shown
    assert (array["newest"]["id"], array["newest"]["state"]) == (run_id, "done")


def test_the_newest_run_has_its_verdict(appliance: Appliance) -> None:
    run_id = _ended()
    with writing() as session:
        campaign = session.scalars(select(Campaign)).one()
        campaign.criteria = [{"criterion": "durable.mean >= 1 MB/s", "stop": False}]
    store_ended(run_id)
    (array,) = _arrays(appliance)
    assert array["newest"]["verdict"]["outcome"] == "pass"


def test_a_deleted_campaign_leaves_no_state(appliance: Appliance) -> None:
    _ended()
    with writing() as session:
        session.scalars(select(Campaign)).one().deleted_at = now(session)
    assert _arrays(appliance) == []


def test_of_many_arrays_those_in_use_and_measured_last_are_shown_by_name(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(array_states, "MOST_ARRAYS", 2)
    with writing() as session:
        seed_run(session)
    for _ in range(2):
        _ended()
    assert [one["name"] for one in _arrays(appliance)] == ["array-1", "array-3"]
