"""Deletion of campaigns: what is hidden, undo, removal, and requests at the same time."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from assay.api.app import app
from assay.base.deadline import Deadline
from assay.base.messaging.changes import Broadcaster
from assay.runs.campaigns import deletion
from assay.runs.campaigns.deletion import UNDO, purge_next
from assay.runs.scheduling import capacity
from assay.runs.verdicts import examples
from assay.runs.verdicts.stored import store_ended
from assay.tables.all_tables import Base
from assay.tables.campaigns import Campaign
from assay.tables.clock import moment
from assay.tables.database import now, reading, writing
from assay.tables.hosts import Host
from assay.tables.runs import Participant, RawChunk, Run, Trial
from assay.tables.samples import SampleBlock
from sqlalchemy import func, select, update
from testing.api import Appliance, at_once, problem
from testing.seeds import seed_ended_run

KEPT = {
    *("audit_log", "tokens", "token_charges"),
    *("profiles", "hosts", "targets", "arrays", "inventories", "tools"),
}
"""Tables that a campaign does not add to, or that outlive it."""


def _ended(name: str = "Campaign") -> tuple[int, int]:
    """Store a campaign whose run ended and failed its criterion; return both ids."""
    with writing() as session:
        run = seed_ended_run(session)
        campaign = session.get_one(Campaign, run.campaign_id)
        campaign.name, campaign.criteria = name, [examples.CRITERION]
        ids = campaign.id, run.id
    store_ended(ids[1])
    return ids


def _launched(appliance: Appliance) -> dict[str, Any]:
    """Launch a campaign of an active and a queued run."""
    with writing() as session:
        capacity.announce(session, "worker:1", 1000)
    test = {"kind": "matrix", "operation": "write", "title": "Write", "file_size": 1000}
    test |= {"block": [65536], "threads": [1]}
    plan = {
        "profile_id": appliance.profile(),
        "target_ids": [appliance.target(appliance.host())],
        "tests": [test, {**test, "operation": "read", "title": "Read"}],
    }
    return appliance.operator.post("/campaigns", plan).json()


def _age(campaign_id: int) -> None:
    """Let the time for undo pass."""
    with writing() as session:
        row = update(Campaign).where(Campaign.id == campaign_id)
        session.execute(row.values(deleted_at=moment(-UNDO)))


def _purge() -> int:
    """Remove what is due; return the number of transactions."""
    for count in range(1000):
        with writing() as session:
            if not purge_next(session):
                return count
    raise AssertionError("the removal does not end")


def _rows() -> dict[str, int]:
    """Return the number of rows of each table that campaigns add to."""
    with reading() as session:
        return {
            table.name: session.scalars(select(func.count()).select_from(table)).one()
            for table in Base.metadata.sorted_tables
            if table.name not in KEPT
        }


def _paths(appliance: Appliance, campaign_id: int, run_id: int) -> list[str]:
    with reading() as session:
        trial = session.scalars(select(Trial.id).where(Trial.run_id == run_id)).first()
    found = app.openapi()["paths"]
    ids = {"campaign_id": campaign_id, "run_id": run_id, "trial_id": trial, "share_id": 1}
    wanted = [path.removeprefix("/api/v1") for path, methods in found.items() if "get" in methods]
    own = [path for path in wanted if any(f"{{{name}}}" in path for name in ids)]
    assert len(own) >= 17
    return [path.format(**ids) for path in own]


def test_a_deleted_campaign_and_all_its_pages_are_not_found(appliance: Appliance) -> None:
    campaign_id, run_id = _ended()
    _, other = _ended("Other")
    paths = _paths(appliance, campaign_id, run_id)
    assert appliance.operator.delete(f"/campaigns/{campaign_id}").status_code == 200
    answers = [appliance.viewer.get(path) for path in paths]
    answers.append(appliance.viewer.get("/compare", runs=f"{run_id},{other}"))
    for answer in answers:
        document = problem(answer, 404, "not_found")
        assert "may have been deleted" in document["detail"]
    for path, body in (
        (f"/campaigns/{campaign_id}/cancel", None),
        (
            f"/campaigns/{campaign_id}/waivers",
            {"number": 0, "reason": "x", "expires_at": "2099-01-01T00:00:00Z"},
        ),
        (
            f"/runs/{run_id}/waivers",
            {"number": 0, "reason": "x", "expires_at": "2099-01-01T00:00:00Z"},
        ),
    ):
        problem(appliance.operator.post(path, body), 404, "not_found")
    problem(appliance.operator.patch(f"/campaigns/{campaign_id}", {"name": "x"}), 404, "not_found")


def test_a_baseline_is_not_deleted_before_its_label_is_removed(appliance: Appliance) -> None:
    path = f"/campaigns/{_ended()[0]}"
    appliance.operator.patch(path, {"labels": {"baseline": "2026"}})
    document = problem(appliance.operator.delete(path), 409, "campaign_protected")
    assert "Remove the label" in document["remedy"]
    assert appliance.viewer.get(path).status_code == 200
    appliance.operator.patch(path, {"labels": {"base": "2026"}})
    assert appliance.operator.delete(path).status_code == 200


def test_what_somebody_signed_is_never_deleted(appliance: Appliance) -> None:
    campaign_id, run_id = _ended()
    waiver = {"number": 0, "reason": "known", "expires_at": "2099-01-01T00:00:00Z"}
    assert appliance.operator.post(f"/runs/{run_id}/waivers", waiver).status_code == 201
    refused = appliance.operator.delete(f"/campaigns/{campaign_id}?cancel=true")
    document = problem(refused, 409, "campaign_protected")
    assert "waiver" in document["detail"]


def test_a_deleted_campaign_is_in_no_list(appliance: Appliance) -> None:
    campaign_id, run_id = _ended()
    other, other_run = _ended("Other")
    appliance.operator.delete(f"/campaigns/{campaign_id}")
    for query in ({}, {"state": "done"}, {"verdict": "fail"}):
        campaigns = appliance.viewer.get("/campaigns", **query).json()["items"]
        assert [one["id"] for one in campaigns] == [other], query
    assert [one["id"] for one in appliance.viewer.get("/runs").json()["items"]] == [other_run]
    of_campaign = appliance.viewer.get("/runs", campaign_id=campaign_id).json()["items"]
    assert of_campaign == []
    overview = appliance.viewer.get("/overview").json()
    assert [one["run_id"] for one in overview["latest"]] == [other_run]
    failed = [one["link"] for one in overview["issues"] if one["kind"] == "verdict_failed"]
    assert failed == [f"/campaigns/{other}"]
    assert run_id not in [one["id"] for one in overview["running"] + overview["queued"]]


def test_undo_restores_the_campaign_unchanged(appliance: Appliance) -> None:
    campaign_id, run_id = _ended("vault")
    path = f"/campaigns/{campaign_id}"
    before = [
        appliance.viewer.get(one).json()
        for one in (path, f"/runs/{run_id}/result", f"{path}/verdict", "/overview")
    ]
    deleted = appliance.operator.delete(path).json()
    assert (deleted["id"], deleted["name"]) == (campaign_id, "vault")
    assert _purge() == 0
    restored = appliance.operator.post(f"{path}/undelete")
    assert restored.json() == before[0]
    assert before == [
        appliance.viewer.get(one).json()
        for one in (path, f"/runs/{run_id}/result", f"{path}/verdict", "/overview")
    ]
    assert _purge() == 0
    problem(appliance.operator.post(f"{path}/undelete"), 409, "campaign_not_deleted")
    actions = [(one["action"], one["object"]) for one in appliance.audit()]
    what = f"campaign {campaign_id} vault"
    assert actions == [("campaign.restored", what), ("campaign.deleted", what)]


def test_undo_is_possible_for_a_minute(appliance: Appliance) -> None:
    campaign_id, _ = _ended()
    with reading() as session:
        present = session.scalars(select(moment())).one()
    deleted = appliance.operator.delete(f"/campaigns/{campaign_id}").json()
    until = now().fromisoformat(deleted["undo_until"])
    assert 60 <= (until - present).total_seconds() < 120
    _age(campaign_id)
    late = problem(
        appliance.operator.post(f"/campaigns/{campaign_id}/undelete"), 409, "undo_expired"
    )
    assert "more than 60 s ago" in late["detail"]
    problem(appliance.viewer.get(f"/campaigns/{campaign_id}"), 404, "not_found")


def test_removal_leaves_no_row_of_the_campaign_and_all_of_others(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    _ended("Other")
    before = _rows()
    campaign_id, run_id = _ended()
    with writing() as session:
        session.add_all(
            RawChunk(run_id=run_id, participant_id=1, start=10**6 + n, length=1, data=b"x")
            for n in range(5)
        )
        session.add_all(
            SampleBlock(
                run_id=run_id,
                attempt_id=1,
                first=10**6 + n,
                count=1,
                begin_ns=0,
                end_ns=1,
                format=1,
                samples=b"x",
                rollups=b"x",
            )
            for n in range(5)
        )
    monkeypatch.setattr(deletion, "MOST_ROWS", 2)
    appliance.operator.delete(f"/campaigns/{campaign_id}")
    _age(campaign_id)
    assert _purge() >= 3 + 3 + 2  # chunks, blocks, run and campaign
    assert _rows() == before
    problem(appliance.operator.post(f"/campaigns/{campaign_id}/undelete"), 404, "not_found")
    assert appliance.audit()[0]["action"] == "campaign.purged"


def test_ids_of_removed_campaigns_runs_and_trials_are_not_reused(appliance: Appliance) -> None:
    campaign_id, run_id = _ended()
    with reading() as session:
        newest = [session.scalars(select(func.max(one.id))).one() for one in (Participant, Trial)]
    appliance.operator.delete(f"/campaigns/{campaign_id}")
    _age(campaign_id)
    _purge()
    later = _ended()
    assert later > (campaign_id, run_id)
    assert later[1] > run_id
    with reading() as session:
        oldest = [session.scalars(select(func.min(one.id))).one() for one in (Participant, Trial)]
    assert all(new > old for new, old in zip(oldest, newest, strict=True))


def test_an_active_campaign_is_deleted_only_with_a_cancel(appliance: Appliance) -> None:
    campaign = _launched(appliance)
    path = f"/campaigns/{campaign['id']}"
    refused = problem(appliance.operator.delete(path), 409, "campaign_active")
    assert refused["detail"] == f"Campaign {campaign['id']} is running."
    assert refused["remedy"] == "Cancel it first, or delete it with `cancel=true`."
    assert appliance.operator.delete(f"{path}?cancel=true").status_code == 200
    problem(appliance.viewer.get(path), 404, "not_found")
    overview = appliance.viewer.get("/overview").json()
    assert (overview["running"], overview["queued"]) == ([], [])
    with reading() as session:
        states = session.scalars(select(Run.state).order_by(Run.id)).all()
        assert session.get_one(Campaign, campaign["id"]).cancel_requested_at is not None
    assert states == ["preparing", "cancelled"]
    restored = appliance.operator.post(f"{path}/undelete").json()
    assert restored["cancel_requested"] is True


def test_a_campaign_that_is_being_canceled_is_deleted_without_another_cancel(
    appliance: Appliance,
) -> None:
    path = f"/campaigns/{_launched(appliance)['id']}"
    appliance.operator.post(f"{path}/cancel")
    assert appliance.operator.delete(path).status_code == 200


def test_rows_stay_until_every_run_has_ended_and_its_files_are_gone(appliance: Appliance) -> None:
    campaign = _launched(appliance)
    appliance.operator.delete(f"/campaigns/{campaign['id']}?cancel=true")
    _age(campaign["id"])
    with writing() as session:
        session.execute(update(Participant).values(run_dir="/root/.assay/runs/1"))
    assert _purge() == 0, "a run is active"
    with writing() as session:
        session.execute(update(Run).values(state="cancelled"))
    assert _purge() == 0, "its files are on the host"
    with writing() as session:
        session.execute(update(Participant).values(swept_at=moment()))
    assert _purge() > 0


def test_files_on_a_deleted_host_do_not_keep_a_campaign(appliance: Appliance) -> None:
    campaign_id, _ = _ended()
    with writing() as session:
        session.execute(update(Participant).values(run_dir="/root/.assay/runs/1"))
        session.execute(update(Host).values(state="deleting"))
    appliance.operator.delete(f"/campaigns/{campaign_id}")
    _age(campaign_id)
    assert _purge() > 0


def test_an_active_run_still_blocks_its_host_after_the_deletion(appliance: Appliance) -> None:
    campaign = _launched(appliance)
    host = campaign["runs"][0]["participants"][0]["host"]["id"]
    appliance.operator.delete(f"/campaigns/{campaign['id']}?cancel=true")
    problem(appliance.operator.delete(f"/hosts/{host}"), 409, "host_busy")


def test_of_two_deletions_at_once_one_succeeds(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign_id, _ = _ended()
    path = f"/campaigns/{campaign_id}"

    def delete() -> Any:
        return appliance.operator.delete(path)

    answers = at_once(monkeypatch, deletion, delete, delete)  # type: ignore[arg-type]
    assert sorted(answer.status_code for answer in answers) == [200, 404]
    assert [one["action"] for one in appliance.audit()] == ["campaign.deleted"]


def test_a_pipeline_that_waits_learns_of_the_deletion(appliance: Appliance) -> None:
    path = f"/campaigns/{_launched(appliance)['id']}"
    broadcaster: Broadcaster = app.state.broadcaster
    with ThreadPoolExecutor(1) as pipeline:
        waiting = pipeline.submit(appliance.viewer.get, path, wait=60)
        deadline = Deadline(30)
        while not broadcaster._subscribers:
            assert not deadline.over()
            threading.Event().wait(0.01)
        appliance.operator.delete(f"{path}?cancel=true")
        problem(waiting.result(30), 404, "not_found")


def test_a_run_of_a_deleted_campaign_gets_its_result_if_it_ends_later(
    appliance: Appliance,
) -> None:
    with writing() as session:
        run = seed_ended_run(session)
        run_id, campaign_id = run.id, run.campaign_id
    appliance.operator.delete(f"/campaigns/{campaign_id}")
    store_ended(run_id)
    restored = appliance.operator.post(f"/campaigns/{campaign_id}/undelete").json()
    assert restored["runs"][0]["best_bytes_per_s"] > 0


def test_a_campaign_is_renamed(appliance: Appliance) -> None:
    campaign_id, _ = _ended("vault")
    path = f"/campaigns/{campaign_id}"
    before = appliance.viewer.get(path).json()
    renamed = appliance.operator.patch(path, {"name": "vault, second try"}).json()
    assert renamed["name"] == "vault, second try"
    assert renamed["revision"] == before["revision"] + 1
    assert appliance.viewer.get(path).json() == renamed
    for name, code in ((None, "invalid"), ("", "invalid"), ("x" * 101, "invalid"), (7, "invalid")):
        refused = problem(appliance.operator.patch(path, {"name": name}), 422, code)
        assert refused["errors"][0]["field"] == "name"
    assert appliance.viewer.get(path).json()["name"] == "vault, second try"
    assert [one["action"] for one in appliance.audit()] == ["campaign.changed"]
