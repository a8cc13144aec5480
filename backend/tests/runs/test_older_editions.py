"""Results that were stored by older editions of the rules: what they lack gets what held then.

The bodies in `stored/` are as those editions stored them.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from assay.db.database import writing
from assay.kinds.matrix.result import MatrixResult
from assay.kinds.sustained.result import SustainedResult
from assay.runs.models import Result, Run
from assay.runs.stored_results import add
from testing.api import Appliance, on_sqlite

STORED = sorted((Path(__file__).parent / "stored").glob("*.json"))
TESTS: dict[str, dict[str, Any]] = {
    "sustained": {"kind": "sustained", "title": "Long write", "length": 10**9, "cache": "page"},
    "matrix": {
        "kind": "matrix",
        "operation": "write",
        "title": "Write",
        "block": [65536],
        "threads": [1],
        "files": 1,
        "file_size": 20_000_000,
    },
}


@on_sqlite
@pytest.mark.parametrize("stored", STORED, ids=lambda path: path.stem)
def test_a_result_of_an_older_edition_is_shown(appliance: Appliance, stored: Path) -> None:
    body = json.loads(stored.read_text())
    test = TESTS[body["kind"]]
    profile = appliance.operator.post("/profiles", {"name": "Old", "body": {"tests": [test]}})
    target = appliance.target(appliance.host())
    plan = {"profile_id": profile.json()["id"], "target_ids": [target]}
    launched = appliance.operator.post("/campaigns", plan)
    assert launched.status_code == 201, launched.text
    run_id = launched.json()["runs"][0]["id"]
    outcome = {
        "headline": body["headline"],
        "headline_bytes_per_s": None,
        "headline_levels": None,
        "best_bytes_per_s": body["best_bytes_per_s"],
        "best_trial_id": None,
    }
    with writing() as session:
        run = session.get_one(Run, run_id)
        run.state, run.ended_at = "done", run.created_at
        edition = body["edition"]
        body |= {"run_id": run_id}
        kept = Result(run_id=run_id, rules=edition, outcome=outcome, sparkline=[], body=body)
        add(session, run, kept)
    shown = appliance.viewer.get(f"/runs/{run_id}/result")
    assert shown.status_code == 200, shown.text
    found = shown.json()
    assert found["edition"] == edition
    assert {one["role"] for one in found["participants"]} == {"writer"}
    assert len(found["cells"]) == len(body["cells"])
    assert appliance.viewer.get(f"/runs/{run_id}").json()["headline"]["kind"] == body["kind"]
    assert appliance.viewer.get(f"/runs/{run_id}/result.csv").status_code == 200


def test_the_fields_that_are_new_have_what_held_then() -> None:
    (old,) = (json.loads(one.read_text()) for one in STORED if one.stem == "sustained-edition-9")
    found = SustainedResult.model_validate(old)
    assert (found.cache, found.priority, found.io_priority) == ([], ["normal"], ["default"])
    (cell,) = found.cells
    assert (cell.operation, cell.idle_ms, cell.backlogs, cell.paced_apart) == (
        "write",
        0,
        [],
        False,
    )
    assert cell.carry
    assert {one.reason for one in cell.carry} == {None}
    assert found.headline is not None
    assert found.headline.figure is not None
    assert found.headline.figure.shape is None


def test_a_field_that_an_edition_had_must_be_there() -> None:
    """Only what is new is filled in: a result that lacks more is not read as one."""
    (old,) = (json.loads(one.read_text()) for one in STORED if one.stem == "matrix-edition-9")
    with pytest.raises(ValueError, match="cells"):
        MatrixResult.model_validate({name: old[name] for name in old if name != "cells"})
