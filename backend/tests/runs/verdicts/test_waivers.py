"""Waivers of criteria: of a run, and of a campaign that no run was judged by."""

from datetime import UTC, datetime, timedelta

import pytest
from assay.runs.verdicts.stored import store_ended
from assay.tables.accounts import AuditEntry
from assay.tables.database import reading, writing
from assay.tables.verdicts import CampaignWaiver, Waiver
from sqlalchemy import select, update
from testing.api import Appliance, fields, problem

from .judged import FASTER, SLOWER, later, queue_beside, seed_judged, waiver


def test_a_waiver_counts_until_it_expires_and_is_in_the_audit_log(appliance: Appliance) -> None:
    run_id, campaign_id = seed_judged(FASTER, SLOWER)
    store_ended(run_id)
    path = f"/runs/{run_id}/waivers"
    answer = appliance.operator.post(path, waiver())
    assert answer.status_code == 201, answer.text
    row = answer.json()["rows"][0]
    assert (row["outcome"], row["judged"]) == ("waived", "fail")
    assert row["waiver"]["reason"] == "accepted until the update"
    shown = appliance.viewer.get(f"/campaigns/{campaign_id}").json()
    assert (shown["verdict"]["outcome"], shown["verdict"]["waived"]) == ("waived", 1)
    with reading() as session:
        entry = session.scalars(
            select(AuditEntry).where(AuditEntry.action == "verdict.waived")
        ).one()
        assert entry.detail["criterion"] == FASTER
    with writing() as session:
        session.execute(update(Waiver).values(expires_at=datetime.now(UTC) - timedelta(days=1)))
    verdict = appliance.viewer.get(f"/runs/{run_id}/verdict").json()
    assert (verdict["outcome"], verdict["rows"][0]["waiver"]) == ("fail", None)


def test_only_stored_rows_that_were_not_passed_are_waived_and_only_for_the_future(
    appliance: Appliance,
) -> None:
    run_id, _ = seed_judged(FASTER, SLOWER)
    path = f"/runs/{run_id}/waivers"
    early = problem(appliance.operator.post(path, waiver()), 409, "nothing_to_waive")
    assert early["detail"] == f"Run {run_id} has no stored verdict yet."
    assert early["remedy"] == "If it has just ended, try again in a few seconds."
    store_ended(run_id)
    for number, words in ((1, "passed"), (7, "has no criterion 7; it has 2, counted from 0")):
        refused = problem(appliance.operator.post(path, waiver(number)), 409, "nothing_to_waive")
        assert words in refused["detail"]
    for wrong, said in (("2027-01-31T12:00:00", "time zone"), ("soon", "must be a time")):
        asked = appliance.operator.post(path, waiver() | {"expires_at": wrong})
        (error,) = asked.json()["errors"]
        assert (error["field"], said in error["message"]) == ("expires_at", True)
        assert "2027-01-31T12:00:00Z" in error["remedy"]
    for beyond in ("9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00"):
        refused = appliance.operator.post(path, waiver() | {"expires_at": beyond})
        (error,) = problem(refused, 422, "invalid")["errors"]
        assert error["field"] == "expires_at"
        assert "9999" in error["message"]
    late = appliance.operator.post(path, waiver() | {"expires_at": later(days=-1)})
    assert fields(late.json()) == ["expires_at"]
    assert appliance.viewer.post(path, waiver()).status_code == 403


UNJUDGED = "read.p99 < 1 s"


def _outcomes(appliance: Appliance, campaign_id: int) -> tuple[str, str, str]:
    """Return a campaign's verdict as its page, lists and filters show it."""
    verdict = appliance.viewer.get(f"/campaigns/{campaign_id}/verdict").json()["outcome"]
    shown = appliance.viewer.get(f"/campaigns/{campaign_id}").json()["verdict"]["outcome"]
    (filtered,) = [
        outcome
        for outcome in ("fail", "inconclusive", "waived", "pass")
        if appliance.viewer.get("/campaigns", verdict=outcome).json()["items"]
    ]
    return verdict, shown, filtered


