"""Commands for the history of arrays, registered targets, search and the audit log."""

from dataclasses import asdict

import pytest
from assay.analysis.levels import HeldRate
from assay.cli.console import output
from assay.runs.stored_results import store
from assay.tables.database import now, writing
from assay.tables.hosts import Host
from assay.tables.runs import Participant, Result
from assay.tables.targets import Target
from sqlalchemy import select
from testing.api import FOUND, Appliance
from testing.command_line import Shell
from testing.furnished import Furnished
from testing.seeds import seed_ended_run


def moved(machine_id: str = "3d1219c7c4c5404aaa1f6d2a48adfda4") -> tuple[int, int]:
    """Measure a target, delete it and register it again; return both ids, the new one first."""
    with writing() as session:
        run = seed_ended_run(session)
        part = session.scalars(select(Participant).where(Participant.run_id == run.id)).one()
        earlier = session.get_one(Target, part.target_id)
        host = session.get_one(Host, part.host_id)
        host.machine_id, earlier.facts = machine_id, FOUND
        store(session, run)
        earlier.retired_at = now()
        session.flush()
        again = Target(
            host_id=host.id,
            name="again",
            path="/mnt/again",
            fs_type=earlier.fs_type,
            fs_source=earlier.fs_source,
            fs_uuid=earlier.fs_uuid,
            facts=FOUND,
        )
        session.add(again)
        session.flush()
        return again.id, earlier.id


def test_the_history_of_an_array_names_runs_and_other_tests(
    shell: Shell, appliance: Appliance
) -> None:
    Furnished(appliance)
    said = shell("array", "history", "array-1")
    assert "5.00 MB/s" in said
    assert "fail" in said
    assert "No run" in shell("array", "history", "array-1", "--title", "Read")
    found = shell.json("array", "history", "array-1", "--kind", "matrix", "--json")
    assert found["test"]["title"] == "Write"


def test_a_target_that_was_registered_again_gets_its_runs(shell: Shell) -> None:
    target, earlier = moved()
    assert "UUID" in shell("matches")
    (match,) = shell.json("matches", "--host", "host-1", "--json")["items"]
    assert (match["id"], match["earlier"]["id"]) == (target, earlier)
    assert shell("target", "match", "host-1/mnt/again", str(earlier), code=2)  # same or not?
    said = shell("target", "match", "host-1/mnt/again", str(earlier), "--same")
    assert "one run" in said
    runs = ("run", "list", "--target", str(target), "--json")
    assert len(shell.json(*runs)) == 1
    assert "decided" in shell("matches")
    shell("target", "unmatch", "host-1/mnt/again", str(earlier))
    assert shell.json(*runs) == []


def test_objects_are_found_by_words_and_lists_by_filters(
    shell: Shell, appliance: Appliance
) -> None:
    ids = Furnished(appliance).ids
    groups = shell.json("search", "own", "schedule", "--json")["groups"]
    assert [(one["type"], one["hits"][0]["id"]) for one in groups] == [
        ("schedule", ids["schedule_id"])
    ]
    shell("schedule", "run", "own schedule")
    for name in ("campaign", "run"):
        (found,) = shell.json(name, "list", "--schedule", "own schedule", "--json")
        several = ("--state", "done", "--state", found["state"])
        assert len(shell.json(name, "list", *several, "--json")) == 2
    (entry,) = shell.json("audit", "--words", "schedule.created", "--json")
    assert entry["object"].startswith("schedule")
    assert "schedule.created" in shell("audit", "--words", "schedule")
    assert shell.json("host", "list", "--label", "rack=b7", "--json") == []


def test_the_overview_names_results_and_problems(shell: Shell, appliance: Appliance) -> None:
    Furnished(appliance)
    said = shell("overview")
    assert "failed durable.mean >=" in said
    assert "5.00 MB/s" in said
    assert shell("health", code=1).count("ok") >= 2
    assert shell.json("overview", "--json")["running"] == []


def test_the_overview_has_both_levels_where_no_single_rate_held(
    shell: Shell, appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "width", 200)
    Furnished(appliance)
    second = 10**9
    levels = [
        asdict(HeldRate(rate, second, round(rate), at, at + second, 0, 0))
        for rate, at in ((350e6, 0), (41e6, second))
    ]
    with writing() as session:
        for stored in session.scalars(select(Result)):
            stored.outcome = stored.outcome | {"headline_levels": levels}
    said = " ".join(shell("overview").partition("Recent results")[2].split())
    assert "350 MB/s, then" in said and "41.0 MB/s" in said and "5.00 MB/s" not in said
