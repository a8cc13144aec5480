"""The commands that nouns share, each by name or id, and any other request."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from assay.tables.database import writing
from testing.api import Appliance
from testing.command_line import Shell, run
from testing.seeds import seed_ended_run

Capture = pytest.CaptureFixture[str]

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


@pytest.fixture
def assay(appliance: Appliance, port: int, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Any:
    assert appliance and port

    def call(*arguments: str) -> Any:
        assert run(monkeypatch, *arguments) == 0, capsys.readouterr().err
        printed = capsys.readouterr().out
        return json.loads(printed) if printed[:1] in "{[" and printed else printed

    return call


def test_a_host_and_its_target_are_changed_by_name(appliance: Appliance, assay: Any) -> None:
    host = appliance.host("lab1")
    appliance.target(host, "/mnt/disk")
    assert assay("host", "change", "lab1", "name=lab2", 'reference="7"')["reference"] == "7"
    assert assay("target", "change", "lab2/mnt/disk", "name=scratch")["name"] == "scratch"
    assert appliance.viewer.get("/hosts/lab2").json()["id"] == host


def test_an_authority_is_added_listed_changed_and_deleted(tmp_path: Path, assay: Any) -> None:
    key = tmp_path / "ca.pub"
    key.write_text(
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGbw29uLsDMsccMCoWx+ThD5z7MDWlZtLitsrNH4cd6W ca\n"
    )
    made = assay("authority", "add", "fleet", str(key), "--pattern", "*.storage.example")
    assert made["patterns"] == ["*.storage.example"]
    assert "fleet" in assay("authority", "list")
    assert assay("authority", "change", "fleet", 'patterns=["*.lan"]')["patterns"] == ["*.lan"]
    assert assay("authority", "show", "fleet", "--json")["id"] == made["id"]
    assert "deleted: fleet" in assay("authority", "delete", "fleet")
    assert assay("authority", "list", "--json") == []


def test_credentials_and_users_are_managed_by_name(tmp_path: Path, assay: Any) -> None:
    assert assay("credential", "add", "name=lab key", "kind=generated")["fingerprint"]
    assert assay("credential", "show", "lab key", "--json")["name"] == "lab key"
    assert "deleted: lab key" in assay("credential", "delete", "lab key")
    password = tmp_path / "password"
    password.write_text("correct horse battery staple\n")
    assay("user", "add", "name=grace", "role=viewer", f"password=@{password}")
    assert assay("user", "change", "grace", "role=operator")["role"] == "operator"
    assert "grace" in assay("user", "list")
    assert assay("user", "delete", "grace", "--json")["name"] == "grace"


def test_a_webhook_is_changed_and_gets_another_secret(assay: Any) -> None:
    first = assay("webhook", "add", "ci", "https://ci.example.com/hook")
    assert assay("webhook", "change", "ci", "enabled=false")["enabled"] is False
    second = assay("webhook", "secret", "ci", "--previous-valid-hours", "0")
    assert second.startswith("whsec_")
    assert second != first
    assert assay("webhook", "show", "ci", "--json")["previous_secret_valid_until"] is None


def test_a_token_is_shown_and_deleted_by_id(appliance: Appliance, assay: Any) -> None:
    number = next(
        one["id"]
        for one in appliance.admin.get("/tokens").json()["items"]
        if one["name"] == "viewer"
    )
    assert assay("token", "show", str(number), "--json")["name"] == "viewer"
    assert "deleted: viewer" in assay("token", "delete", str(number))
    assert appliance.viewer.get("/me").status_code == 401


def test_an_empty_address_is_that_of_this_machine(
    assay: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_URL", "")
    assert assay("webhook", "list", "--json") == []


def test_a_credential_is_created_from_files(
    appliance: Appliance, assay: Any, tmp_path: Path
) -> None:
    key = tmp_path / "id"
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "four words", "-f", str(key)], check=True
    )
    secret = tmp_path / "passphrase"
    secret.write_text("four words\n")
    options = ("--private-key", str(key), "--passphrase-file", str(secret))
    made = assay("credential", "add", "lab key", *options)
    assert (made["name"], made["kind"]) == ("lab key", "private_key")
    public = (tmp_path / "id.pub").read_text().split()[1]
    assert public in made["public_key"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("lab", "key", "--private-key", "/dev/null"), "give the name of the credential"),
        (("lab", "--private-key", "/nowhere"), "/nowhere cannot be read"),
        (("name=lab", "kind=generated", "--certificate", "/dev/null"), "Give --private-key"),
        (("lab key",), "'lab key' is no field"),
    ],
)
def test_what_is_no_credential_is_refused(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
    arguments: tuple[str, ...],
    why: str,
) -> None:
    assert run(monkeypatch, "credential", "add", *arguments) == 2
    assert why in capsys.readouterr().err
    assert appliance.admin.get("/credentials").json()["items"] == []
