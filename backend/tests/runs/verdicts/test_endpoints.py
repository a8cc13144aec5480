"""Verdicts over the API: profile, launch, storing, judging again, stopping."""

from typing import Any

import pytest
from assay.base.worded import plain
from assay.runs import stored_results
from assay.runs.recording.record import rebuild
from assay.runs.scheduling.reservations import dispatch
from assay.runs.verdicts.stored import store_ended
from assay.tables.database import reading, writing
from assay.tables.profiles import Profile
from assay.tables.runs import Reservation, Result, Run
from assay.tables.verdicts import Verdict
from sqlalchemy import select, update
from testing.api import Appliance, fields, problem
from testing.seeds import TEST

from .judged import FASTER, SLOWER, TOO_FEW, profile_with, queue_beside, seed_judged, waiver


def test_a_profile_keeps_its_criteria_in_their_usual_form(appliance: Appliance) -> None:
    made = appliance.operator.post("/profiles", profile_with("durable.mean>=1250.0MB/s")).json()
    assert made["body"]["criteria"] == [{"criterion": FASTER, "stop": False}]


@pytest.mark.parametrize(
    ("criteria", "field", "message", "remedy"),
    [
        (["durable.mean > 3 ms"], "body.criteria.0.criterion", "at character 16", "MB/s"),
        (["app.mean > 1 B/s", "nonsense"], "body.criteria.1.criterion", "unknown metric", "Use"),
        (["read.p99 < 1 s"], "body.criteria.0.criterion", "only a read has it", "durable.mean"),
        (
            ["app.mean > 2 MB/s", "app.mean < 1 MB/s"],
            "body.criteria.1.criterion",
            "contradicts ",
            "remove one",
        ),
    ],
)
def test_a_criterion_that_no_test_can_give_is_refused_with_position_and_alternatives(
    appliance: Appliance, criteria: list[str], field: str, message: str, remedy: str
) -> None:
    answer = appliance.operator.post("/profiles", profile_with(*criteria))
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["field"] == field
    assert message in error["message"]
    assert remedy in error["remedy"]


def test_a_launch_adds_criteria_and_refuses_those_that_its_tests_cannot_give(
    appliance: Appliance,
) -> None:
    profile = appliance.operator.post("/profiles", profile_with(FASTER)).json()["id"]
    plan = {"profile_id": profile, "target_ids": [appliance.target(appliance.host())]}
    refused = appliance.operator.post(
        "/campaigns", plan | {"criteria": [{"criterion": "read.p99 < 1 s"}]}
    )
    assert fields(refused.json()) == ["criteria.0.criterion"]
    unfit = appliance.operator.post("/campaigns", plan | {"tests": [TEST | {"operation": "read"}]})
    assert fields(unfit.json()) == ["profile.criteria.0"]
    made = appliance.operator.post(
        "/campaigns", plan | {"criteria": [{"criterion": "stall.max<1 s", "stop": True}]}
    )
    assert made.status_code == 201, made.text
    assert made.json()["criteria"] == [
        {"criterion": FASTER, "stop": False},
        {"criterion": "stall.max < 1 s", "stop": True},
    ]
    assert made.json()["verdict"] is None


def test_the_verdict_is_shown_at_the_end_and_stored_with_the_result_unchanged(
    appliance: Appliance,
) -> None:
    run_id, campaign_id = seed_judged(FASTER, SLOWER, TOO_FEW)
    before = appliance.viewer.get(f"/runs/{run_id}/verdict").json()
    assert [row["outcome"] for row in before["rows"]] == ["fail", "pass", "inconclusive"]
    assert before["build"] is None
    shown = appliance.viewer.get(f"/campaigns/{campaign_id}").json()
    assert shown["verdict"] | {"rules": []} == {
        "outcome": "fail",
        "failed": 1,
        "inconclusive": 1,
        "waived": 0,
        "passed": 1,
        "rules": [],
    }
    store_ended(run_id)
    store_ended(run_id)
    stored = appliance.viewer.get(f"/runs/{run_id}/verdict").json()
    assert stored | {"build": None} == before
    assert stored["build"] == 1
    assert appliance.viewer.get(f"/campaigns/{campaign_id}").json()["verdict"] == shown["verdict"]
    first = stored["rows"][0]
    assert (first["measured"], first["limit"], first["judged"]) == (5e6, 1.25e9, "fail")
    assert first["margin"] == pytest.approx(5e6 / 1.25e9 - 1)
    assert first["evidence"]["trial_id"]


