"""Commands for what was measured: verdicts, waivers, criteria, comparisons, notes and files."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from assay.tables.database import writing
from assay.tables.targets import Target
from sqlalchemy import update
from testing.api import FOUND, Appliance
from testing.command_line import Shell
from testing.furnished import Furnished
from testing.seeds import seed_ended_run

TOMORROW = str((datetime.now(UTC) + timedelta(days=1)).date())
CRITERION = "durable.mean >= 1250 MB/s"
"""What the furnished run failed."""


@pytest.fixture
def ids(appliance: Appliance) -> dict[str, int]:
    return Furnished(appliance).ids


def test_a_verdict_decides_the_exit_code_until_it_is_waived(
    shell: Shell, ids: dict[str, int]
) -> None:
    run, campaign = str(ids["run_id"]), str(ids["campaign_id"])
    assert CRITERION in shell("run", "verdict", run, code=99)
    assert "failed its criteria" in shell("campaign", "verdict", campaign, code=99)
    assert "pass" in shell("campaign", "judge", campaign, "durable.mean >= 4 MB/s")
    shell("campaign", "judge", campaign, "path.rate >= 4 MB/s", code=98)
    waive = ("run", "waive", run, CRITERION, "--reason", "known bug", "--until", TOMORROW)
    assert "known bug" in shell(*waive)
    assert shell.json("run", "verdict", run, "--json")["rows"][0]["outcome"] == "waived"
    assert "known bug" in shell("campaign", "verdict", campaign)


def test_a_waiver_of_what_there_is_not_names_the_criteria(
    shell: Shell, ids: dict[str, int]
) -> None:
    run = str(ids["run_id"])
    until = ("--reason", "x", "--until")
    said = shell("run", "waive", run, "durable.mean >= 1250 GB/s", *until, TOMORROW, code=2)
    assert f"`{CRITERION}`" in said
    assert "2027-01-31" in shell("run", "waive", run, "0", *until, "tomorrow", code=2)
    assert shell.json("api", "GET", f"/runs/{run}/verdict")["rows"][0]["waiver"] is None


def test_criteria_are_checked_against_the_tests_of_a_profile(shell: Shell) -> None:
    said = shell("criterion", "check", "durable.mean >= 1 GB/s")
    assert "at least 1 GB/s" in " ".join(said.split())
    mistaken = shell("criterion", "check", "durable.meen >= 1 GB/s", code=1)
    assert "durable.mean" in mistaken
    matrix = ("--profile", "FileCatalyst default write")
    shell("criterion", "check", "durable.mean >= 1 GB/s", *matrix)
    shell("criterion", "check", "steady", *matrix, code=1)
    listed = shell.json("criterion", "metrics", "--kind", "matrix", "--json")
    assert {one["kind"] for one in listed} == {"matrix"}


def test_runs_are_compared_with_those_that_are_suggested(shell: Shell, ids: dict[str, int]) -> None:
    with writing() as session:
        other = seed_ended_run(session).id
        session.execute(update(Target).values(facts=FOUND))
    run = str(ids["run_id"])
    found = shell.json("run", "comparable", run, "--json")
    assert [one["id"] for one in found["candidates"]] == [other]
    said = shell("compare", run, str(other))
    assert f"run {other} beside run {run}" in said
    assert "differing conditions" in said and "EPYC 7343" in said
    assert "within noise" in said
    assert f"At their best, run {run} and run {other} are equal within noise: " in said
    assert shell.json("compare", run, str(other), "--json")["outcome"]
    assert "runs" in shell("compare", run, code=2)


def test_notes_are_written_by_name_and_removed(
    shell: Shell, ids: dict[str, int], tmp_path: Path
) -> None:
    (tmp_path / "note.md").write_text("# Fan\nreplaced\n")
    shell("array", "note", "array-1", "--file", str(tmp_path / "note.md"))
    assert shell("array", "note", "array-1") == "# Fan\nreplaced\n"
    run = str(ids["run_id"])
    assert shell.json("run", "note", run, "Slow", "--json")["text"] == "Slow"
    shell("run", "note", run, "")
    assert shell("run", "note", run) == ""
    assert "not both" in shell("run", "note", run, "a", "--file", "b", code=2)


def test_a_plan_is_estimated_and_launched_from_a_file(
    shell: Shell, ids: dict[str, int], appliance: Appliance, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(shell("campaign", "plan", str(ids["campaign_id"])))
    estimate = shell.json("campaign", "launch", str(plan), "--estimate", "--json")
    assert estimate["fits"] is True
    rerun = ("campaign", "rerun", str(ids["campaign_id"]), "--estimate")
    assert "trials" in shell(*rerun)
    assert len(appliance.viewer.get("/campaigns").json()["items"]) == 1
    body = json.loads(plan.read_text())
    plan.write_text(json.dumps(body | {"overrides": {"file_size": "1000 TB"}}))
    assert "free" in shell("campaign", "launch", str(plan), "--estimate", code=1)
    plan.write_text(json.dumps(body | {"name": "from a file"}))
    launched = shell.json("campaign", "launch", str(plan), "--json")["campaign"]
    assert launched["name"] == "from a file"
    saved = shell.json("campaign", "save-profile", str(launched["id"]), "Saved", "--json")
    assert saved["slug"] == "saved"


def test_a_download_gets_its_name_when_it_is_complete(
    shell: Shell, ids: dict[str, int], tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    run, file = str(ids["run_id"]), folder / "result.csv"
    shell("run", "download", run, "result.csv", "-o", str(file))
    assert file.read_text().startswith("block_bytes,threads,")
    assert "<svg" in shell("run", "download", run, "result.svg")
    nowhere = ("-o", str(folder / "no" / "result.csv"))
    assert "--output" in shell("run", "download", run, "result.csv", *nowhere, code=2)
    shell("run", "download", "999", "events.ndjson", "-o", str(folder / "events"), code=2)
    assert list(folder.iterdir()) == [file]


def test_the_series_of_a_trial_is_a_table_or_all_its_columns(
    shell: Shell, ids: dict[str, int]
) -> None:
    trial = str(ids["trial_id"])
    assert "10.0 MB/s" in shell("trial", "samples", trial)
    columns = shell.json("trial", "samples", trial, "--json")["columns"]
    assert columns["rate_mean_bytes_per_s"] == [10_000_000]
    assert len(columns) > 20
    assert "complete" in shell("run", "trials", str(ids["run_id"]))
