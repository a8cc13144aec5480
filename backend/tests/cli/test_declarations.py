"""`assay apply` and `assay export` against a served appliance."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml
from assay.api.declarations.yaml_text import read
from testing.api import Appliance
from testing.command_line import run

FILE = """\
name: lab
arrays:
  - name: vault
    vendor: Acme
hosts:
  - name: web-1
    connection: local
    labels: {rack: b7}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "qualification.yaml"
    path.write_text(FILE)
    return path


def test_apply_prints_the_plan_and_then_changes_nothing(
    port: int, file: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    asked = ("apply", "-f", str(file), "--wait", "0")
    assert run(monkeypatch, *asked, "--dry-run") == 0
    planned = capfd.readouterr().out
    assert "+ array   vault" in planned
    assert "Dry run, nothing was changed: 2 created" in planned
    assert run(monkeypatch, *asked) == 0
    assert "2 created" in capfd.readouterr().out
    assert run(monkeypatch, *asked) == 0
    assert "2 unchanged" in capfd.readouterr().out
    file.write_text(FILE.replace("Acme", "'[red]Bcme[/red]'"))
    assert run(monkeypatch, *asked) == 0
    assert '    vendor: "Acme" → "[red]Bcme[/red]"' in capfd.readouterr().out
    file.write_text("name: lab\n")
    assert run(monkeypatch, *asked) == 0
    assert "! array   vault" in capfd.readouterr().out
    assert run(monkeypatch, *asked, "--prune", "--json") == 0
    plan = json.loads(capfd.readouterr().out)
    assert {one["action"] for one in plan["changes"]} == {"remove"}


def test_a_mistake_exits_with_2_and_names_line_and_column(
    port: int, file: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    file.write_text(FILE.replace("vendor", "vender"))
    assert run(monkeypatch, "apply", "-f", str(file)) == 2
    shown = capfd.readouterr().err
    assert "line 4, column 5: arrays.0.vender: is unknown" in shown
    assert "Did you mean `vendor`?" in shown


def test_what_waits_exits_with_1(
    port: int,
    appliance: Appliance,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    file.write_text(FILE + "    targets: [{path: /mnt/a}]\n")
    assert run(monkeypatch, "apply", "-f", str(file), "--wait", "0") == 1
    shown = capfd.readouterr().out
    assert "? target  web-1/mnt/a" in shown
    assert "The host 'web-1' has not been checked. Check the host first." in shown


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_an_unreadable_file_exits_with_2(
    on: None,
    tmp_path: Path,
    content: bytes | None,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "file.yaml"
    if content is not None:
        path.write_bytes(content)
    assert run(monkeypatch, "apply", "-f", str(path)) == 2
    assert str(path) in capfd.readouterr().err.replace("\n", "")


def test_an_export_is_applied_again_without_changes(
    port: int, file: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "apply", "-f", str(file), "--wait", "0") == 0
    written = file.with_name("export.yaml")
    assert run(monkeypatch, "export", "-o", str(written)) == 0
    capfd.readouterr()
    assert run(monkeypatch, "apply", "-f", str(written), "--wait", "0") == 0
    assert "2 unchanged" in capfd.readouterr().out
    assert run(monkeypatch, "export", "--of", "lab") == 0
    assert read(capfd.readouterr().out).value == yaml.safe_load(FILE)


def test_the_schema_accepts_what_apply_accepts(
    on: None, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "apply", "--schema") == 0
    validator = jsonschema.Draft202012Validator(json.loads(capfd.readouterr().out))
    validator.check_schema(validator.schema)
    validator.validate(yaml.safe_load(FILE))
    assert not validator.is_valid(yaml.safe_load(FILE.replace("vendor", "vender")))
    assert not validator.is_valid({"arrays": []})
