"""Scale-outs: their launch, and the table of their results."""

import csv
import io
from copy import deepcopy
from typing import Any

import pytest
from assay.runs.campaigns.estimate import MOST_SCALED
from assay.runs.stored_results import add
from assay.tables.database import writing
from assay.tables.runs import Participant, Result, Run
from golden.runs import RUNS
from sqlalchemy import select, update
from testing.api import Appliance, on_sqlite

pytestmark = pytest.mark.usefixtures("worker")

GB = 10**9
TEST = {"kind": "sustained", "title": "Long write", "length": GB}


def plan(appliance: Appliance, targets: int, *tests: dict[str, Any]) -> dict[str, Any]:
    body = {"tests": list(tests) or [TEST]}
    made = appliance.operator.post("/profiles", {"name": "Scale", "body": body}).json()
    ids = [
        appliance.target(appliance.host(f"web-{number}"), f"/mnt/{number}")
        for number in range(targets)
    ]
    return {"profile_id": made["id"], "target_ids": ids, "scale_out": True}


def problems(appliance: Appliance, asked: dict[str, Any]) -> list[dict[str, Any]]:
    refused = appliance.operator.post("/campaigns", asked)
    assert refused.status_code == 422
    return refused.json()["errors"]


@on_sqlite
def test_each_test_runs_on_one_target_then_on_two_and_on_all(appliance: Appliance) -> None:
    asked = plan(appliance, 3, TEST, TEST | {"title": "Again"})
    targets = asked["target_ids"]
    alone = asked | {"target_ids": targets[:1], "scale_out": False}
    estimate = appliance.viewer.post("/campaigns/estimate", asked).json()
    single = appliance.viewer.post("/campaigns/estimate", alone).json()
    assert estimate["run_count"] == 6
    assert estimate["trials"] == 3 * single["trials"]
    assert estimate["bytes_written"] == (1 + 2 + 3) * single["bytes_written"]
    assert estimate["longest_s"] == pytest.approx(3 * single["longest_s"])
    runs = appliance.operator.post("/campaigns", asked).json()["runs"]
    of_runs = [[one["target"]["id"] for one in run["participants"]] for run in runs]
    assert of_runs == [targets[:1], targets[:2], targets] * 2
    assert [run["title"] for run in runs] == ["Long write"] * 3 + ["Again"] * 3
    # all of them use the first target, so they run one after the other
    assert [run["state"] for run in runs] == ["preparing"] + ["queued"] * 5


@on_sqlite
def test_what_cannot_scale_out_is_rejected_by_name(appliance: Appliance) -> None:
    asked = plan(appliance, 2)
    (one,) = problems(appliance, asked | {"target_ids": asked["target_ids"][:1]})
    assert (one["field"], one["message"]) == ("scale_out", "needs two or more targets")
    (one,) = problems(appliance, asked | {"together": True})
    assert (one["field"], one["message"]) == ("scale_out", "cannot be combined with `together`")
    (one,) = problems(appliance, asked | {"profile_id": appliance.profile()})
    assert (one["field"], one["message"]) == ("scale_out", "cannot be used for matrix tests")
    assert "sustained" in one["remedy"]


@on_sqlite
def test_a_scale_out_has_a_maximum_of_targets(appliance: Appliance) -> None:
    asked = plan(appliance, MOST_SCALED + 1)
    (one,) = problems(appliance, asked)
    assert one["message"] == "is for at most 16 targets; 17 are selected"


def launched(appliance: Appliance, rates: list[list[float] | None]) -> int:
    """Launch a scale-out whose ended runs reached these rates; return its id."""
    campaign = appliance.operator.post("/campaigns", plan(appliance, len(rates))).json()
    with writing() as session:
        for run, reached in zip(campaign["runs"], rates, strict=True):
            row = session.get_one(Run, run["id"])
            if reached is None:
                continue
            row.state, row.ended_at = "done", row.created_at
            members = session.scalars(
                select(Participant.id)
                .where(Participant.run_id == row.id)
                .order_by(Participant.position)
            ).all()
            add(session, row, measured(row.id, members, reached))
    return campaign["id"]


