"""Retention: what the rules select, preview and remove, and what pages then show."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from assay.history.retention import removal
from assay.history.retention.removal import apply_next
from assay.runs.recording.record import RemovedLogError, rebuild
from assay.runs.verdicts import examples
from assay.runs.verdicts.stored import store_ended
from assay.tables.campaigns import Campaign
from assay.tables.clock import moment, now
from assay.tables.database import reading, writing
from assay.tables.labels import CampaignLabel
from assay.tables.retention import Retention
from assay.tables.runs import RawChunk, Run
from assay.tables.samples import LinkBlock, MarkBlock, SampleBlock
from assay.tables.verdicts import CampaignWaiver
from sqlalchemy import Select, func, select, update
from testing.api import Appliance, fields, problem
from testing.seeds import seed_ended_run, seed_run

RULE = {"older_than_days": 30, "keep_labeled": True, "keep_referenced": True}
NONE: dict[str, Any] = {"raw_logs": None, "samples": None, "campaigns": None}
PARTS = {"raw_logs": (RawChunk,), "samples": (SampleBlock, MarkBlock, LinkBlock)}


def ended(days: int = 40, **campaign: Any) -> tuple[int, int]:
    """Store a campaign whose run ended so many days ago; return both ids."""
    with writing() as session:
        run = seed_ended_run(session)
        ids = run.campaign_id, run.id
        row = session.get_one(Campaign, run.campaign_id)
        row.criteria = [examples.CRITERION]
        for name, value in campaign.items():
            setattr(row, name, value)
    store_ended(ids[1])
    with writing() as session:
        past = moment(-timedelta(days=days))
        session.execute(update(Campaign).where(Campaign.id == ids[0]).values(created_at=past))
        session.execute(update(Run).where(Run.id == ids[1]).values(ended_at=past, created_at=past))
    return ids


def put(appliance: Appliance, **rules: Any) -> dict[str, Any]:
    answer = appliance.admin.put("/retention", {**NONE, **rules})
    assert answer.status_code == 200, answer.text
    return answer.json()


def apply() -> int:
    """Apply the rules until nothing is due; return the number of steps."""
    for count in range(1000):
        if not apply_next():
            return count
    raise AssertionError("the removal does not end")


def rows_of(run_id: int, rule: str) -> int:
    with reading() as session:
        return sum(
            session.scalar(select(func.count()).where(table.run_id == run_id)) or 0
            for table in PARTS[rule]
        )


def size_of(found: dict[str, Any]) -> int:
    return sum(item["bytes"] for item in found["items"])


def test_without_rules_everything_is_kept_and_its_space_is_shown(appliance: Appliance) -> None:
    _, run_id = ended()
    found = appliance.viewer.get("/retention").json()
    assert (found["rules"], found["pending"], found["applied_at"]) == (NONE, False, None)
    space = found["space"]
    assert (space["campaigns"], space["runs"]) == (1, 1)
    with reading() as session:
        raw = session.scalar(select(func.sum(func.length(RawChunk.data))))
    assert space["raw_logs_bytes"] == raw
    assert space["samples_bytes"] > 0 and space["results_bytes"] > 0
    assert space["database_bytes"] > space["raw_logs_bytes"] + space["samples_bytes"]
    assert apply() == 0
    assert rows_of(run_id, "raw_logs") > 0


@pytest.mark.parametrize("rule", PARTS)
def test_what_is_previewed_is_removed_and_the_figures_stay(appliance: Appliance, rule: str) -> None:
    _, old = ended()
    _, recent = ended(days=20)
    result = appliance.viewer.get(f"/runs/{old}/result").json()
    verdict = appliance.viewer.get(f"/runs/{old}/verdict").json()
    figures = appliance.viewer.get(f"/runs/{old}/figures").json()
    rules = NONE | {rule: RULE}
    found = appliance.viewer.post("/retention/preview", rules).json()
    assert [name for name in found if found[name] is None] == [n for n in NONE if n != rule]
    part = found[rule]
    assert (part["runs"], part["campaigns"]) == (1, 1)
    assert [item["run_id"] for item in part["items"]] == [old]
    assert part["bytes"] == size_of(part) > 0
    before = appliance.viewer.get("/retention").json()["space"]
    assert put(appliance, **{rule: RULE})["pending"] is True
    apply()
    after = appliance.viewer.get("/retention").json()
    assert before[f"{rule}_bytes"] - after["space"][f"{rule}_bytes"] == part["bytes"]
    assert (after["pending"], after["applied_at"] is not None) == (False, True)
    assert (rows_of(old, rule), rows_of(recent, rule) > 0) == (0, True)
    (other,) = PARTS.keys() - {rule}
    assert rows_of(old, other) > 0
    assert appliance.viewer.get(f"/runs/{old}/result").json() == result
    assert appliance.viewer.get(f"/runs/{old}/verdict").json() == verdict
    assert appliance.viewer.get(f"/runs/{old}/figures").json() == figures
    again = appliance.viewer.post("/retention/preview", rules).json()[rule]
    assert (again["runs"], again["bytes"], again["items"]) == (0, 0, [])
    audit = [entry for entry in appliance.audit() if entry["actor"] == "retention"]
    (entry,) = audit
    assert entry["object"].startswith(f"run {old} ")
    assert entry["detail"]["bytes"] == part["bytes"]


def test_pages_say_what_was_removed(appliance: Appliance) -> None:
    _, run_id = ended()
    trial = appliance.viewer.get(f"/runs/{run_id}/trials").json()["items"][0]["id"]
    shown = appliance.viewer.get(f"/runs/{run_id}").json()
    assert (shown["raw_removed_at"], shown["samples_removed_at"]) == (None, None)
    assert appliance.viewer.get("/runs/export/size").json()["samples"] > 0
    put(appliance, raw_logs=RULE, samples=RULE)
    apply()
    shown = appliance.viewer.get(f"/runs/{run_id}").json()
    assert shown["raw_removed_at"] and shown["samples_removed_at"]
    events = appliance.viewer.get(f"/runs/{run_id}/events")
    assert (events.status_code, events.json()["code"]) == (410, "raw_log_removed")
    samples = appliance.viewer.get(f"/trials/{trial}/samples").json()
    assert (samples["count"], samples["columns"]["t_ns"]) == (0, [])
    assert appliance.viewer.get(f"/trials/{trial}/marks").status_code == 200
    assert appliance.viewer.get(f"/trials/{trial}/links").status_code == 200
    size = appliance.viewer.get("/runs/export/size").json()
    assert (size["trials"], size["samples"]) == (3, 0)
    rows = appliance.viewer.get("/runs/export", rows="samples").text.splitlines()
    assert len(rows) == 1
    assert len(appliance.viewer.get("/runs/export").text.splitlines()) == 4


def test_by_newer_rules_a_run_without_samples_is_judged_by_its_stored_result(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.runs.verdicts.queries.EDITION", "999")
    campaign_id, _ = ended()
    body = {"criteria": [examples.CRITERION]}

    def judged() -> dict[str, Any]:
        (run,) = appliance.viewer.post(f"/campaigns/{campaign_id}/verdicts", body).json()["runs"]
        return run

    before = judged()
    assert before["build"] is None, "by the rules of now"
    put(appliance, samples=RULE)
    apply()
    assert judged() == before | {"build": 1}


def test_samples_come_back_by_a_rebuild_unless_the_raw_log_is_gone(appliance: Appliance) -> None:
    _, run_id = ended()
    count = rows_of(run_id, "samples")
    put(appliance, samples=RULE)
    apply()
    assert rows_of(run_id, "samples") == 0
    with writing() as session:
        rebuild(session, run_id)
    assert rows_of(run_id, "samples") == count
    assert appliance.viewer.get(f"/runs/{run_id}").json()["samples_removed_at"] is None
    put(appliance, raw_logs=RULE)
    apply()
    with writing() as session, pytest.raises(RemovedLogError, match="retention rule"):
        rebuild(session, run_id)
    assert rows_of(run_id, "samples") == count


def test_campaigns_are_deleted_as_by_a_person(appliance: Appliance) -> None:
    old, _ = ended()
    recent, _ = ended(days=29)
    part = appliance.viewer.post("/retention/preview", NONE | {"campaigns": RULE}).json()[
        "campaigns"
    ]
    assert ([item["campaign_id"] for item in part["items"]], part["runs"]) == ([old], 1)
    assert part["bytes"] == size_of(part) > 0
    put(appliance, campaigns=RULE)
    apply()
    assert appliance.viewer.get(f"/campaigns/{old}").status_code == 404
    assert appliance.viewer.get(f"/campaigns/{recent}").status_code == 200
    assert appliance.operator.post(f"/campaigns/{old}/undelete").status_code == 200
    entry = next(one for one in appliance.audit() if one["action"] == "campaign.deleted")
    assert (entry["actor"], entry["object"]) == ("retention", f"campaign {old} Campaign")


def _label(key: str) -> Callable[[int], None]:
    def protect(campaign_id: int) -> None:
        with writing() as session:
            session.add(CampaignLabel(owner_id=campaign_id, key=key, value="yes"))

    return protect


def _reference(campaign_id: int) -> None:
    with writing() as session:
        session.get_one(Campaign, campaign_id).reference = "CHG-3310"


def _waive(campaign_id: int) -> None:
    with writing() as session:
        session.add(
            CampaignWaiver(
                campaign_id=campaign_id,
                number=0,
                actor="grace",
                reason="accepted",
                expires_at=now(session),
            )
        )


def _restart(campaign_id: int) -> None:
    with writing() as session:
        run = session.scalars(select(Run).where(Run.campaign_id == campaign_id)).one()
        session.add(
            Run(
                campaign_id=campaign_id,
                number=2,
                title="Read",
                kind="matrix",
                parameters=run.parameters,
                state="queued",
                trials_total=1,
            )
        )


@pytest.mark.parametrize(
    ("protect", "rule"),
    [
        (_label("baseline"), {"keep_labeled": False, "keep_referenced": False}),
        (_waive, {"keep_labeled": False, "keep_referenced": False}),
        (_restart, {"keep_labeled": False, "keep_referenced": False}),
        (_label("rack"), {"keep_referenced": False}),
        (_reference, {"keep_labeled": False}),
    ],
    ids=["baseline", "waived", "active", "labeled", "referenced"],
)
def test_what_someone_relies_on_is_kept_by_every_rule(
    appliance: Appliance, protect: Callable[[int], None], rule: dict[str, bool]
) -> None:
    kept, run_id = ended()
    gone, _ = ended()
    protect(kept)
    rules = {name: {"older_than_days": 30, **rule} for name in NONE}
    found = appliance.viewer.post("/retention/preview", rules).json()
    for name in NONE:
        assert [item["campaign_id"] for item in found[name]["items"]] == [gone], name
    put(appliance, **rules)
    apply()
    assert appliance.viewer.get(f"/campaigns/{kept}").status_code == 200
    assert appliance.viewer.get(f"/campaigns/{gone}").status_code == 404
    assert all(rows_of(run_id, part) > 0 for part in PARTS)


@pytest.mark.parametrize("rule", NONE)
def test_what_is_protected_after_it_was_selected_is_kept(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    campaign_id, run_id = ended()
    selected = removal._first

    def protect_selected(chosen: Select[int]) -> int | None:
        found = selected(chosen)
        if found is not None:
            _reference(campaign_id)
        return found

    monkeypatch.setattr(removal, "_first", protect_selected)
    put(appliance, **{rule: RULE})
    assert apply() == 1
    assert appliance.viewer.get(f"/campaigns/{campaign_id}").status_code == 200
    assert all(rows_of(run_id, part) > 0 for part in PARTS)


@pytest.mark.parametrize("protect", [_label("rack"), _reference], ids=["labeled", "referenced"])
def test_exceptions_can_be_switched_off(
    appliance: Appliance, protect: Callable[[int], None]
) -> None:
    campaign_id, _ = ended()
    protect(campaign_id)
    rule = {"older_than_days": 30, "keep_labeled": False, "keep_referenced": False}
    put(appliance, campaigns=rule)
    apply()
    assert appliance.viewer.get(f"/campaigns/{campaign_id}").status_code == 404


def test_a_run_whose_result_is_not_stored_keeps_everything(appliance: Appliance) -> None:
    with writing() as session:
        run_id = seed_ended_run(session).id
    with writing() as session:
        session.execute(update(Campaign).values(created_at=moment(-timedelta(days=99))))
        session.execute(update(Run).values(ended_at=moment(-timedelta(days=99))))
    put(appliance, **dict.fromkeys(NONE, RULE))
    assert apply() == 0
    assert rows_of(run_id, "raw_logs") > 0


def test_each_transaction_removes_a_limited_number_of_rows(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.runs.campaigns.deletion.MOST_ROWS", 1)
    _, run_id = ended()
    count = rows_of(run_id, "samples")
    put(appliance, samples=RULE)
    for left in range(count - 1, -1, -1):
        assert apply_next()
        assert rows_of(run_id, "samples") == left
        assert appliance.viewer.get(f"/runs/{run_id}").json()["samples_removed_at"]
    assert not apply_next()


def test_what_a_crash_left_is_removed_although_the_rule_is_gone(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.runs.campaigns.deletion.MOST_ROWS", 1)
    first, second = ended()[1], ended()[1]
    put(appliance, samples=RULE)
    assert apply_next()
    put(appliance)
    apply()
    assert [rows_of(run_id, "samples") > 0 for run_id in (first, second)] == [False, True]


def test_rules_are_applied_every_hour_and_on_request(appliance: Appliance) -> None:
    put(appliance, samples=RULE)
    assert apply() == 0
    _, run_id = ended()
    assert apply() == 0, "applied a moment ago"
    assert appliance.admin.post("/retention/run").json()["pending"] is True
    assert apply() > 0
    assert rows_of(run_id, "samples") == 0
    _, later = ended()
    with writing() as session:
        session.execute(update(Retention).values(applied_at=moment(-removal.EVERY)))
    assert apply() > 0
    assert rows_of(later, "samples") == 0


def test_without_a_rule_nothing_can_be_applied(appliance: Appliance) -> None:
    problem(appliance.admin.post("/retention/run"), 409, "no_retention_rules")


def test_a_change_of_rules_that_were_changed_meanwhile_is_refused(appliance: Appliance) -> None:
    tag = appliance.viewer.get("/retention").json()["etag"]
    assert appliance.admin.put("/retention", NONE | {"samples": RULE}, tag).status_code == 200
    refused = appliance.admin.put("/retention", NONE, tag)
    problem(refused, 412, "precondition_failed")
    assert appliance.viewer.get("/retention").json()["rules"]["samples"] == RULE
    entry = next(one for one in appliance.audit() if one["action"] == "retention.changed")
    assert entry["detail"]["samples"] == RULE


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        ({"older_than_days": 0}, "older_than_days"),
        ({"older_than_days": 36_501}, "older_than_days"),
        ({"older_than_days": "30"}, "older_than_days"),
        ({"older_than_days": 1.5}, "older_than_days"),
        ({}, "older_than_days"),
        ({"older_than_days": 30, "keep_labeled": "yes"}, "keep_labeled"),
        ({"older_than_days": 30, "days": 3}, "days"),
    ],
)
def test_bad_rules_are_refused_with_the_field(
    appliance: Appliance, rule: dict[str, Any], field: str
) -> None:
    for answer in (
        appliance.admin.put("/retention", {"samples": rule}),
        appliance.viewer.post("/retention/preview", {"samples": rule}),
    ):
        assert fields(problem(answer, 422, "invalid")) == [f"samples.{field}"]
    assert appliance.viewer.get("/retention").json()["rules"] == NONE


def test_an_active_campaign_is_never_touched(appliance: Appliance) -> None:
    with writing() as session:
        run, _, _ = seed_run(session)
        run_id = run.id
    with writing() as session:
        session.execute(update(Campaign).values(created_at=moment(-timedelta(days=99))))
        session.execute(update(Run).values(created_at=moment(-timedelta(days=99))))
    put(appliance, **dict.fromkeys(NONE, RULE))
    assert apply() == 0
    assert appliance.viewer.get(f"/runs/{run_id}").status_code == 200
