"""The API of schedules: create, preview, change, run, and what is rejected."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from assay.api.endpoints import schedules as endpoints
from assay.runs.schedules import queries
from testing.api import Appliance, fields, problem

Make = Callable[..., dict[str, Any]]
SetNow = Callable[[str], None]

FRIDAY_NIGHT = {"days": ["fri"], "start": "22:00", "end": "06:00"}
YEAR_END = {"start": "2026-12-24T00:00", "end": "2027-01-02T00:00"}
WEEKEND = {"days": ["sat", "sun"], "start": "00:00", "end": "24:00"}
_WEEK = ["2026-06-08", "2026-06-09", "2026-06-10", "2026-06-11", "2026-06-12"]
WEEKENDS = [
    pytest.param(
        "2026-06-03T12:00+00:00",
        ["2026-06-04", "2026-06-05", *_WEEK[:3]],
        ["2026-06-06", "2026-06-07"],
        id="on a Wednesday",
    ),
    pytest.param("2026-06-06T12:00+00:00", _WEEK, ["2026-06-07"], id="on a Saturday"),
    pytest.param("2026-06-07T12:00+00:00", _WEEK, [], id="on a Sunday"),
]
"""An instant, and the days of the five fire times after it and of those that a blackout skips."""


@pytest.fixture(autouse=True)
def set_now(monkeypatch: pytest.MonkeyPatch) -> SetNow:
    """Set the instant from which fire times are counted: a Wednesday, until a test sets another."""

    def at(instant: str) -> None:
        for module in (endpoints, queries):
            monkeypatch.setattr(module, "now", lambda session: datetime.fromisoformat(instant))

    at("2026-06-03T12:00+00:00")
    return at


def test_a_schedule_is_returned_as_created_with_its_next_fire_times(
    appliance: Appliance, make: Make, plan: dict[str, Any]
) -> None:
    made = make(zone="Europe/Berlin", weekly_blackouts=[FRIDAY_NIGHT], dated_blackouts=[YEAR_END])
    assert made == appliance.viewer.get(f"/schedules/{made['id']}").json()
    assert made["cron"] == "0 2 * * *"
    assert made["description"] == "At 02:00 every day"
    assert made["weekly_blackouts"] == [FRIDAY_NIGHT]
    assert made["dated_blackouts"] == [YEAR_END]
    assert (made["state"], made["grace_s"], made["last"]) == ("active", 3600, None)
    assert made["plan"]["target_ids"] == plan["target_ids"]
    assert made["profile"]["id"] == plan["profile_id"]
    assert made["created_by"] == "token operator"
    assert len(made["next"]) == 5
    assert {one["local"][11:16] for one in made["next"]} == {"02:00"}
    # what it launches can be posted as it is
    assert appliance.operator.post("/campaigns", made["plan"]).status_code == 201


def test_schedules_are_listed_by_name_state_and_next_fire_time(
    appliance: Appliance, make: Make
) -> None:
    late, early = make(name="late", cron="0 0 1 1 *"), make(name="early", cron="0 * * * *")
    paused = make(name="Paused")
    appliance.operator.post(f"/schedules/{paused['id']}/pause")

    def names(**query: Any) -> list[str]:
        items = appliance.viewer.get("/schedules", **query).json()["items"]
        return [one["name"] for one in items]

    assert names() == ["early", "late", "Paused"]
    assert names(state="paused") == ["Paused"]
    assert names(state="active", sort="next_at") == ["early", "late"]
    assert names(q="ate") == [late["name"]]
    assert names(sort="-id", limit=2) == ["Paused", early["name"]]


@pytest.mark.parametrize(("instant", "days", "skipped_days"), WEEKENDS)
def test_a_preview_shows_five_fire_times_and_what_blackouts_skip(
    appliance: Appliance,
    set_now: SetNow,
    instant: str,
    days: list[str],
    skipped_days: list[str],
) -> None:
    set_now(instant)
    body = {"cron": "0 2 * * *", "zone": "Europe/Berlin", "weekly_blackouts": [WEEKEND]}
    answer = appliance.viewer.post("/schedules/preview", body)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert [one["local"][:10] for one in found["fire_times"]] == days
    assert [one["local"][:10] for one in found["skipped"]] == skipped_days
    assert appliance.viewer.get("/schedules").json()["items"] == []


@pytest.mark.parametrize(("instant", "days", "skipped_days"), WEEKENDS)
def test_a_schedule_shows_the_fire_times_that_its_blackouts_skip(
    appliance: Appliance,
    make: Make,
    set_now: SetNow,
    instant: str,
    days: list[str],
    skipped_days: list[str],
) -> None:
    set_now(instant)
    made = make(cron="0 2 * * *", zone="Europe/Berlin", weekly_blackouts=[WEEKEND])
    found = appliance.viewer.get(f"/schedules/{made['id']}").json()
    assert [one["local"][:10] for one in found["next"]] == days
    assert [one["local"][:10] for one in found["skipped"]] == skipped_days
    paused = appliance.operator.post(f"/schedules/{made['id']}/pause").json()
    assert (paused["next"], paused["skipped"]) == ([], [])


def test_a_change_keeps_what_it_omits_and_plans_the_next_fire_time(
    appliance: Appliance, make: Make
) -> None:
    made = make(zone="Europe/Berlin")
    path = f"/schedules/{made['id']}"
    changed = appliance.operator.patch(path, {"cron": "30 4 * * *"}, made["etag"]).json()
    assert (changed["zone"], changed["name"]) == ("Europe/Berlin", "nightly")
    assert {one["local"][11:16] for one in changed["next"]} == {"04:30"}
    stale = appliance.operator.patch(path, {"grace_s": 0}, made["etag"])
    assert problem(stale, 412, "precondition_failed")["changed_by"] == "token operator"
    assert appliance.operator.patch(path, {"grace_s": 0}, changed["etag"]).json()["grace_s"] == 0
    problem(appliance.operator.delete(path, made["etag"]), 412, "precondition_failed")
    assert appliance.operator.delete(path).status_code == 204
    problem(appliance.viewer.get(path), 404, "not_found")


def test_pausing_a_paused_schedule_succeeds_and_keeps_the_time(
    appliance: Appliance, make: Make
) -> None:
    path = f"/schedules/{make()['id']}"
    first, second = (appliance.operator.post(f"{path}/pause").json() for _ in range(2))
    assert first["paused_at"] == second["paused_at"]
    assert appliance.operator.patch(path, {"cron": "0 5 * * *"}).json()["next"] == []
    for _ in range(2):
        resumed = appliance.operator.post(f"{path}/resume").json()
    assert resumed["next"][0]["local"][11:16] == "05:00"


def test_a_schedule_is_run_by_hand_by_the_caller(appliance: Appliance, make: Make) -> None:
    made = make()
    path = f"/schedules/{made['id']}"
    appliance.operator.post(f"{path}/pause")
    answer = appliance.operator.post(f"{path}/run")
    assert answer.status_code == 201, answer.text
    campaign = answer.json()
    assert answer.headers["Location"] == f"/api/v1/campaigns/{campaign['id']}"
    assert (campaign["schedule_id"], campaign["origin"]) == (made["id"], "token")
    assert campaign["created_by"] == "token operator"
    (fired,) = appliance.viewer.get(f"{path}/firings").json()["items"]
    assert (fired["by_hand"], fired["campaign"]["id"]) == (True, campaign["id"])
    runs = appliance.viewer.get("/runs", schedule=made["id"]).json()["items"]
    assert [run["campaign_id"] for run in runs] == [campaign["id"]]


def test_a_run_by_hand_that_is_refused_is_the_callers_error(
    appliance: Appliance, make: Make, plan: dict[str, Any]
) -> None:
    path = f"/schedules/{make()['id']}"
    appliance.operator.delete(f"/targets/{plan['target_ids'][0]}")
    problem(appliance.operator.post(f"{path}/run"), 422, "invalid")
    assert appliance.viewer.get(f"{path}/firings").json()["items"] == []


def test_a_repeated_request_with_the_same_key_creates_one_schedule(
    appliance: Appliance, plan: dict[str, Any]
) -> None:
    body = {"name": "nightly", "cron": "0 2 * * *", "zone": "UTC", "plan": plan}
    first, second = (appliance.operator.post("/schedules", body, key="k-1") for _ in range(2))
    assert first.json() == second.json()
    assert first.headers["Location"] == f"/api/v1/schedules/{first.json()['id']}"
    taken = problem(appliance.operator.post("/schedules", body), 409, "name_taken")
    assert taken["existing_id"] == first.json()["id"]


WEEKLY = {"days": ["mon"], "start": "08:00", "end": "10:00"}


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"cron": "0 2 31 2 *"}, "cron", "never fires"),
        ({"cron": "* * * * *"}, "cron", "the minimum is 15 min"),
        ({"cron": "0 2 * *"}, "cron", "must have five"),
        ({"cron": 5}, "cron", "must be text"),
        ({"cron": "0 2 * * *" + " " * 200 + "*"}, "cron", "100 or fewer characters"),
        ({"zone": "Europe/Berlim"}, "zone", "Did you mean `Europe/Berlin`"),
        ({"zone": "berlin"}, "zone", "Did you mean `Europe/Berlin`"),
        ({"zone": "europe/berlin"}, "zone", "Did you mean `Europe/Berlin`"),
        ({"zone": "../../etc/passwd"}, "zone", "is not a time zone"),
        ({"zone": "CEST"}, "zone", "is not a time zone"),
        ({"grace_s": -1}, "grace_s", "at least 0"),
        ({"grace_s": 86_401}, "grace_s", "at most 86400"),
        ({"weekly_blackouts": [WEEKLY | {"days": []}]}, "weekly_blackouts.0.days", "entries"),
        ({"weekly_blackouts": [WEEKLY | {"days": ["so"]}]}, "weekly_blackouts.0.days.0", "one of"),
        ({"weekly_blackouts": [WEEKLY | {"start": "24:00"}]}, "weekly_blackouts.0.start", "time"),
        ({"weekly_blackouts": [WEEKLY | {"start": "8"}]}, "weekly_blackouts.0.start", "22:00"),
        ({"weekly_blackouts": [WEEKLY | {"end": "08:00"}]}, "weekly_blackouts.0.end", "differ"),
        ({"weekly_blackouts": [WEEKLY | {"zone": "UTC"}]}, "weekly_blackouts.0.zone", "unknown"),
        ({"weekly_blackouts": [WEEKLY] * 51}, "weekly_blackouts", "50 or fewer entries"),
        (
            {"dated_blackouts": [YEAR_END | {"end": "2026-12-01T00:00"}]},
            "dated_blackouts.0.end",
            "must be after `start`",
        ),
        (
            {"dated_blackouts": [YEAR_END | {"end": "2027-01-02T00:00Z"}]},
            "dated_blackouts.0.end",
            "must have no time zone",
        ),
        (
            {"dated_blackouts": [YEAR_END | {"start": "christmas"}]},
            "dated_blackouts.0.start",
            "must be a date and time",
        ),
        (
            {"dated_blackouts": [YEAR_END | {"start": "0001-01-01T00:00"}]},
            "dated_blackouts.0.start",
            "must be a date and time",
        ),
        (
            {"weekly_blackouts": [{"days": list("x"), "start": "00:00", "end": "24:00"}]},
            "weekly_blackouts.0.days.0",
            "one of",
        ),
        (
            {
                "weekly_blackouts": [
                    {
                        "days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
                        "start": "00:00",
                        "end": "24:00",
                    }
                ]
            },
            "weekly_blackouts",
            "cover every fire time",
        ),
        (
            {"dated_blackouts": [{"start": "2020-01-01", "end": "2120-01-01"}]},
            "dated_blackouts",
            "cover every fire time",
        ),
        ({"name": " "}, "name", "blank"),
        ({"name": "n" * 101}, "name", "100 or fewer"),
        ({"plan": {"target_ids": [1]}}, "plan.profile", "either"),
        ({"plan": {"profile_id": 999_999, "target_ids": [1]}}, "plan.profile_id", "no such"),
        ({"plan": {"profile": "First lok", "target_ids": [1]}}, "plan.profile", "First look"),
        ({"crontab": "0 2 * * *"}, "crontab", "unknown"),
    ],
)
def test_bad_input_is_rejected_with_field_and_remedy(
    appliance: Appliance, plan: dict[str, Any], change: dict[str, Any], field: str, words: str
) -> None:
    body = {"name": "nightly", "cron": "0 2 * * *", "zone": "UTC", "plan": plan} | change
    document = problem(appliance.operator.post("/schedules", body), 422, "invalid")
    assert field in fields(document), document["errors"]
    texts = [f"{one['message']} {one['remedy']}" for one in document["errors"]]
    assert any(words in text for text in texts), texts
    assert appliance.viewer.get("/schedules").json()["items"] == []


@pytest.mark.parametrize("field", ["name", "cron", "zone", "grace_s", "plan", "weekly_blackouts"])
def test_a_field_cannot_be_changed_to_null(appliance: Appliance, make: Make, field: str) -> None:
    made = make()
    answer = appliance.operator.patch(f"/schedules/{made['id']}", {field: None})
    assert fields(problem(answer, 422, "invalid")) == [field]


def test_a_change_that_leaves_no_fire_time_is_rejected(appliance: Appliance, make: Make) -> None:
    path = f"/schedules/{make(cron='0 9 * * 1', weekly_blackouts=[])['id']}"
    answer = appliance.operator.patch(path, {"weekly_blackouts": [WEEKLY]})
    assert fields(problem(answer, 422, "invalid")) == ["weekly_blackouts"]
    assert appliance.viewer.get(path).json()["weekly_blackouts"] == []


def test_a_name_in_use_is_rejected_for_a_change(appliance: Appliance, make: Make) -> None:
    make(name="first")
    second = make(name="second")
    answer = appliance.operator.patch(f"/schedules/{second['id']}", {"name": "first"})
    problem(answer, 409, "name_taken")


def test_a_schedule_is_found_by_its_name(appliance: Appliance, make: Make) -> None:
    made = make(name="vault, every night")
    (group,) = appliance.viewer.get("/search", q="night vault").json()["groups"]
    assert group["type"] == "schedule"
    assert group["hits"] == [
        {"id": made["id"], "name": "vault, every night", "detail": "0 2 * * * UTC"}
    ]