def test_a_rebuilt_run_keeps_the_verdict_and_the_result_that_it_cites(
    appliance: Appliance,
) -> None:
    run_id, _ = seed_judged(FASTER)
    store_ended(run_id)
    before = appliance.viewer.get(f"/runs/{run_id}/verdict").json()
    with writing() as session:
        rebuild(session, run_id)
    assert appliance.viewer.get(f"/runs/{run_id}/verdict").json() == before
    with reading() as session:
        assert session.scalars(select(Result.build).order_by(Result.build)).all() == [1, 2]


def test_a_run_that_was_rebuilt_before_its_result_was_stored_has_a_verdict(
    appliance: Appliance,
) -> None:
    run_id, _ = seed_judged(FASTER)
    with writing() as session:
        rebuild(session, run_id)
    assert stored_results.due() is None
    assert appliance.viewer.get(f"/runs/{run_id}/verdict").json()["build"] == 1


def test_stored_runs_are_judged_by_other_criteria_without_a_change(appliance: Appliance) -> None:
    run_id, campaign_id = seed_judged(FASTER)
    store_ended(run_id)
    own = appliance.viewer.get(f"/campaigns/{campaign_id}/verdict").json()
    body = {"criteria": [{"criterion": SLOWER}, {"criterion": "stall.max < 1 s"}]}
    again = appliance.viewer.post(f"/campaigns/{campaign_id}/verdicts", body).json()
    assert again["outcome"] == "pass"
    assert [row["criterion"] for row in again["runs"][0]["rows"]] == [SLOWER, "stall.max < 1 s"]
    assert (again["runs"][0]["rules"], again["mixed_rules"]) == (own["runs"][0]["rules"], False)
    assert appliance.viewer.get(f"/campaigns/{campaign_id}/verdict").json() == own


@pytest.mark.parametrize(
    ("given", "field", "said"),
    [
        (["app.mean >= 2 GB/s", "app.mean < 1 GB/s"], "criteria.1.criterion", "contradicts"),
        (["app.mean >= 2 GB/s", "app.mean >= 2 GB/s"], "criteria.1.criterion", "repeats "),
        (["app.mean >= 0 GB/s"], "criteria.0.criterion", "every value meets"),
    ],
)
def test_stored_runs_are_not_judged_by_criteria_that_a_launch_refuses(
    appliance: Appliance, given: list[str], field: str, said: str
) -> None:
    _, campaign_id = seed_judged(FASTER)
    criteria = [{"criterion": one} for one in given]
    path = f"/campaigns/{campaign_id}/verdicts"
    (error,) = problem(appliance.viewer.post(path, {"criteria": criteria}), 422, "invalid")[
        "errors"
    ]
    body = {"tests": [TEST], "criteria": criteria}
    refused = appliance.operator.post("/profiles", {"name": "Same", "body": body})
    (of_profile,) = problem(refused, 422, "invalid")["errors"]
    assert (error["field"], said in error["message"]) == (field, True)
    assert of_profile == error | {"field": f"body.{field}"}


def test_a_result_of_earlier_rules_is_judged_again_by_the_current_ones(
    appliance: Appliance,
) -> None:
    run_id, campaign_id = seed_judged(FASTER)
    store_ended(run_id)
    with writing() as session:
        session.execute(update(Verdict).values(criteria_rules="0"))
    shown = appliance.viewer.get(f"/runs/{run_id}/verdict").json()
    assert shown["criteria_rules"] == "0"
    body = {"criteria": [{"criterion": SLOWER}]}
    again = appliance.viewer.post(f"/campaigns/{campaign_id}/verdicts", body).json()
    assert again["runs"][0]["criteria_rules"] != "0"


