"""The commands that all objects have: each by name, with fields of the API."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from assay.cli.console import CommandError
from assay.cli.objects import fields_of
from testing.api import Appliance
from testing.command_line import run

Capture = pytest.CaptureFixture[str]


def test_a_field_is_json_a_text_or_the_text_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("true\n")
    found = fields_of(
        ["address=10.0.0.7", "port=22", 'name="7"', "events=[1]", "jump_host=null", f"text=@{file}"]
    )
    assert found == {
        "address": "10.0.0.7",
        "port": 22,
        "name": "7",
        "events": [1],
        "jump_host": None,
        "text": "true",
    }


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (["name"], "'name' is no field"),
        (["=7"], "'=7' is no field"),
        (["a=1", "a=2"], "a is given more than once"),
        (["a=@/nowhere"], "/nowhere cannot be read"),
    ],
)
def test_a_malformed_field_is_refused(given: list[str], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        fields_of(given)


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
