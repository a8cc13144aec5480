"""`assay tool`: listing, showing and defining the programs of transfers, and checks of hosts."""

import json
from pathlib import Path

import pytest
from assay.cli.console import output
from assay.kinds.programs import EXAMPLE
from testing.api import Appliance
from testing.command_line import run


def test_a_tool_is_defined_shown_listed_and_replaced(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(output, "width", 300)
    file = tmp_path / "tool.json"
    for description in ("first", "second"):
        file.write_text(json.dumps(dict(EXAMPLE) | {"description": description}))
        assert run(monkeypatch, "tool", "define", str(file)) == 0
    capsys.readouterr()
    assert run(monkeypatch, "tool", "show", str(EXAMPLE["name"]), "--json") == 0
    assert json.loads(capsys.readouterr().out)["description"] == "second"
    assert run(monkeypatch, "tool", "list") == 0
    shown = capsys.readouterr().out
    assert str(EXAMPLE["name"]) in shown and "rsync over ssh" in shown
    assert {one["action"] for one in appliance.audit()} >= {"tool.created", "tool.changed"}


def test_a_definition_that_is_refused_names_the_field(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    file = tmp_path / "tool.json"
    file.write_text(json.dumps(dict(EXAMPLE) | {"source_command": "cp {nowhere} x"}))
    assert run(monkeypatch, "tool", "define", str(file)) == 2
    assert "source_command" in capsys.readouterr().err


def test_unknown_tools_and_hosts_are_named(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(monkeypatch, "tool", "show", "nothing") == 2
    assert "'nothing'" in capsys.readouterr().err
    words = ("tool", "check", "scp", "--source", "moon", "--sink", "mars")
    assert run(monkeypatch, *words) == 2
    assert "'moon'" in capsys.readouterr().err