def test_runs_judged_by_different_rules_make_no_verdict_of_one_campaign(
    appliance: Appliance,
) -> None:
    first, campaign_id = seed_judged(SLOWER)
    second, other = seed_judged(SLOWER)
    with writing() as session:
        session.execute(
            update(Run).where(Run.id == second).values(campaign_id=campaign_id, number=2)
        )
    for run_id in (first, second):
        store_ended(run_id)

    def verdict() -> dict[str, Any]:
        return appliance.viewer.get(f"/campaigns/{campaign_id}").json()["verdict"]

    assert verdict()["outcome"] == "pass"
    with writing() as session:
        session.execute(update(Verdict).where(Verdict.run_id == second).values(criteria_rules="0"))
    assert (verdict()["outcome"], len(verdict()["rules"])) == ("inconclusive", 2)
    assert appliance.viewer.get(f"/campaigns/{campaign_id}/verdict").json()["mixed_rules"]
    listed = appliance.viewer.get("/campaigns", verdict="inconclusive").json()["items"]
    assert [campaign["id"] for campaign in listed] == [campaign_id]
    assert other != campaign_id


def test_campaigns_are_filtered_by_the_verdict_that_they_show(appliance: Appliance) -> None:
    seeded = {
        "fail": seed_judged(FASTER, SLOWER, TOO_FEW),
        "inconclusive": seed_judged(SLOWER, TOO_FEW),
        "waived": seed_judged(SLOWER, TOO_FEW),
        "pass": seed_judged(SLOWER),
        None: seed_judged(),
    }
    for run_id, _ in seeded.values():
        store_ended(run_id)
    appliance.operator.post(f"/runs/{seeded['waived'][0]}/waivers", waiver(1))
    for outcome, (run_id, campaign_id) in seeded.items():
        shown = appliance.viewer.get(f"/campaigns/{campaign_id}").json()["verdict"]
        assert (shown and shown["outcome"]) == outcome
        run = appliance.viewer.get(f"/runs/{run_id}").json()["verdict"]
        assert run == shown
        if outcome is not None:
            listed = appliance.viewer.get("/campaigns", verdict=outcome).json()["items"]
            assert [campaign["id"] for campaign in listed] == [campaign_id]


@pytest.mark.parametrize("stored", [False, True])
def test_a_criterion_by_which_no_run_can_be_judged_makes_the_campaign_inconclusive(
    appliance: Appliance, stored: bool
) -> None:
    run_id, campaign_id = seed_judged(SLOWER, "read.p99 < 1 s", "backlog.end <= 1 MB")
    if stored:
        store_ended(run_id)
    shown = appliance.viewer.get(f"/campaigns/{campaign_id}").json()["verdict"]
    assert (shown["outcome"], shown["passed"], shown["inconclusive"]) == ("inconclusive", 1, 2)
    verdict = appliance.viewer.get(f"/campaigns/{campaign_id}/verdict").json()
    assert verdict["outcome"] == "inconclusive"
    assert [row["criterion"] for row in verdict["runs"][0]["rows"]] == [SLOWER]
    reads, late = verdict["unjudged"]
    assert (reads["number"], reads["criterion"], reads["outcome"]) == (
        1,
        "read.p99 < 1 s",
        "inconclusive",
    )
    assert plain(reads["doubts"][0]["message"]) == (
        "No run can give read.p99. Write: it writes, and only a read has it."
    )
    assert plain(late["doubts"][0]["message"]).endswith("its test kind does not have this metric.")
    if stored:
        listed = appliance.viewer.get("/campaigns", verdict="inconclusive").json()["items"]
        assert [campaign["id"] for campaign in listed] == [campaign_id]


def test_a_campaign_whose_criteria_judge_no_run_is_inconclusive(appliance: Appliance) -> None:
    run_id, campaign_id = seed_judged("read.p99 < 1 s")
    store_ended(run_id)
    shown = appliance.viewer.get(f"/campaigns/{campaign_id}").json()["verdict"]
    assert (shown["outcome"], shown["inconclusive"], shown["rules"]) == ("inconclusive", 1, [])
    listed = appliance.viewer.get("/campaigns", verdict="inconclusive").json()["items"]
    assert [campaign["id"] for campaign in listed] == [campaign_id]
    again = appliance.viewer.post(
        f"/campaigns/{campaign_id}/verdicts",
        {"criteria": [{"criterion": SLOWER}]},
    ).json()
    assert (again["outcome"], again["unjudged"]) == ("pass", [])