def measured(run_id: int, members: Any, rates: list[float]) -> Result:
    body: dict[str, Any] = RUNS["sustained-write"]().model_dump(mode="json") | {
        "run_id": run_id,
        "participants": [
            {"id": one, "host": "h", "path": "/p", "role": "writer", "clock_uncertainty_ns": None}
            for one in members
        ],
    }
    (cell,) = body["cells"]
    (trial,) = cell["trials"]
    total = sum(rates)
    for name in ("application", "durable"):
        cell[name] = cell[name] | {"mean": total}
    if len(rates) > 1:
        trial["fairness"] = 0.9
        trial["slowest_participant_id"] = members[rates.index(min(rates))]
        trial["participants"] = [
            {
                "participant_id": member,
                "status": "complete",
                "reason": None,
                "bytes": 1,
                "application_bytes_per_s": rate,
                "durable_bytes_per_s": rate,
                "share": rate / total,
                "peak_ns": 1,
                "start_delay_ns": 0,
            }
            for member, rate in zip(members, rates, strict=True)
        ]
    return Result(run_id=run_id, rules=body["edition"], outcome={}, sparkline=[], body=body)


@on_sqlite
def test_the_table_has_aggregate_shares_and_efficiency(appliance: Appliance) -> None:
    campaign_id = launched(appliance, [[100e6], [90e6, 60e6], None])
    (curve,) = appliance.viewer.get(f"/campaigns/{campaign_id}/scale-out").json()["curves"]
    assert (curve["test"], curve["title"], curve["counted"]) == (1, "Long write", "targets")
    one, two, three = curve["runs"]
    assert [run["targets"] for run in curve["runs"]] == [1, 2, 3]
    assert one["application"]["efficiency"] == pytest.approx(1)
    assert one["parts"][0]["share"] == pytest.approx(1)
    assert two["application"]["bytes_per_s"] == pytest.approx(150e6)
    assert two["application"]["efficiency"] == pytest.approx(0.75)
    assert two["durable"]["efficiency"] == pytest.approx(0.75)
    assert [part["share"] for part in two["parts"]] == pytest.approx([0.6, 0.4])
    assert two["slowest_participant_id"] == two["parts"][1]["participant_id"]
    assert (three["state"], three["application"], len(three["parts"])) == ("queued", None, 3)


def _change(campaign_id: int, cell: dict[str, Any], trial: dict[str, Any]) -> None:
    """Change the stored results of a campaign."""
    with writing() as session:
        chosen = select(Result).join(Run, Run.id == Result.run_id)
        for one in session.scalars(chosen.where(Run.campaign_id == campaign_id)):
            body = deepcopy(one.body)
            body["cells"][0] |= cell
            body["cells"][0]["trials"][0] |= trial
            session.execute(update(Result).where(Result.run_id == one.run_id).values(body=body))


@on_sqlite
@pytest.mark.parametrize(
    ("cell", "trial", "application", "durable"),
    [
        ({"offered_bytes_per_s": 60_000_000}, {}, "paced", "paced"),
        ({}, {"bounded": True}, None, "bounded"),
    ],
    ids=["paced", "bounded"],
)
def test_what_is_paced_or_an_upper_bound_has_no_efficiency(
    appliance: Appliance,
    cell: dict[str, Any],
    trial: dict[str, Any],
    application: str | None,
    durable: str,
) -> None:
    campaign_id = launched(appliance, [[100e6], [90e6, 60e6]])
    _change(campaign_id, cell, trial)
    (curve,) = appliance.viewer.get(f"/campaigns/{campaign_id}/scale-out").json()["curves"]
    for run in curve["runs"]:
        assert (run["durable"]["efficiency"], run["durable"]["doubt"]) == (None, durable)
        assert run["application"]["doubt"] == application
        assert (run["application"]["efficiency"] is None) == (application is not None)


@on_sqlite
def test_the_table_as_csv_has_a_row_for_each_target_of_each_run(appliance: Appliance) -> None:
    campaign_id = launched(appliance, [[100e6], [90e6, 60e6]])
    text = appliance.viewer.get(f"/campaigns/{campaign_id}/scale-out.csv").text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["targets"] for row in rows] == ["1", "2", "2"]
    assert [float(row["durable_efficiency"]) for row in rows] == pytest.approx([1, 0.75, 0.75])
    assert [row["target_is_slowest"] for row in rows] == ["", "false", "true"]


@on_sqlite
def test_other_campaigns_have_no_scale_out(appliance: Appliance) -> None:
    asked = plan(appliance, 2) | {"scale_out": False}
    campaign_id = appliance.operator.post("/campaigns", asked).json()["id"]
    refused = appliance.viewer.get(f"/campaigns/{campaign_id}/scale-out")
    assert (refused.status_code, refused.json()["code"]) == (409, "not_scale_out")
