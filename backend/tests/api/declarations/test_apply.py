"""What an application creates and changes, and that it is all or nothing."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from testing.api import FOUND, Appliance, on_both, problem

from .applying import (
    KEY,
    LAB,
    actions,
    applied,
    apply,
    audited,
    change,
    checking,
    errors_of,
    fingerprint,
    names,
)

ROOT = Path(__file__).parents[4]


def test_a_file_creates_what_it_describes(appliance: Appliance) -> None:
    with appliance.answering(FOUND, state="ready"):
        plan = applied(appliance, LAB)
    assert plan["complete"] is True
    assert plan["dry_run"] is False
    assert actions(plan) == [
        ("create", "array", "vault"),
        ("create", "host", "web-1"),
        ("create", "target", "web-1/mnt/a"),
        ("create", "profile", "Nightly"),
    ]
    (host,) = appliance.viewer.get("/hosts").json()["items"]
    assert (host["reference"], host["state"], host["managed_by"]) == ("CMDB-1", "ready", "lab")
    (target,) = appliance.viewer.get("/targets").json()["items"]
    assert target["array"]["name"] == "vault"
    assert target["labels"] == {"change": "firmware"}
    assert target["managed_by"] == "lab"
    (array,) = appliance.viewer.get("/arrays").json()["items"]
    assert (array["vendor"], array["managed_by"]) == ("Acme", "lab")
    own = appliance.viewer.get("/profiles", builtin=False).json()["items"]
    assert [(one["name"], one["managed_by"]) for one in own] == [("Nightly", "lab")]
    assert {"array.created", "host.created", "target.created", "file.applied"} <= set(
        audited(appliance)
    )


@on_both
def test_a_second_application_changes_nothing(appliance: Appliance) -> None:
    with appliance.answering(FOUND, state="ready"):
        applied(appliance, LAB)
        before = audited(appliance)
        plan = applied(appliance, LAB, prune=True)
    assert {action for action, _, _ in actions(plan)} == {"unchanged"}
    assert len(plan["changes"]) == 4
    assert audited(appliance) == before


def test_a_dry_run_changes_nothing_and_reports_the_same(appliance: Appliance) -> None:
    plan = applied(appliance, LAB, dry_run=True)
    assert plan["dry_run"] is True
    assert [names(appliance, noun) for noun in ("hosts", "arrays", "targets")] == [[], [], []]
    assert audited(appliance) == []
    with appliance.answering(FOUND, state="ready"):
        assert actions(applied(appliance, LAB)) == actions(plan)


def test_a_change_has_each_field_before_and_after(appliance: Appliance) -> None:
    with appliance.answering(FOUND, state="ready"):
        applied(appliance, LAB)
        text = LAB.replace("vendor: Acme", "vendor: Bcme").replace("CMDB-1", "CMDB-2")
        text = text.replace("{site: fra}", "{site: ber, rack: b7}").replace("[4096]", "[8192]")
        plan = applied(appliance, text)
    assert change(plan, "vault")["fields"] == [
        {"field": "vendor", "old": "Acme", "new": "Bcme"},
        {"field": "labels.site", "old": "fra", "new": "ber"},
        {"field": "labels.rack", "old": None, "new": "b7"},
    ]
    assert change(plan, "web-1")["fields"] == [
        {"field": "reference", "old": "CMDB-1", "new": "CMDB-2"}
    ]
    assert change(plan, "Nightly")["fields"] == [
        {"field": "tests.0.block.0", "old": 4096, "new": 8192}
    ]
    (profile,) = appliance.viewer.get("/profiles", builtin=False).json()["items"]
    assert (profile["version"], profile["managed_by"]) == (2, "lab")


def test_omitted_fields_keep_their_values_and_null_clears_one(appliance: Appliance) -> None:
    applied(appliance, "name: lab\narrays: [{name: vault, vendor: Acme, model: S24}]")
    plan = applied(appliance, "name: lab\narrays: [{name: vault, model: null}]")
    assert change(plan, "vault")["fields"] == [{"field": "model", "old": "S24", "new": None}]
    (array,) = appliance.viewer.get("/arrays").json()["items"]
    assert (array["vendor"], array["model"]) == ("Acme", None)


def test_one_refused_entry_leaves_everything_as_it_was(appliance: Appliance) -> None:
    text = """\
name: lab
arrays:
  - name: vault
hosts:
  - name: web-1
    address: 10.0.0.7
    user: assay
    credential: lab kez
  - name: web-2
    address: 10.0.0.8
profiles:
  - name: First look
    tests: [{kind: matrix, title: W, operation: write, block: [512], threads: [1], file_size: 1 MB}]
"""
    appliance.credential("lab key")
    answer = apply(appliance.admin, text)
    assert errors_of(answer, "file_refused") == [
        ("hosts.0.credential", 8, 5),
        ("hosts.1.user", 9, 5),
        ("hosts.1.credential", 9, 5),
        ("profiles.0", 12, 5),
    ]
    assert "Did you mean `lab key`?" in [one["remedy"] for one in answer.json()["errors"]]
    assert names(appliance, "arrays") == names(appliance, "hosts") == []


def test_a_refused_directory_leaves_everything_as_it_was(appliance: Appliance) -> None:
    appliance.host("web-1", connection="local")
    missing = {**FOUND, "problem": {"code": "missing", "message": "no"}}
    with appliance.answering(missing):
        answer = apply(appliance.admin, LAB)
    assert errors_of(answer, "file_refused") == [("hosts.0.targets.0.path", 11, 9)]
    assert "does not exist on the host" in answer.json()["detail"]
    assert names(appliance, "arrays") == []


def test_a_viewer_may_not_apply(appliance: Appliance) -> None:
    problem(apply(appliance.viewer, LAB, dry_run=True), 403, "not_allowed")


@on_both
def test_two_applications_at_once_create_everything_once(appliance: Appliance) -> None:
    text = "name: lab\narrays: [" + ", ".join(f"{{name: a{n}}}" for n in range(20)) + "]"
    with ThreadPoolExecutor(2) as people:
        answers = list(people.map(lambda _: apply(appliance.admin, text), range(2)))
    assert [answer.status_code for answer in answers] == [200, 200]
    assert sorted({actions(answer.json())[0][0] for answer in answers}) == ["create", "unchanged"]
    assert len(names(appliance, "arrays")) == 20


def test_the_example_of_the_docs_is_applied(appliance: Appliance) -> None:
    page = (ROOT / "docs" / "files.md").read_text()
    text = page.split("```yaml\n")[1].split("```")[0]
    appliance.credential("lab key")
    with checking(appliance, KEY):
        plan = applied(
            appliance, text.replace(text.split("host_key: ")[1].split()[0], fingerprint(KEY))
        )
    assert plan["complete"] is True
    assert [action for action, _, _ in actions(plan)] == ["create"] * 4
    (target,) = appliance.viewer.get("/targets").json()["items"]
    assert (target["path"], target["array"]["name"]) == ("/mnt/a", "vault")


def test_the_published_schema_is_current(appliance: Appliance) -> None:
    stored = json.loads((ROOT / "docs" / "schemas" / "qualification.json").read_text())
    assert appliance.viewer.get("/schemas/qualification.json").json() == stored
