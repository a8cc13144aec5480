"""Commands for hosts, targets, arrays, profiles and runs, and any other request."""

import json
from pathlib import Path

import pytest
from assay.db.database import writing
from testing.api import Appliance
from testing.command_line import Shell
from testing.seeds import seed_ended_run

LISTED = ("host", "target", "array", "profile", "run")


def test_an_array_is_added_labeled_and_deleted_by_its_name(shell: Shell) -> None:
    made = shell.json("array", "add", "vault", "--vendor", "Acme", "--label", "rack=b7", "--json")
    assert (made["name"], made["vendor"], made["labels"]) == ("vault", "Acme", {"rack": "b7"})
    found = shell.json("array", "label", "vault", "tier=1", "rack-", "--reference", "C-1", "--json")
    assert found == {"labels": {"tier": "1"}, "reference": "C-1"}
    assert shell.json("array", "show", "vault", "--json")["id"] == made["id"]
    assert "vault" in shell("array", "list")
    shell("array", "delete", "vault")
    assert "vault" not in shell("array", "list")


def test_a_profile_is_copied_changed_by_a_file_and_deleted(shell: Shell, tmp_path: Path) -> None:
    copied = shell.json("profile", "copy", "First look", "Second look", "--json")
    file = tmp_path / "profile.json"
    file.write_text(json.dumps({"name": "Second look", "body": copied["body"]}))
    saved = shell.json("profile", "save", str(file), "--replace", "Second look", "--json")
    assert (saved["name"], saved["version"]) == ("Second look", 2)
    shell("profile", "delete", "Second look")
    assert "Second look" not in shell("profile", "list")
    file.write_text("[")
    assert "cannot be read as JSON" in shell("profile", "save", str(file), code=2)


def test_hosts_and_targets_are_shown_and_deleted_by_their_names(
    shell: Shell, appliance: Appliance
) -> None:
    target_id = appliance.target(appliance.host())
    target = appliance.viewer.get(f"/targets/{target_id}").json()
    name = f"{target['host_name']}{target['path']}"
    assert shell.json("target", "show", name, "--json")["id"] == target_id
    (listed,) = shell.json("target", "list", "--host", target["host_name"], "--json")
    assert listed["id"] == target_id
    shell("target", "label", name, "tier=fast")
    assert "tier=fast" in shell("target", "label", name)
    shell("target", "delete", str(target_id))
    shell("host", "delete", target["host_name"])
    assert shell.json("host", "list", "--json") == []


def test_runs_are_listed_and_their_results_printed(shell: Shell, appliance: Appliance) -> None:
    with writing() as session:
        run_id = seed_ended_run(session).id
    (listed,) = shell.json("run", "list", "--state", "done", "--json")
    assert listed["id"] == run_id
    assert shell.json("run", "show", str(run_id), "--json")["id"] == run_id
    assert shell.json("run", "result", str(run_id))["run_id"] == run_id


@pytest.mark.parametrize("noun", LISTED)
def test_an_empty_list_has_the_titles_of_its_columns(shell: Shell, noun: str) -> None:
    assert shell(noun, "list").startswith("ID\t")


def test_any_request_of_the_api_is_a_command(shell: Shell) -> None:
    made = shell.json("api", "POST", "/arrays", "--data", '{"name": "vault"}')
    where = f"/arrays/{made['id']}"
    assert shell.json("api", "patch", where, "--data", '{"model": "S24"}')["model"] == "S24"
    assert shell.json("api", "GET", where)["model"] == "S24"
    assert shell("api", "DELETE", where) == ""
    assert "array" in shell("api", "GET", where, code=2)
    assert "Begin it with /" in shell("api", "GET", "arrays", code=2)
    assert "not JSON" in shell("api", "POST", "/arrays", "--data", "{", code=2)
