"""Filters of runs and campaigns, each alone and together."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from assay.runs.verdicts.stored import store_ended
from assay.tables.campaigns import Campaign
from assay.tables.database import writing
from assay.tables.runs import Participant, Run
from assay.tables.targets import Target
from assay.tables.verdicts import Verdict, Waiver
from sqlalchemy import select, update
from testing.api import FOUND, Appliance, fields, problem
from testing.seeds import TEST, seed_ended_run, seed_run

FASTER, SLOWER = "durable.mean >= 1250 MB/s", "durable.mean >= 4 MB/s"
"""The seeded run wrote 5 MB/s."""

OLD = datetime(2026, 11, 1, 12, tzinfo=UTC)

Ids = Callable[..., list[int]]


@pytest.fixture
def runs(appliance: Appliance) -> list[int]:
    """Three runs of campaigns of their own: failed long ago, done, queued."""
    with writing() as session:
        made = [seed_run(session)[0] for _ in range(3)]
        made[0].state, made[0].created_at = "failed", OLD
        made[1].state = "done"
        made[2].state, made[2].kind = "queued", "sustained"
        for run in made:
            campaign = session.get_one(Campaign, run.campaign_id)
            campaign.name, campaign.created_at = f"Campaign {run.id}", run.created_at
        return [run.id for run in made]


@pytest.fixture
def listed(appliance: Appliance) -> Ids:
    def ids(path: str, **query: Any) -> list[int]:
        answer = appliance.viewer.get(path, sort="id", **query)
        assert answer.status_code == 200, answer.text
        return [one["id"] for one in answer.json()["items"]]

    return ids


def _participant(run_id: int) -> Participant:
    with writing() as session:
        return session.scalars(select(Participant).where(Participant.run_id == run_id)).one()


@pytest.mark.parametrize("path", ["/runs", "/campaigns"])
def test_lists_are_filtered_by_where_what_and_when(runs: list[int], listed: Ids, path: str) -> None:
    first, second, third = runs  # each is its campaign's only one, with the same id
    part = _participant(second)
    assert listed(path) == runs
    assert listed(path, host_id=part.host_id) == [second]
    assert listed(path, target_id=part.target_id) == [second]
    assert listed(path, kind="sustained") == [third]
    assert listed(path, kind=["sustained", "matrix"]) == runs
    assert listed(path, state="failed") == [first]
    assert listed(path, state=["failed", "done"]) == [first, second]
    assert listed(path, profile="profile-3") == [third]
    assert listed(path, q=f"campaign {second}") == [second]
    assert listed(path, **{"to": "2026-11-02"}) == [first]
    assert listed(path, **{"from": "2026-11-02"}) == [second, third]
    assert listed(path, **{"from": "2026-11-01T12:00:00Z", "to": "2026-11-01T12:00:01Z"}) == [first]
    assert listed(path, **{"from": "2026-11-01T13:00:00+01:00", "to": "2026-11-02"}) == [first]
    assert listed(path, state="failed", host_id=part.host_id) == []
    assert listed(path, host_id=999_999) == []


def test_a_run_keeps_the_array_that_it_measured(runs: list[int], listed: Ids) -> None:
    before, other = _participant(runs[0]), _participant(runs[1]).array_id
    with writing() as session:
        target = session.get_one(Target, before.target_id)
        target.array_id = other
    assert before.array_id is not None
    assert listed("/runs", array_id=before.array_id) == [runs[0]]
    assert listed("/campaigns", array_id=before.array_id) == [runs[0]]


def test_one_run_of_a_campaign_must_match_all_filters_of_runs(runs: list[int], listed: Ids) -> None:
    with writing() as session:
        third = session.get_one(Run, runs[2])
        third.campaign_id, third.number = session.get_one(Run, runs[1]).campaign_id, 2
    host = _participant(runs[1]).host_id
    assert listed("/campaigns", host_id=host, kind="matrix") == [runs[1]]
    assert listed("/campaigns", host_id=host, kind="sustained") == []


@pytest.mark.parametrize("path", ["/runs", "/campaigns"])
@pytest.mark.parametrize(
    ("query", "field", "named"),
    [
        ({"state": "odd"}, "state.0", "running"),
        ({"kind": "odd"}, "kind.0", "sustained"),
        ({"verdict": "odd"}, "verdict.0", "inconclusive"),
        ({"profile": "frist-look"}, "profile", "first-look"),
        ({"profile": "odd"}, "profile", "GET /api/v1/profiles"),
        ({"from": "yesterday"}, "from", "2027-01-31"),
        ({"from": "2026"}, "from", "2027-01-31"),
        ({"from": "0001-01-01T00:00:00+14:00"}, "from", "2027-01-31"),
        ({"to": "2026-13-01"}, "to", "2027-01-31"),
        ({"from": "2026-11-02", "to": "2026-11-02"}, "to", "after 2026-11-02"),
        ({"host_id": "web-1"}, "host_id", "GET /api/v1/hosts"),
        ({"array_id": 0}, "array_id", "1 or more"),
        ({"host": "nowhere"}, "host", "GET /api/v1/hosts"),
        ({"target": "web-1/mnt"}, "target", "GET /api/v1/targets"),
        ({"array": "vault"}, "array", "GET /api/v1/arrays"),
        ({"host": "web-1", "host_id": 1}, "host", "Give one of them."),
        ({"hots": 1}, "hots", "`host`"),
    ],
)
def test_an_unknown_value_is_rejected_and_the_possible_ones_are_named(
    appliance: Appliance, path: str, query: dict[str, Any], field: str, named: str
) -> None:
    document = problem(appliance.viewer.get(path, **query), 422, "invalid")
    assert fields(document) == [field]
    assert named in document["errors"][0]["remedy"]


def _judged(*criteria: str) -> int:
    """Return the id of an ended run whose stored result is judged by these criteria."""
    with writing() as session:
        run = seed_ended_run(session)
        campaign = session.get_one(Campaign, run.campaign_id)
        campaign.criteria = [{"criterion": one, "stop": False} for one in criteria]
        run_id = run.id
    store_ended(run_id)
    return run_id


def test_runs_are_filtered_by_the_verdict_that_the_list_shows(
    appliance: Appliance, listed: Ids
) -> None:
    passed, failed, unclear = (
        _judged(SLOWER),
        _judged(FASTER, SLOWER),
        _judged("write.p99.99 < 20 ms"),
    )
    waived, mixed, none = _judged(FASTER), _judged(SLOWER, "app.mean > 1 MB/s"), _judged()
    with writing() as session:
        later = datetime.now(UTC) + timedelta(days=1)
        session.add(Waiver(run_id=waived, number=0, actor="ada", reason="known", expires_at=later))
        session.get_one(Verdict, (mixed, 1)).criteria_rules = "0"
    items = appliance.viewer.get("/runs").json()["items"]
    shown = {one["id"]: one["verdict"] and one["verdict"]["outcome"] for one in items}
    expected = {passed: "pass", failed: "fail", unclear: "inconclusive", waived: "waived"}
    assert shown == expected | {mixed: "inconclusive", none: None}
    for outcome in ("pass", "fail", "inconclusive", "waived"):
        matching = sorted(run for run, verdict in shown.items() if verdict == outcome)
        assert listed("/runs", verdict=outcome) == matching
        assert listed("/campaigns", verdict=outcome) == matching
    both = listed("/runs", verdict=["fail", "waived"])
    assert both == sorted([failed, waived])


def test_profiles_are_filtered_by_the_kinds_of_their_tests(
    appliance: Appliance, listed: Ids
) -> None:
    items = appliance.viewer.get("/profiles", limit=200).json()["items"]
    of_kind = {
        kind: [p["id"] for p in items if any(t["kind"] == kind for t in p["body"]["tests"])]
        for kind in ("matrix", "path")
    }
    assert all(of_kind.values())
    for kind, ids in of_kind.items():
        assert listed("/profiles", kind=kind, limit=200) == ids
    either = sorted({*of_kind["matrix"], *of_kind["path"]})
    assert listed("/profiles", kind=["matrix", "path"], limit=200) == either
    body = {"tests": [TEST], "criteria": []}
    assert appliance.operator.post("/profiles", {"name": "Own", "body": body}).status_code == 201
    (own,) = listed("/profiles", builtin=False)
    assert own not in listed("/profiles", builtin=True, limit=200)


def test_hosts_targets_and_arrays_are_filtered_by_each_other(runs: list[int], listed: Ids) -> None:
    part = _participant(runs[1])
    with writing() as session:
        session.execute(update(Target).values(facts=FOUND))
    assert listed("/hosts", array_id=part.array_id) == [part.host_id]
    assert listed("/targets", array_id=part.array_id) == [part.target_id]
    assert listed("/targets", host_id=part.host_id, q="mnt") == [part.target_id]
    assert listed("/arrays", host_id=part.host_id) == [part.array_id]
    assert listed("/hosts", state="unreachable") == []
