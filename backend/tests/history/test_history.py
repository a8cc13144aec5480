"""The history of an array: one figure over time, and what changed meanwhile."""

from datetime import timedelta
from typing import Any

import pytest
from assay.runs.stored_results import store
from assay.tables.arrays import Array
from assay.tables.campaigns import Campaign
from assay.tables.database import now, writing
from assay.tables.hosts import Inventory
from assay.tables.runs import Participant, Run, StoredFigure
from assay.tables.targets import Target
from sqlalchemy import select, update
from testing.api import Appliance, problem
from testing.seeds import seed_ended_run

FIRST = "host-1 /mnt/a"


def measured(*, at: tuple[int, int, int] | None = None, **run: Any) -> tuple[int, int]:
    """Add a run that ended, a minute after the last one; return its id and that of its array.

    `at` are the host, the target and the array of an earlier one; by default it has its own.
    """
    with writing() as session:
        made = seed_ended_run(session)
        part = session.scalars(select(Participant).where(Participant.run_id == made.id)).one()
        made.started_at = now() + timedelta(minutes=made.id)
        for name, value in run.items():
            setattr(made, name, value)
        if at is not None:
            first = session.get_one(Run, min(session.scalars(select(Run.id))))
            of_first = session.get_one(Campaign, first.campaign_id)
            session.get_one(Campaign, made.campaign_id).profile_id = of_first.profile_id
            part.host_id, part.target_id, part.array_id = at
        store(session, made)
        assert part.array_id is not None
        return made.id, part.array_id


def place(array_id: int) -> tuple[int, int, int]:
    """Return host, target and array of the first run there."""
    with writing() as session:
        target = session.scalars(select(Target).where(Target.array_id == array_id)).one()
        return target.host_id, target.id, array_id


def inventory(run_id: int, **body: Any) -> None:
    """Change what the inspection at the start of a run found."""
    with writing() as session:
        part = session.scalars(select(Participant).where(Participant.run_id == run_id)).one()
        found = session.get_one(Inventory, part.inventory_id)
        found.body = found.body | body
        part.hello = {**(part.hello or {}), "kernel": body.get("kernel", "6.12")}


def mounted(options: str) -> list[dict[str, Any]]:
    return [{"mount": "/mnt/a", "type": "ext4", "source": "/dev/vda", "options": options}]


