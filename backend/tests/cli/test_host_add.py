"""`assay host add`: registration in one command, against the API."""

import json
from pathlib import Path

import asyncssh
import pytest
from testing.api import Appliance
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
