"""What a file manages, and what `prune` removes."""

from assay.tables.campaigns import Campaign
from assay.tables.database import writing
from assay.tables.hosts import Host
from assay.tables.runs import Run
from assay.tables.targets import Target
from sqlalchemy import update
from testing.api import FOUND, Appliance, fields, on_both, problem
from testing.seeds import seed_run

from .applying import (
    LAB,
    PROFILE,
    actions,
    applied,
    apply,
    change,
    errors_of,
    names,
)


@on_both
def test_prune_removes_only_what_the_file_created(appliance: Appliance) -> None:
    appliance.operator.post("/arrays", {"name": "by hand"})
    appliance.operator.post("/arrays", {"name": "declared"})
    both = "name: lab\narrays: [{name: vault}, {name: declared, vendor: Acme}]"
    plan = applied(appliance, both)
    assert change(plan, "declared")["action"] == "change"
    applied(appliance, "name: other\narrays: [{name: of the other}]")
    kept = applied(appliance, "name: lab")
    assert actions(kept) == [("keep", "array", "vault")]
    pruned = applied(appliance, "name: lab", prune=True)
    assert actions(pruned) == [("remove", "array", "vault")]
    assert sorted(names(appliance, "arrays")) == ["by hand", "declared", "of the other"]


def test_prune_removes_hosts_with_their_targets_and_profiles(appliance: Appliance) -> None:
    with appliance.answering(FOUND, state="ready"):
        applied(appliance, LAB)
    plan = applied(appliance, "name: lab", prune=True)
    assert {action for action, _, _ in actions(plan)} == {"remove"}
    assert len(plan["changes"]) == 4
    assert [names(appliance, noun) for noun in ("hosts", "arrays", "targets")] == [[], [], []]
    assert appliance.viewer.get("/profiles", builtin=False).json()["items"] == []


def test_what_is_in_use_is_not_pruned_and_nothing_else_is(appliance: Appliance) -> None:
    with writing() as session:
        run, participant, _ = seed_run(session)
        run.state = "queued"
        host = session.get_one(Host, participant.host_id)
        target = session.get_one(Target, participant.target_id)
        host.managed_by = target.managed_by = "lab"
        host_name, path = host.name, target.path
    applied(appliance, "name: lab\narrays: [{name: vault-9}]")
    document = problem(apply(appliance.admin, "name: lab", prune=True), 409, "file_refused")
    (of_target, of_host) = [error["message"] for error in document["errors"]]
    assert of_target == f"target '{host_name}{path}' cannot be removed: Runs {run.id} use it"
    assert of_host == f"host '{host_name}' cannot be removed: Runs {run.id} use it"
    assert fields(document) == ["prune", "prune"]
    assert "vault-9" in names(appliance, "arrays")
    with writing() as session:
        session.execute(update(Run).values(state="done"))
    assert len(applied(appliance, "name: lab", prune=True)["changes"]) == 3


def test_a_host_with_targets_of_others_is_not_pruned(appliance: Appliance) -> None:
    with appliance.answering(FOUND, state="ready"):
        applied(appliance, "name: lab\nhosts: [{name: web-1, connection: local}]")
    (host,) = appliance.viewer.get("/hosts").json()["items"]
    appliance.target(host["id"], "/mnt/own")
    document = problem(apply(appliance.admin, "name: lab", prune=True), 409, "file_refused")
    assert "did not create its targets /mnt/own" in document["detail"]
    assert names(appliance, "hosts") == ["web-1"]


def test_a_profile_of_an_active_campaign_is_not_pruned(appliance: Appliance) -> None:
    applied(appliance, f"name: lab\n{PROFILE}")
    (profile,) = appliance.viewer.get("/profiles", builtin=False).json()["items"]
    with writing() as session:
        run, _, _ = seed_run(session)
        run.state = "queued"
        session.get_one(Campaign, run.campaign_id).profile_id = profile["id"]
    document = problem(apply(appliance.admin, "name: lab", prune=True), 409, "file_refused")
    assert "profile 'Nightly' cannot be removed: campaign 1 uses it" in document["detail"]


def test_an_object_of_another_file_is_refused_where_it_differs(appliance: Appliance) -> None:
    applied(appliance, "name: one\narrays: [{name: vault, vendor: Acme}]")
    same = applied(appliance, "name: two\narrays: [{name: vault, vendor: Acme}]")
    assert actions(same) == [("unchanged", "array", "vault")]
    differs = "name: two\narrays:\n  - name: vault\n    vendor: Bcme\n"
    answer = apply(appliance.admin, differs)
    assert errors_of(answer, "file_refused") == [("arrays.0", 3, 5)]
    assert "belongs to the file 'one'" in answer.json()["detail"]
    plan = applied(appliance, differs, adopt=True)
    assert change(plan, "vault")["fields"] == [
        {"field": "vendor", "old": "Acme", "new": "Bcme"},
        {"field": "managed_by", "old": "one", "new": "two"},
    ]
    assert actions(applied(appliance, "name: one", prune=True)) == []


def test_a_name_of_a_deleted_host_is_created_again(appliance: Appliance) -> None:
    text = "name: lab\nhosts: [{name: web-1, connection: local}]"
    with appliance.answering({}, state="ready"):
        applied(appliance, text)
        applied(appliance, "name: lab", prune=True)
        assert actions(applied(appliance, text)) == [("create", "host", "web-1")]


def test_a_target_that_others_register_again_is_no_longer_the_files(appliance: Appliance) -> None:
    with appliance.answering(FOUND, state="ready"):
        applied(appliance, LAB)
    (target,) = appliance.viewer.get("/targets").json()["items"]
    with writing() as session:
        session.get_one(Target, target["id"]).retired_at = session.get_one(
            Target, target["id"]
        ).checked_at
    again = appliance.target(target["host_id"], "/mnt/a")
    assert appliance.viewer.get(f"/targets/{again}").json()["managed_by"] is None