def history(appliance: Appliance, array: int, **query: Any) -> dict[str, Any]:
    answer = appliance.viewer.get(f"/arrays/{array}/history", **query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def changed(found: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [(one["run_id"], one["name"], one["before"], one["after"]) for one in found["changes"]]


def test_the_figure_is_the_headline_of_each_run_oldest_first(appliance: Appliance) -> None:
    first, array = measured()
    second, _ = measured(at=place(array))
    measured()  # of another array
    found = history(appliance, array)
    assert found["test"] == {
        "profile": "profile-1",
        "profile_name": "Matrix",
        "kind": "matrix",
        "title": "Write",
        "runs": 2,
    }
    assert found["tests"] == [found["test"]]
    assert [one["run_id"] for one in found["points"]] == [first, second]
    headlines = [
        appliance.viewer.get(f"/runs/{run}").json()["best_bytes_per_s"] for run in (first, second)
    ]
    assert [one["bytes_per_s"] for one in found["points"]] == headlines
    assert found["points"][0]["places"] == [FIRST]
    assert found["runs"] == 2
    assert history(appliance, array, limit=2)["points"] == found["points"]


def test_the_rate_of_a_point_is_that_of_the_table_of_figures(appliance: Appliance) -> None:
    run, array = measured()
    with writing() as session:
        session.execute(
            update(StoredFigure)
            .where(StoredFigure.run_id == run, StoredFigure.headline)
            .values(value=77.0)
        )
    assert [one["bytes_per_s"] for one in history(appliance, array)["points"]] == [77]


def test_changes_of_inventory_mount_options_and_firmware_are_dated(appliance: Appliance) -> None:
    first, array = measured()
    inventory(first, filesystems=mounted("rw,relatime"))
    with writing() as session:
        session.get_one(Array, array).firmware = "7.2"
        part = session.scalars(select(Participant).where(Participant.run_id == first)).one()
        part.array_identity = {"firmware": "7.1"}
    second, _ = measured(at=place(array))
    inventory(second, filesystems=mounted("rw,noatime"), kernel="6.13")
    third, _ = measured(at=place(array))
    inventory(third, filesystems=mounted("rw,noatime"), kernel="6.13")
    with writing() as session:
        parts = select(Participant).where(Participant.run_id.in_([second, third]))
        for part in session.scalars(parts):
            part.array_name = "array-1"
            part.array_identity = {"firmware": "7.2"}
    found = history(appliance, array)
    assert changed(found) == [
        (second, "kernel", "6.12", "6.13"),
        (second, "fs_options", "rw,relatime", "rw,noatime"),
        (second, "array_firmware", "7.1", "7.2"),
    ]
    assert [one["what"] for one in found["changes"]] == [
        "Kernel",
        "Mount options",
        "Array firmware",
    ]
    assert found["changes"][0]["places"] == [FIRST]
    assert found["changes"][0]["at"] == found["points"][1]["at"]


def test_the_same_change_at_two_places_is_one(appliance: Appliance) -> None:
    runs: list[int] = []
    first, array = measured()
    here = place(array)
    other, _ = measured()
    with writing() as session:
        target = session.scalars(select(Target).where(Target.array_id != array)).one()
        there = target.host_id, target.id, array
        run = session.get_one(Run, other)
        of_first = session.get_one(Run, first)
        profile = session.get_one(Campaign, of_first.campaign_id).profile_id
        session.get_one(Campaign, run.campaign_id).profile_id = profile
        part = session.scalars(select(Participant).where(Participant.run_id == other)).one()
        part.array_id = array
    for spot in (here, there):
        runs.append(measured(at=spot)[0])
    for run_id in (first, other, *runs):
        inventory(run_id, kernel="6.13" if run_id in runs else "6.12")
    with writing() as session:
        for part in session.scalars(select(Participant)):
            part.array_name = "array-1"
    found = history(appliance, array)
    assert changed(found) == [(runs[0], "kernel", "6.12", "6.13")]
    assert found["changes"][0]["places"] == [FIRST, "host-2 /mnt/a"]


def test_what_is_unknown_did_not_change(appliance: Appliance) -> None:
    first, array = measured()
    second, _ = measured(at=place(array))
    inventory(first, filesystems=mounted("rw"))
    with writing() as session:
        for part in session.scalars(select(Participant)):
            part.array_name = "array-1"
        part = session.scalars(select(Participant).where(Participant.run_id == second)).one()
        assert session.get_one(Inventory, part.inventory_id).body.get("filesystems") is None
    assert history(appliance, array)["changes"] == []


def test_another_test_can_be_chosen(appliance: Appliance) -> None:
    _, array = measured()
    measured(at=place(array))
    other, _ = measured(at=place(array), title="Rewrite")
    found = history(appliance, array)
    assert [(one["title"], one["runs"]) for one in found["tests"]] == [("Write", 2), ("Rewrite", 1)]
    chosen = history(appliance, array, title="Rewrite", profile="profile-1", kind="matrix")
    assert [one["run_id"] for one in chosen["points"]] == [other]
    assert chosen["tests"] == found["tests"]
    none = history(appliance, array, title="Never run")
    assert (none["test"], none["points"], none["tests"]) == (None, [], found["tests"])


def test_runs_that_failed_or_were_deleted_are_not_history(appliance: Appliance) -> None:
    first, array = measured()
    measured(at=place(array), state="failed")
    gone, _ = measured(at=place(array))
    with writing() as session:
        campaign = session.get_one(Run, gone).campaign_id
        session.get_one(Campaign, campaign).deleted_at = now()
    assert [one["run_id"] for one in history(appliance, array)["points"]] == [first]


def test_an_array_without_runs_has_an_empty_history(appliance: Appliance) -> None:
    array = appliance.operator.post("/arrays", {"name": "vault"}).json()["id"]
    empty: dict[str, Any] = {"tests": [], "test": None, "runs": 0, "points": [], "changes": []}
    assert history(appliance, array) == empty


@pytest.mark.parametrize(
    ("query", "status"),
    [({"limit": 1}, 422), ({"limit": 501}, 422), ({"kind": "none"}, 422), ({"profile": "?"}, 422)],
)
def test_bad_parameters_are_rejected(
    appliance: Appliance, query: dict[str, Any], status: int
) -> None:
    _, array = measured()
    problem(appliance.viewer.get(f"/arrays/{array}/history", **query), status, "invalid")


def test_an_unknown_array_is_not_found(appliance: Appliance) -> None:
    problem(appliance.viewer.get("/arrays/9/history"), 404, "not_found")
