"""`assay export-runs` and `assay retention`, against the API."""

import csv
import io
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from assay.client import Assay
from assay.runs.verdicts.stored import store_ended
from assay.tables.campaigns import Campaign
from assay.tables.clock import moment
from assay.tables.database import writing
from assay.tables.runs import Run
from sqlalchemy import update
from testing.api import Appliance
from testing.command_line import run
from testing.seeds import seed_ended_run

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def run_id(appliance: Appliance, port: int) -> int:
    """An ended run with three trials, forty days old."""
    assert appliance and port
    with writing() as session:
        run_id = seed_ended_run(session).id
    store_ended(run_id)
    with writing() as session:
        past = moment(-timedelta(days=40))
        session.execute(update(Campaign).values(created_at=past))
        session.execute(update(Run).values(ended_at=past, created_at=past))
    return run_id


def test_trials_are_exported_to_standard_output(
    run_id: int, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(monkeypatch, "export-runs", "--array", "array-1", "--kind", "matrix") == 0
    text = capfdbinary.readouterr().out.decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["run_id"] for row in rows] == [str(run_id)] * 3


def test_the_format_follows_the_name_of_the_file(
    run_id: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "samples.parquet"
    assert run(monkeypatch, "export-runs", "--rows", "samples", "-o", str(file)) == 0
    assert set(pq.read_table(file)["run_id"].to_pylist()) == {run_id}
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.usefixtures("run_id")
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--rows", "cells"), "rows"),
        (("--format", "xlsx"), "format"),
        (("--kind", "matrices"), "kind"),
        (("--array", "nowhere"), "there is no such array"),
        (("--compare", "1,2", "--kind", "matrix"), "exclude each other"),
        (("--compare", "1"), "runs"),
    ],
)
def test_what_cannot_be_exported_leaves_no_file(
    arguments: tuple[str, ...],
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    file = tmp_path / "runs.csv"
    assert run(monkeypatch, "export-runs", *arguments, "-o", str(file)) == 2
    assert why in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_retention_rules_are_set_previewed_and_requested(
    run_id: int, appliance: Appliance, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    assert run(monkeypatch, "retention", "show") == 0
    assert "samples: kept" in capsys.readouterr().out
    assert run(monkeypatch, "retention", "preview", "--samples", "30") == 0
    shown = capsys.readouterr().out
    assert "samples: 1 runs in 1 campaigns" in shown and f"run {run_id}" in shown
    assert appliance.viewer.get("/retention").json()["rules"]["samples"] is None
    assert run(monkeypatch, "retention", "set", "samples", "30", "--no-keep-labeled") == 0
    words = "samples: removed 30 days after the end, except campaigns with a reference"
    assert words in capsys.readouterr().out
    assert run(monkeypatch, "retention", "run") == 0
    assert appliance.viewer.get("/retention").json()["pending"] is True
    assert run(monkeypatch, "retention", "set", "samples", "never") == 0
    assert appliance.viewer.get("/retention").json()["rules"]["samples"] is None


@pytest.mark.usefixtures("run_id")
def test_rules_that_another_administrator_sets_meanwhile_are_kept(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    rule = {"older_than_days": 9, "keep_labeled": True, "keep_referenced": True}
    theirs = {"raw_logs": rule, "samples": None, "campaigns": None}
    read = Assay.get

    def read_too_early(self: Assay, path: str, **query: Any) -> Any:
        found = read(self, path, **query)
        appliance.admin.put("/retention", theirs)
        return found

    monkeypatch.setattr(Assay, "get", read_too_early)
    assert run(monkeypatch, "retention", "set", "samples", "30") != 0
    assert "changed" in capsys.readouterr().err
    assert appliance.viewer.get("/retention").json()["rules"] == theirs


@pytest.mark.usefixtures("run_id")
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("results", "30"), "Unknown rule 'results'"),
        (("samples", "soon"), "'soon' is no number of days"),
        (("samples", "0"), "older_than_days"),
    ],
)
def test_bad_retention_rules_are_refused(
    arguments: tuple[str, ...], why: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    assert run(monkeypatch, "retention", "set", *arguments) == 2
    assert why in capsys.readouterr().err