def test_a_criterion_is_not_missing_while_a_run_may_still_be_judged_by_it(
    appliance: Appliance,
) -> None:
    run_id, campaign_id = seed_judged(SLOWER, "read.p99 < 1 s")
    queue_beside(run_id)
    store_ended(run_id)
    verdict = appliance.viewer.get(f"/campaigns/{campaign_id}/verdict").json()
    assert (verdict["outcome"], verdict["unjudged"]) == ("pass", [])


def test_a_recent_result_shows_its_verdict(appliance: Appliance) -> None:
    run_id, _ = seed_judged(FASTER, SLOWER)
    without, _ = seed_judged()
    for one in (run_id, without):
        store_ended(one)
    latest = appliance.viewer.get("/overview").json()["latest"]
    shown = {one["run_id"]: one["verdict"] for one in latest}
    assert shown[without] is None
    assert (shown[run_id]["outcome"], shown[run_id]["failed"], shown[run_id]["passed"]) == (
        "fail",
        1,
        1,
    )


def test_a_failed_criterion_stops_the_campaign_and_others_wait_for_it(
    appliance: Appliance,
) -> None:
    run_id, campaign_id = seed_judged(FASTER, stop=True)
    queued = queue_beside(run_id)
    with writing() as session:
        assert dispatch(session) == []
    waits = appliance.viewer.get(f"/runs/{queued}").json()["waits_for"]
    assert waits["kind"] == "verdict"
    store_ended(run_id)
    stopped = appliance.viewer.get(f"/runs/{queued}").json()
    assert stopped["state"] == "cancelled"
    assert stopped["state_reason"] == f"Run {run_id} failed {FASTER}, which stops the campaign."
    assert appliance.viewer.get(f"/campaigns/{campaign_id}").json()["verdict"]["outcome"] == "fail"


def test_a_passed_criterion_lets_the_next_run_start(appliance: Appliance) -> None:
    run_id, _ = seed_judged(SLOWER, stop=True)
    queued = queue_beside(run_id)
    store_ended(run_id)
    with reading() as session:
        assert session.get_one(Run, queued).state == "preparing"
        assert set(session.scalars(select(Reservation.run_id))) == {queued}


def test_criteria_are_checked_while_they_are_typed(appliance: Appliance) -> None:
    body = {
        "criteria": ["write.p99<20ms", "durable.main > 1 MB/s", "write.p99 < 20 ms"],
        "tests": [TEST],
    }
    fine, unknown, double = appliance.viewer.post("/criteria/check", body).json()["criteria"]
    assert fine["criterion"] == "write.p99 < 20 ms"
    assert fine["meaning"] == ("The p99 latency of a write in the leading cell is less than 20 ms.")
    assert unknown["mistake"]["position"] == 0
    assert "durable.mean" in unknown["mistake"]["alternatives"]
    assert "repeats " in double["mistake"]["message"]


def test_the_metrics_that_tests_can_give_are_offered_with_the_check(appliance: Appliance) -> None:
    def offered(**body: Any) -> list[str]:
        answer = appliance.viewer.post("/criteria/check", {"criteria": [], **body}).json()
        assert answer["criteria"] == []
        return answer["metrics"]

    written = offered(tests=[TEST | {"operation": "write"}])
    assert "durable.mean" in written and "device.mean" not in written
    assert "read.p99" not in written
    read = offered(tests=[TEST | {"operation": "read"}])
    assert "device.mean" in read and "durable.mean" not in read
    every = offered()
    assert set(written) | set(read) < set(every)
    assert {one["name"] for one in appliance.viewer.get("/metrics").json()["items"]} == set(every)


def test_every_metric_is_listed_with_its_units(appliance: Appliance) -> None:
    listed = appliance.viewer.get("/metrics").json()["items"]
    by_name = {metric["name"]: metric for metric in listed if metric["kind"] == "matrix"}
    assert "MB/s" in by_name["durable.mean"]["units"]
    assert by_name["durable.mean"]["concern"] == "durability"
    assert [one["name"] for one in by_name["durable.mean"]["arguments"]] == ["block", "threads"]


def test_profiles_of_earlier_versions_have_no_criteria(appliance: Appliance) -> None:
    with writing() as session:
        profile = session.scalars(select(Profile).limit(1)).one()
        profile.body = {name: of for name, of in profile.body.items() if name != "criteria"}
        profile_id = profile.id
    assert appliance.viewer.get(f"/profiles/{profile_id}").json()["body"]["criteria"] == []