def test_a_criterion_that_judged_no_run_is_waived_for_the_campaign(appliance: Appliance) -> None:
    run_id, campaign_id = seed_judged(SLOWER, UNJUDGED)
    store_ended(run_id)
    assert _outcomes(appliance, campaign_id) == ("inconclusive",) * 3
    revision = appliance.viewer.get(f"/campaigns/{campaign_id}").json()["revision"]
    made = appliance.operator.post(f"/campaigns/{campaign_id}/waivers", waiver(1))
    assert made.status_code == 201, made.text
    (row,) = made.json()["unjudged"]
    assert (row["outcome"], row["judged"]) == ("waived", "inconclusive")
    assert row["waiver"]["reason"] == "accepted until the update"
    assert row["waiver"]["actor"]
    assert _outcomes(appliance, campaign_id) == ("waived",) * 3
    shown = appliance.viewer.get(f"/campaigns/{campaign_id}").json()
    assert shown["revision"] > revision
    assert (shown["verdict"]["passed"], shown["verdict"]["waived"]) == (1, 1)
    with reading() as session:
        entry = session.scalars(
            select(AuditEntry).where(AuditEntry.action == "verdict.waived")
        ).one()
        assert entry.detail["criterion"] == UNJUDGED


def test_a_campaign_that_judged_nothing_is_waived_only_with_all_its_criteria(
    appliance: Appliance,
) -> None:
    run_id, campaign_id = seed_judged(UNJUDGED, "backlog.end <= 1 MB")
    store_ended(run_id)
    for number, outcome in ((0, "inconclusive"), (1, "waived")):
        appliance.operator.post(f"/campaigns/{campaign_id}/waivers", waiver(number))
        appliance.operator.post(f"/campaigns/{campaign_id}/waivers", waiver(number))
        assert _outcomes(appliance, campaign_id) == (outcome,) * 3


def test_an_expired_waiver_of_a_campaign_does_not_count(appliance: Appliance) -> None:
    run_id, campaign_id = seed_judged(SLOWER, UNJUDGED)
    store_ended(run_id)
    appliance.operator.post(f"/campaigns/{campaign_id}/waivers", waiver(1))
    with writing() as session:
        session.execute(update(CampaignWaiver).values(expires_at=datetime(2020, 1, 1, tzinfo=UTC)))
    assert _outcomes(appliance, campaign_id) == ("inconclusive",) * 3
    past = waiver(1) | {"expires_at": "2020-01-01T00:00:00Z"}
    refused = appliance.operator.post(f"/campaigns/{campaign_id}/waivers", past)
    assert fields(refused.json()) == ["expires_at"]


def test_a_waiver_of_a_campaign_does_not_hide_that_a_run_failed(appliance: Appliance) -> None:
    run_id, campaign_id = seed_judged(FASTER, UNJUDGED)
    store_ended(run_id)
    appliance.operator.post(f"/campaigns/{campaign_id}/waivers", waiver(1))
    assert _outcomes(appliance, campaign_id) == ("fail",) * 3


@pytest.mark.parametrize(
    ("number", "queued", "words"),
    [
        (0, False, f"were judged by {SLOWER}."),
        (2, False, "it has 2, counted from 0"),
        (1, True, "has not ended"),
    ],
)
def test_what_was_judged_unknown_or_still_runs_is_not_waived_for_the_campaign(
    appliance: Appliance, number: int, queued: bool, words: str
) -> None:
    run_id, campaign_id = seed_judged(SLOWER, UNJUDGED)
    if queued:
        queue_beside(run_id)
    store_ended(run_id)
    refused = appliance.operator.post(f"/campaigns/{campaign_id}/waivers", waiver(number))
    assert words in problem(refused, 409, "nothing_to_waive")["detail"]


def test_only_operators_waive_for_a_campaign(appliance: Appliance) -> None:
    run_id, campaign_id = seed_judged(SLOWER, UNJUDGED)
    store_ended(run_id)
    refused = appliance.viewer.post(f"/campaigns/{campaign_id}/waivers", waiver(1))
    assert refused.status_code == 403


def test_judging_again_by_other_criteria_knows_no_waivers(appliance: Appliance) -> None:
    run_id, campaign_id = seed_judged(SLOWER, UNJUDGED)
    store_ended(run_id)
    appliance.operator.post(f"/campaigns/{campaign_id}/waivers", waiver(1))
    again = appliance.viewer.post(
        f"/campaigns/{campaign_id}/verdicts",
        {"criteria": [{"criterion": SLOWER}, {"criterion": UNJUDGED}]},
    ).json()
    assert again["outcome"] == "inconclusive"


def test_failed_verdicts_need_attention_until_they_are_waived(appliance: Appliance) -> None:
    failed, campaign_id = seed_judged(FASTER)
    passed, _ = seed_judged(SLOWER)
    for run_id in (failed, passed):
        store_ended(run_id)

    def issues() -> list[str]:
        shown = appliance.viewer.get("/overview").json()["issues"]
        return [issue["link"] for issue in shown if issue["kind"] == "verdict_failed"]

    assert issues() == [f"/campaigns/{campaign_id}"]
    appliance.operator.post(f"/runs/{failed}/waivers", waiver())
    assert issues() == []
