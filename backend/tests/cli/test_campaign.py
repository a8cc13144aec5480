"""`assay campaign report|share|shares|unshare`."""

import json
import re
from pathlib import Path

import httpx
import pytest
from testing.command_line import run
from testing.identifiers import SENTINELS, seed_named

Patch = pytest.MonkeyPatch
Output = pytest.CaptureFixture[str]


def test_a_report_is_written_and_a_bad_file_is_rejected_first(
    port: int, monkeypatch: Patch, capsys: Output, tmp_path: Path
) -> None:
    campaign = str(seed_named((65536,)).campaign_id)
    file = tmp_path / "report.html"
    assert run(monkeypatch, "campaign", "report", campaign, "-o", str(file)) == 0
    assert SENTINELS["host"] in file.read_text()
    capsys.readouterr()
    assert run(monkeypatch, "campaign", "report", campaign, "--hide-identifiers") == 0
    page = capsys.readouterr().out
    assert page.startswith("<!doctype html>")
    assert SENTINELS["host"] not in page
    assert run(monkeypatch, "campaign", "report", campaign, "-o", str(tmp_path / "no" / "x")) == 2
    assert "--output" in capsys.readouterr().err


def test_a_link_is_printed_once_listed_and_revoked(
    port: int, monkeypatch: Patch, capsys: Output
) -> None:
    campaign = str(seed_named((65536,)).campaign_id)
    assert run(monkeypatch, "campaign", "share", campaign, "--days", "7", "--name", "Acme") == 0
    link = capsys.readouterr().out.split()[0]
    assert re.fullmatch(rf"http://[\w.]+:{port}/shared/assay_[\w-]{{43}}", link)
    assert "Verdict" in httpx.get(link).text
    assert run(monkeypatch, "campaign", "shares", campaign, "--json") == 0
    shown = capsys.readouterr().out
    (share,) = json.loads(shown)
    assert (share["name"], share["accesses"], share["state"]) == ("Acme", 1, "active")
    assert link.rpartition("/")[2] not in shown
    assert run(monkeypatch, "campaign", "shares", campaign) == 0
    assert "active" in capsys.readouterr().out
    assert run(monkeypatch, "campaign", "unshare", campaign, str(share["id"])) == 0
    assert httpx.get(link).status_code == 410
    assert run(monkeypatch, "campaign", "share", campaign, "--days", "91") == 2
    assert "expires_in_days" in capsys.readouterr().err
