"""The overview names the campaigns that need attention, and why each failed."""

from typing import Any

import pytest
from assay.runs.verdicts.stored import store_ended
from assay.tables.campaigns import Campaign
from assay.tables.clock import now
from assay.tables.database import writing
from assay.tables.runs import Run
from testing.api import Appliance
from testing.seeds import seed_ended_run

FASTER = {"criterion": "durable.mean >= 1250 MB/s", "stop": False}
"""The seeded run wrote 5 MB/s."""
FASTEST = {"criterion": "durable.mean >= 2 GB/s", "stop": False}

DIED = {
    "code": "connection_lost",
    "title": "The connection was lost",
    "detail": "lab1 did not respond\nfor 24 h.",
}


def _seeded(*criteria: dict[str, Any], error: dict[str, Any] | None = None) -> Campaign:
    """Return the campaign of a run that ended, failed if there is an `error`."""
    with writing() as session:
        run = seed_ended_run(session)
        run.ended_at = now(session)
        if error:
            run.state, run.error = "failed", error
        campaign = session.get_one(Campaign, run.campaign_id)
        campaign.criteria = list(criteria)
        run_id = run.id
    if criteria:
        store_ended(run_id)
    return campaign


def _add_run(campaign_id: int, *, state: str = "failed") -> None:
    with writing() as session:
        run = seed_ended_run(session)
        run.campaign_id, run.number, run.title = campaign_id, 2, "Other"
        run.state, run.ended_at, run.error = state, now(session), DIED


def _issues(appliance: Appliance) -> list[dict[str, Any]]:
    found = appliance.viewer.get("/overview").json()["issues"]
    return [one for one in found if one["kind"] in ("run_failed", "verdict_failed")]


def test_a_failed_campaign_is_named_with_its_cause_on_one_line(appliance: Appliance) -> None:
    one = _seeded(error=DIED)
    assert _issues(appliance) == [
        {
            "kind": "run_failed",
            "message": f"Campaign {one.id}, Campaign: Write on host-1 /mnt/a failed: "
            "The connection was lost: lab1 did not respond for 24 h",
            "link": f"/campaigns/{one.id}",
            "campaign_id": one.id,
        }
    ]


def test_a_failed_criterion_is_named_with_what_was_measured(appliance: Appliance) -> None:
    one = _seeded(FASTER, FASTEST)
    (issue,) = _issues(appliance)
    assert (issue["kind"], issue["campaign_id"]) == ("verdict_failed", one.id)
    assert issue["message"] == (
        f"Campaign {one.id}, Campaign: Write on host-1 /mnt/a failed "
        "durable.mean >= 1250 MB/s: measured 5.00 MB/s"
    )


def test_a_campaign_that_failed_both_ways_is_one_issue_of_its_failed_run(
    appliance: Appliance,
) -> None:
    one = _seeded(FASTER)
    _add_run(one.id)
    (issue,) = _issues(appliance)
    assert issue["kind"] == "run_failed"
    assert "Other on host-2 /mnt/a failed: The connection was lost" in issue["message"]
    assert issue["message"].endswith("for 24 h (and 1 more run)")


def test_further_failed_runs_are_counted(appliance: Appliance) -> None:
    one = _seeded(error=DIED)
    for _ in range(2):
        _add_run(one.id)
    _add_run(one.id, state="done")
    (issue,) = _issues(appliance)
    assert issue["message"].endswith("(and 2 more runs)")


@pytest.mark.parametrize(("reason", "said"), [("Gone.", "failed: Gone"), (None, "/mnt/a failed")])
def test_a_run_without_an_error_has_the_reason_of_its_state(
    appliance: Appliance, reason: str | None, said: str
) -> None:
    one = _seeded(error=DIED)
    with writing() as session:
        (run,) = session.query(Run).filter_by(campaign_id=one.id)
        run.error, run.state_reason = None, reason
    (issue,) = _issues(appliance)
    assert issue["message"].endswith(said)


def test_many_failed_campaigns_are_bounded_and_the_others_counted(appliance: Appliance) -> None:
    campaigns = [_seeded(error=DIED) for _ in range(12)]
    *newest, others = _issues(appliance)
    assert [one["campaign_id"] for one in newest] == [one.id for one in campaigns[:1:-1]]
    assert others == {
        "kind": "run_failed",
        "message": "2 more failed campaigns need attention",
        "link": "/campaigns?needs_attention=true",
        "campaign_id": None,
    }
    appliance.operator.post(f"/campaigns/{campaigns[0].id}/seen")
    assert _issues(appliance)[-1]["message"] == "1 more failed campaign needs attention"
    appliance.operator.post(f"/campaigns/{campaigns[1].id}/seen")
    assert len(_issues(appliance)) == 10


def test_names_are_not_interpreted(appliance: Appliance) -> None:
    one = _seeded(error=DIED | {"detail": "<img src=x onerror=alert(1)> %s {0}"})
    appliance.operator.patch(f"/campaigns/{one.id}", {"name": "<b>vault</b> {name}"})
    (issue,) = _issues(appliance)
    assert issue["message"].startswith(f"Campaign {one.id}, <b>vault</b> {{name}}: ")
    assert issue["message"].endswith("<img src=x onerror=alert(1)> %s {0}")
