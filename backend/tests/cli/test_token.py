"""`assay token` and `assay whoami`."""

import json
from typing import Any

import pytest
from assay.cli.console import output
from testing.api import Appliance, Caller
from testing.command_line import run as _run

LIMITED = ("token", "create", "--name", "ci", "--scope", "read", "--scope", "launch")
LIMITS = ("--label", "env=lab", "--bytes-per-day", "2TB", "--campaigns", "2")


def _json(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_a_token_is_created_with_scopes_and_limits_and_the_role_that_they_need(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, *LIMITED, *LIMITS, "--json") == 0
    made = _json(capsys)
    assert (made["role"], made["scopes"]) == ("operator", ["read", "launch"])
    assert made["target_labels"] == {"env": "lab"}
    assert (made["bytes_per_day"], made["campaigns_at_once"]) == (2 * 10**12, 2)
    me = Caller(appliance.http, made["token"]).get("/me").json()
    assert me["api_token"]["id"] == made["id"]


def test_tokens_are_listed_without_their_secrets(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, *LIMITED, *LIMITS) == 0
    secret = capsys.readouterr().out.strip()
    assert _run(monkeypatch, "token", "list", "--json") == 0
    listed = _json(capsys)
    assert [token["name"] for token in listed] == ["ci", "admin", "operator", "viewer"]
    assert secret not in json.dumps(listed)
    monkeypatch.setattr(output, "width", 200)
    assert _run(monkeypatch, "token", "list") == 0
    shown = capsys.readouterr().out
    for words in ("read launch", "env=lab", "0 B of 2.00 TB", "0 of 2"):
        assert words in shown


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "Give --role, or one --scope or more."),
        (("--scope", "reed"), "reed"),
        (("--scope", "launch", "--label", "env"), "'env' has no value"),
        (("--scope", "launch", "--label", "a=1", "--label", "a=2"), "'a' has two values"),
        (("--scope", "launch", "--bytes-per-day", "2 QB"), "'2 QB' is not a size"),
        (("--scope", "launch", "--campaigns", "0"), "campaigns"),
        (("--scope", "read", "--campaigns", "1"), "cannot launch"),
        (("--scope", "admin", "--role", "viewer"), "give the role admin"),
        (("--role", "operator", "--label", "env=lab"), "read, launch, edit"),
    ],
)
def test_wrong_options_are_rejected_with_a_remedy(
    appliance: Appliance,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    said: str,
) -> None:
    assert _run(monkeypatch, "token", "create", "--name", "ci", *options) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert appliance.audit() == []


def test_whoami_says_what_the_token_may_do(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert _run(monkeypatch, *LIMITED, *LIMITS) == 0
    monkeypatch.setenv("ASSAY_TOKEN", capsys.readouterr().out.strip())
    monkeypatch.setenv("ASSAY_URL", f"http://127.0.0.1:{port}")
    assert _run(monkeypatch, "whoami") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == [
        "name: token ci",
        "role: operator",
        "scopes: read, launch",
        "launches on: targets with env=lab",
        "written today: 0 B of 2.00 TB",
    ]
    assert _run(monkeypatch, "whoami", "--json") == 0
    assert _json(capsys)["scopes"] == ["read", "launch"]
