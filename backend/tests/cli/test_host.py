"""`assay host add`: registration in one command, against the API."""

import json
from pathlib import Path

import asyncssh
import pytest
from assay.tables.database import reading
from assay.tables.hosts import Check
from sqlalchemy import select
from testing.api import FOUND, Appliance
from testing.command_line import run as _run

KEY = asyncssh.generate_private_key("ssh-ed25519")
ADD = ("host", "add", "web-1", "--address", "10.0.0.7", "--user", "assay")
MISMATCH = {
    "code": "host_key_mismatch",
    "title": "The host shows another key than the given one",
    "detail": "10.0.0.7 port 22 shows SHA256:other",
    "remedy": "Verify the fingerprint.",
}


@pytest.mark.usefixtures("port")
def test_a_host_is_added_by_a_known_hosts_file_and_waited_for(
    appliance: Appliance,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    appliance.credential("lab key")
    known = tmp_path / "known_hosts"
    known.write_text(f"10.0.0.7 {KEY.export_public_key().decode()}")
    given = ("--credential", "lab key", "--known-hosts", str(known), "--label", "rack=b7")
    with appliance.answering({}, state="ready"):
        assert _run(monkeypatch, *ADD, *given, "--target", "/mnt/a", "--wait", "--json") == 0
    host = json.loads(capsys.readouterr().out)
    assert (host["name"], host["state"], host["labels"]) == ("web-1", "ready", {"rack": "b7"})
    assert host["expected_keys"][0]["fingerprint"] == KEY.get_fingerprint()


@pytest.mark.usefixtures("port")
def test_a_rejected_key_ends_the_command_with_the_reason(
    appliance: Appliance,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    private = tmp_path / "key"
    private.write_bytes(KEY.export_private_key())
    given = ("--private-key", str(private), "--fingerprint", KEY.get_fingerprint())
    with appliance.answering(error=MISMATCH, state="key_unapproved"):
        assert _run(monkeypatch, *ADD, *given, "--wait") == 2
    assert "SHA256:other" in capsys.readouterr().err
    assert appliance.admin.get("/hosts").json()["items"] == []
    assert appliance.admin.get("/credentials").json()["items"] == []


@pytest.mark.usefixtures("port")
def test_a_host_that_is_not_ready_ends_the_command_with_1(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    appliance.credential("lab key")
    with appliance.answering(error={**MISMATCH, "code": "timeout"}, state="unreachable"):
        assert _run(monkeypatch, *ADD, "--credential", "lab key", "--wait") == 1
    assert "web-1: unreachable" in capsys.readouterr().out


@pytest.mark.usefixtures("port")
def test_a_directory_for_the_probe_and_a_consent_are_options(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    appliance.credential("lab key")
    given = (*ADD, "--credential", "lab key", "--target", "/x", "--probe-directory", "/opt/assay")
    given = (*given, "--fingerprint", KEY.get_fingerprint(), "--wait")
    refusal = {
        "code": "root_fs_consent_required",
        "title": "The root file system may receive the writes",
        "detail": "/x is on the host's root file system",
        "remedy": "Use another file system, or set it to accept the risk.",
        "field": "targets.0.root_consent",
    }
    with appliance.answering(error=refusal, state="ready"):
        assert _run(monkeypatch, *given) == 2
    assert "--root-consent. Use another file system, or set it" in capsys.readouterr().err
    assert appliance.admin.get("/hosts").json()["items"] == []
    with appliance.answering({}, state="ready"):
        assert _run(monkeypatch, *given, "--root-consent", "--json") == 0
    assert json.loads(capsys.readouterr().out)["probe_dir"] == "/opt/assay"
    with reading() as session:
        (request,) = session.scalars(select(Check.request)).all()
    assert [one["root_consent"] for one in request["targets"]] == [True]


@pytest.mark.usefixtures("port")
def test_a_target_on_the_root_file_system_names_the_option_of_consent(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    appliance.host()
    with appliance.answering({**FOUND, "is_root_fs": True}):
        assert _run(monkeypatch, "target", "add", "web-1", "/x") == 2
        assert "--root-consent. Use another file system, or set it" in capsys.readouterr().err
        assert _run(monkeypatch, "target", "add", "web-1", "/x", "--root-consent") == 0


@pytest.mark.usefixtures("port")
@pytest.mark.parametrize(
    ("option", "value"), [("--probe-directory", "opt"), ("--port", "0"), ("--user", "-x")]
)
def test_a_rejected_value_is_named_by_its_option(
    appliance: Appliance,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    option: str,
    value: str,
) -> None:
    appliance.credential("lab key")
    assert _run(monkeypatch, *ADD, "--credential", "lab key", f"{option}={value}") == 2
    assert f": {option}: " in capsys.readouterr().err
