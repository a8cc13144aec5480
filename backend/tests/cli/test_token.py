"""`assay token` and `assay whoami`."""

import json
import socket
import time
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from assay.cli import connection
from assay.cli.console import output
from assay.client.access import logged_in
from testing import unreliable as servers
from testing.api import Appliance, Caller
from testing.command_line import run as _run
from testing.unreliable import Response, Unreliable

LIMITED = ("token", "create", "--name", "ci", "--scope", "read", "--scope", "launch")
LIMITS = ("--label", "env=lab", "--bytes-per-day", "2TB", "--campaigns", "2")


@pytest.fixture
def unreliable() -> Iterator[Unreliable]:
    """A server that loses responses."""
    with servers.running() as server:
        yield server


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
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
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


@pytest.fixture
def login(
    appliance: Appliance, port: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> tuple[str, ...]:
    """The options of an operator's login at ASSAY_URL."""
    body = {"name": "grace", "role": "operator", "password": "correct horse battery"}
    assert appliance.admin.post("/users", body).status_code == 201
    monkeypatch.setenv("ASSAY_URL", f"http://127.0.0.1:{port}")
    (tmp_path / "password").write_text("correct horse battery\n")
    return ("--user", "grace", "--password-file", str(tmp_path / "password"))


def test_a_person_creates_a_token_at_another_appliance(
    appliance: Appliance,
    login: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert _run(monkeypatch, *LIMITED, *LIMITS, *login, "--json") == 0
    made = _json(capsys)
    assert (made["created_by"], made["campaigns_at_once"]) == ("grace", 2)
    me = Caller(appliance.http, made["token"]).get("/me").json()
    assert me["api_token"]["id"] == made["id"]
    assert [one["action"] for one in appliance.audit()][:3] == [
        "session.closed",
        "token.created",
        "session.opened",
    ]
    assert _run(monkeypatch, "token", "create", "--name", "x", "--role", "admin", *login) == 2
    assert "admin" in capsys.readouterr().err  # an operator's token is no administrator's


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "Give --user and --password-file"),
        (("--user", "grace"), "Give --password-file, run this in a terminal or unset ASSAY_URL"),
        (("--password-file", "PASSWORD"), "Give its name by --user"),
        (("--user", "ada", "--password-file", "PASSWORD"), "Wrong name or password"),
        (("--user", "grace", "--password-file", "/nowhere"), "/nowhere"),
    ],
)
def test_a_login_that_is_missing_or_wrong_is_named(
    login: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    said: str,
) -> None:
    given = [login[-1] if one == "PASSWORD" else one for one in options]
    assert _run(monkeypatch, "token", "create", "--name", "ci", "--role", "viewer", *given) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_login_of_this_machine_is_not_told_of_a_variable_that_is_not_set(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--name", "ci", "--role", "viewer", "--user", "grace")
    assert _run(monkeypatch, "token", "create", *options) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert said.endswith("Give --password-file or run this in a terminal.")


def test_a_password_file_may_have_windows_line_ends(
    appliance: Appliance, login: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = StringIO("correct horse battery\r\n", newline="")
    monkeypatch.setattr("sys.stdin", raw)
    assert _run(monkeypatch, *LIMITED, "--user", "grace", "--password-file", "-") == 0


LOGGED_IN: Response = (201, {}, {"csrf": "x"})


def test_a_token_is_printed_though_the_logout_fails(
    unreliable: Unreliable,
    appliance: Appliance,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    (tmp_path / "password").write_text("correct horse battery\n")
    assert _run(monkeypatch, *LIMITED, "--json") == 0
    made = _json(capsys)
    unreliable.responses = [LOGGED_IN, (201, {}, made), None]
    monkeypatch.setenv("ASSAY_URL", f"http://127.0.0.1:{unreliable.port}")
    options = ("--user", "grace", "--password-file", str(tmp_path / "password"))
    assert _run(monkeypatch, *LIMITED, *options) == 0
    assert capsys.readouterr().out.strip() == made["token"]
    assert [method for method, _ in unreliable.requests] == ["POST", "POST", "DELETE"]


def test_an_error_is_said_though_the_logout_fails_too(unreliable: Unreliable) -> None:
    unreliable.responses = [LOGGED_IN, None]
    with (
        pytest.raises(ValueError, match="of the block"),
        logged_in(f"http://127.0.0.1:{unreliable.port}", "grace", "x"),
    ):
        raise ValueError("of the block")


def test_a_stopped_appliance_is_reported_as_soon_as_by_other_commands(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "password").write_text("correct horse battery\n")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("ASSAY_URL", f"http://127.0.0.1:{unused.getsockname()[1]}")
        monkeypatch.setattr(connection, "PATIENCE_S", 0.0)
        options = ("--user", "grace", "--password-file", str(tmp_path / "password"))
        began = time.monotonic()
        assert _run(monkeypatch, *LIMITED, *options) == 2
    assert time.monotonic() - began < 10


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
