"""Firing: one campaign per fire time, and a record of each that launched none."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from threading import Barrier
from typing import Any

import pytest
from assay.runs import lifecycle
from assay.runs.schedules import firing
from assay.tables.campaigns import Campaign
from assay.tables.database import reading, writing
from assay.tables.hosts import Host
from assay.tables.profiles import Profile
from assay.tables.runs import Run
from assay.tables.schedules import Firing, Schedule
from sqlalchemy import func, select, update
from sqlalchemy.exc import IntegrityError
from testing.api import Appliance

from .conftest import present

MakeDue = Callable[..., tuple[int, datetime]]


def campaigns(appliance: Appliance, schedule_id: int) -> list[dict[str, Any]]:
    return appliance.viewer.get("/campaigns", schedule=schedule_id).json()["items"]


def firings(appliance: Appliance, schedule_id: int) -> list[dict[str, Any]]:
    return appliance.viewer.get(f"/schedules/{schedule_id}/firings").json()["items"]


def issues(appliance: Appliance) -> list[dict[str, Any]]:
    found = appliance.viewer.get("/overview").json()["issues"]
    return [one for one in found if one["kind"] == "schedule"]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def end_runs() -> None:
    with writing() as session:
        session.execute(update(Run).values(state=lifecycle.DONE, ended_at=present()))


def test_a_due_schedule_launches_one_campaign_that_names_it(
    appliance: Appliance, make_due: MakeDue
) -> None:
    schedule_id, last = make_due()
    assert firing.due() == schedule_id
    firing.fire(schedule_id)
    (campaign,) = campaigns(appliance, schedule_id)
    assert campaign["schedule_id"] == schedule_id
    assert campaign["origin"] == "schedule"
    assert campaign["created_by"] == "schedule nightly"
    assert campaign["name"] == "nightly", "its plan names none"
    (fired,) = firings(appliance, schedule_id)
    assert fired["outcome"] == "launched"
    assert at(fired["due_at"]) == last
    assert fired["campaign"]["id"] == campaign["id"]
    shown = appliance.viewer.get(f"/schedules/{schedule_id}").json()
    assert at(shown["next"][0]["at"]) == last + timedelta(hours=1)
    assert shown["last"]["campaign"]["id"] == campaign["id"]
    assert issues(appliance) == []
    assert firing.due() is None
    firing.fire(schedule_id)  # as a scheduler that was slow
    assert len(campaigns(appliance, schedule_id)) == 1


def test_two_schedulers_launch_one_campaign(appliance: Appliance, make_due: MakeDue) -> None:
    schedule_id, _ = make_due()
    start = Barrier(4)

    def scheduler(_number: int) -> None:
        start.wait()
        firing.fire(schedule_id)

    with ThreadPoolExecutor(4) as schedulers:
        list(schedulers.map(scheduler, range(4)))
    assert len(campaigns(appliance, schedule_id)) == 1
    assert len(firings(appliance, schedule_id)) == 1


def test_the_database_accepts_a_fire_time_once(make_due: MakeDue) -> None:
    schedule_id, last = make_due()
    fired = {"schedule_id": schedule_id, "due_at": last, "last_due_at": last, "outcome": "missed"}
    with writing() as session:
        session.add(Firing(**fired))
    with pytest.raises(IntegrityError), writing() as session:
        session.add(Firing(**fired))


def test_only_the_newest_firings_are_kept(
    appliance: Appliance, make_due: MakeDue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(firing, "MOST_KEPT", 3)
    schedule_id, last = make_due()
    with writing() as session:
        for days in range(1, 6):
            due = last - timedelta(days=days)
            missed = {"due_at": due, "last_due_at": due, "outcome": "missed"}
            session.add(Firing(schedule_id=schedule_id, **missed))
    firing.fire(schedule_id)
    kept = [at(one["due_at"]) for one in firings(appliance, schedule_id)]
    assert sorted(kept, reverse=True) == [last - timedelta(days=days) for days in range(3)]


def test_a_fire_time_beyond_the_grace_is_recorded_as_missed(
    appliance: Appliance, make_due: MakeDue
) -> None:
    schedule_id, last = make_due(hours=5, grace_s=60)
    firing.fire(schedule_id)
    assert campaigns(appliance, schedule_id) == []
    (fired,) = firings(appliance, schedule_id)
    assert (fired["outcome"], fired["times"]) == ("missed", 6)
    assert at(fired["due_at"]) == last - timedelta(hours=5)
    assert at(fired["last_due_at"]) == last
    assert "the grace is 1 min" in fired["detail"]
    (issue,) = issues(appliance)
    assert issue["link"] == f"/schedules/{schedule_id}"
    assert "nightly missed a fire time" in issue["message"]
    assert firing.due() is None


def test_several_fire_times_within_the_grace_launch_once(
    appliance: Appliance, make_due: MakeDue
) -> None:
    schedule_id, last = make_due(hours=3, grace_s=86_400)
    firing.fire(schedule_id)
    assert len(campaigns(appliance, schedule_id)) == 1
    found = {one["outcome"]: one for one in firings(appliance, schedule_id)}
    assert at(found["launched"]["due_at"]) == last
    assert found["missed"]["times"] == 3
    assert at(found["missed"]["last_due_at"]) == last - timedelta(hours=1)
    assert issues(appliance) == []
    path = f"/schedules/{schedule_id}/firings"
    for query, outcomes in (
        ({"outcome": "missed"}, ["missed"]),
        ({"from": last.isoformat()}, ["launched"]),
        ({"to": last.isoformat()}, ["missed"]),
        ({"outcome": "launched", "to": last.isoformat()}, []),
    ):
        listed = appliance.viewer.get(path, **query).json()["items"]
        assert [one["outcome"] for one in listed] == outcomes


def test_a_late_fire_time_does_not_launch_in_a_blackout(
    appliance: Appliance, make_due: MakeDue
) -> None:
    begun = present() - timedelta(minutes=10)
    blackout = {
        "start": f"{begun:%Y-%m-%dT%H:%M}",
        "end": f"{begun + timedelta(hours=2):%Y-%m-%dT%H:%M}",
    }
    schedule_id, _ = make_due(grace_s=86_400, dated_blackouts=[blackout])
    firing.fire(schedule_id)
    assert campaigns(appliance, schedule_id) == []
    (fired,) = firings(appliance, schedule_id)
    assert fired["outcome"] == "missed"
    assert "a blackout had begun" in fired["detail"]


def test_a_refused_launch_is_recorded_and_the_schedule_stays(
    appliance: Appliance, plan: dict[str, Any], make_due: MakeDue
) -> None:
    schedule_id, _ = make_due()
    assert appliance.operator.delete(f"/targets/{plan['target_ids'][0]}").is_success
    firing.fire(schedule_id)
    (fired,) = firings(appliance, schedule_id)
    assert (fired["outcome"], fired["code"]) == ("refused", "invalid")
    assert "target_ids.0" in fired["detail"]
    (issue,) = issues(appliance)
    assert "nightly could not launch its campaign" in issue["message"]
    shown = appliance.viewer.get(f"/schedules/{schedule_id}").json()
    assert shown["state"] == "active"
    assert at(shown["next"][0]["at"]) > present()
    assert appliance.operator.post(f"/schedules/{schedule_id}/pause").is_success
    assert issues(appliance) == [], "a paused schedule needs no attention"


def test_a_host_that_is_being_deleted_refuses_the_launch(
    appliance: Appliance, make_due: MakeDue
) -> None:
    schedule_id, _ = make_due()
    with writing() as session:
        session.execute(update(Host).values(state="deleting"))
    firing.fire(schedule_id)
    (fired,) = firings(appliance, schedule_id)
    assert (fired["outcome"], fired["code"]) == ("refused", "host_deleting")


def test_a_schedule_keeps_its_version_of_a_changed_profile_and_shows_the_newest(
    appliance: Appliance, plan: dict[str, Any], make_due: MakeDue
) -> None:
    copied = appliance.operator.post(f"/profiles/{plan['profile_id']}/copy", {"name": "Own"}).json()
    schedule_id, _ = make_due(plan=plan | {"profile_id": copied["id"]})
    changed = {name: copied[name] for name in ("name", "description", "body")}
    newest = appliance.operator.put(f"/profiles/{copied['id']}", changed).json()
    shown = appliance.viewer.get(f"/schedules/{schedule_id}").json()["profile"]
    assert (shown["version"], shown["newest_version"]) == (1, 2)
    assert shown["newest_id"] == newest["id"]
    firing.fire(schedule_id)
    assert campaigns(appliance, schedule_id)[0]["profile"]["version"] == 1


def test_a_schedule_that_names_a_profile_launches_its_newest_version(
    appliance: Appliance, plan: dict[str, Any], make_due: MakeDue
) -> None:
    copied = appliance.operator.post(f"/profiles/{plan['profile_id']}/copy", {"name": "Own"}).json()
    by_name = {name: value for name, value in plan.items() if name != "profile_id"}
    schedule_id, _ = make_due(plan=by_name | {"profile": "Own"})
    changed = {name: copied[name] for name in ("name", "description", "body")}
    appliance.operator.put(f"/profiles/{copied['id']}", changed)
    firing.fire(schedule_id)
    assert campaigns(appliance, schedule_id)[0]["profile"]["version"] == 2


def test_a_schedule_that_names_a_target_launches_after_its_host_was_renamed(
    appliance: Appliance, plan: dict[str, Any], make_due: MakeDue
) -> None:
    (target_id,) = plan["target_ids"]
    target = appliance.viewer.get(f"/targets/{target_id}").json()
    host = appliance.viewer.get(f"/hosts/{target['host_id']}").json()
    by_name = {name: value for name, value in plan.items() if name != "target_ids"}
    schedule_id, _ = make_due(plan=by_name | {"targets": [f"{host['name']}{target['path']}"]})
    appliance.operator.patch(f"/hosts/{host['id']}", {"name": "renamed"})
    firing.fire(schedule_id)
    (launched,) = campaigns(appliance, schedule_id)
    again = appliance.viewer.get(f"/campaigns/{launched['id']}/plan").json()
    assert again["target_ids"] == [target_id]


def test_a_deleted_profile_refuses_the_launch(
    appliance: Appliance, plan: dict[str, Any], make_due: MakeDue
) -> None:
    copied = appliance.operator.post(f"/profiles/{plan['profile_id']}/copy", {"name": "Own"}).json()
    schedule_id, _ = make_due(plan=plan | {"profile_id": copied["id"]})
    appliance.operator.delete(f"/profiles/{copied['id']}")
    assert appliance.viewer.get(f"/schedules/{schedule_id}").json()["profile"] is None
    firing.fire(schedule_id)
    (fired,) = firings(appliance, schedule_id)
    assert fired["outcome"] == "refused"
    assert "there is no such profile" in fired["detail"]


def test_a_plan_that_this_version_does_not_accept_is_refused(
    appliance: Appliance, make_due: MakeDue
) -> None:
    schedule_id, _ = make_due()
    with writing() as session:
        row = session.get_one(Schedule, schedule_id)
        row.plan = row.plan | {"blocks": [4096]}
    firing.fire(schedule_id)
    (fired,) = firings(appliance, schedule_id)
    assert (fired["outcome"], fired["code"]) == ("refused", "plan_outdated")
    assert "blocks: is unknown" in fired["detail"]


def test_a_fire_time_is_skipped_while_the_previous_campaign_has_not_ended(
    appliance: Appliance, make_due: MakeDue
) -> None:
    schedule_id, last = make_due()
    firing.fire(schedule_id)
    (campaign,) = campaigns(appliance, schedule_id)
    with writing() as session:  # an hour later
        row = session.get_one(Schedule, schedule_id)
        session.execute(update(Firing).values(due_at=last - timedelta(hours=1)))
        row.next_at, row.planned_at = last, last - timedelta(minutes=1)
    firing.fire(schedule_id)
    assert len(campaigns(appliance, schedule_id)) == 1
    skipped = firings(appliance, schedule_id)[0]
    assert skipped["outcome"] == "skipped"
    assert skipped["detail"] == f"Campaign {campaign['id']} of this schedule had not ended."


def test_a_campaign_on_a_busy_host_is_queued_and_says_what_it_waits_for(
    appliance: Appliance, plan: dict[str, Any], make_due: MakeDue
) -> None:
    schedule_id, _ = make_due()
    assert appliance.operator.post("/campaigns", plan).status_code == 201
    firing.fire(schedule_id)
    (fired,) = firings(appliance, schedule_id)
    assert fired["campaign"]["state"] == "queued"
    assert "web-1 is busy with run" in fired["campaign"]["waits_for"]


def test_a_clock_that_is_set_back_launches_no_fire_time_twice(
    appliance: Appliance, make_due: MakeDue
) -> None:
    schedule_id, last = make_due()
    firing.fire(schedule_id)
    end_runs()
    with writing() as session:  # it fired when the clock was a day ahead, then as an hour before
        row = session.get_one(Schedule, schedule_id)
        row.next_at, row.planned_at = present() + timedelta(days=1), present() + timedelta(hours=23)
    assert firing.due() == schedule_id
    firing.fire(schedule_id)
    with reading() as session:
        row = session.get_one(Schedule, schedule_id)
        assert row.next_at == last + timedelta(hours=1), "it does not wait for a day"
    with writing() as session:
        row = session.get_one(Schedule, schedule_id)
        row.next_at, row.planned_at = last, last - timedelta(minutes=1)
    firing.fire(schedule_id)
    assert len(campaigns(appliance, schedule_id)) == 1


def test_a_paused_schedule_does_not_fire_and_resumes_with_the_next_fire_time(
    appliance: Appliance, make_due: MakeDue
) -> None:
    schedule_id, last = make_due()
    paused = appliance.operator.post(f"/schedules/{schedule_id}/pause").json()
    assert (paused["state"], paused["next"]) == ("paused", [])
    assert firing.due() is None
    resumed = appliance.operator.post(f"/schedules/{schedule_id}/resume").json()
    assert at(resumed["next"][0]["at"]) == last + timedelta(hours=1)
    assert firing.due() is None
    assert firings(appliance, schedule_id) == []


def test_a_deleted_campaign_stays_in_the_record_without_its_name(
    appliance: Appliance, make_due: MakeDue
) -> None:
    schedule_id, _ = make_due()
    firing.fire(schedule_id)
    end_runs()
    (campaign,) = campaigns(appliance, schedule_id)
    assert appliance.operator.delete(f"/campaigns/{campaign['id']}").is_success
    (fired,) = firings(appliance, schedule_id)
    assert (fired["outcome"], fired["campaign"]) == ("launched", None)
    assert campaigns(appliance, schedule_id) == []


def test_a_deleted_schedule_leaves_its_campaigns(appliance: Appliance, make_due: MakeDue) -> None:
    schedule_id, _ = make_due()
    firing.fire(schedule_id)
    assert appliance.operator.delete(f"/schedules/{schedule_id}").status_code == 204
    with reading() as session:
        campaign = session.scalars(select(Campaign)).one()
        assert (campaign.schedule_id, campaign.created_by) == (None, "schedule nightly")
        assert session.scalar(select(func.count(Firing.id))) == 0
        assert session.scalar(select(func.count(Profile.id)))
    assert firing.due() is None
