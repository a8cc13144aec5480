"""Random and mixed access with several operations in flight, by the real probe."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from assay.inventory.hosts.queries import newest_inventory
from assay.kinds.sustained.result import SustainedResult
from assay.runs.results import judge
from assay.tables.database import reading
from assay.tables.runs import Run
from testing.api import Appliance
from testing.assertions import assert_nothing_stays
from testing.exports import assert_exported
from testing.installation import MB, Installation

MIXED: dict[str, Any] = {
    "kind": "sustained",
    "operation": "mixed",
    "access": "random",
    "read_percent": 70,
    "title": "Random, 70 % reads",
    "length": 8 * MB,
    "cache": "page",
    "block": [4096],
    "file_size": 2 * MB,
    "streams": 2,
    "mark_bytes": 200_000,
    "sample_ms": 100,
}


def answered(
    installation: Installation, api: Appliance, host_id: int, folder: Path, **test: Any
) -> Any:
    """Launch the test and return the response."""
    target_id = installation.target(host_id, folder)
    assert installation.check(host_id).error is None
    body = {"name": "Mixed", "body": {"tests": [MIXED | test]}}
    profile = api.operator.post("/profiles", body)
    assert profile.status_code == 201, profile.text
    asked = {"profile_id": profile.json()["id"], "target_ids": [target_id]}
    return api.operator.post("/campaigns", asked)


def test_a_mixed_trial_has_its_share_of_reads_and_verifies_them(
    installation: Installation, api: Appliance, tmp_path: Path
) -> None:
    folder = tmp_path / "shared"
    answer = answered(installation, api, installation.local_host(), folder)
    assert answer.status_code == 201, answer.text
    run_id = answer.json()["runs"][0]["id"]
    installation.drive_to_the_end(run_id)
    assert (installation.run(run_id).state, installation.run(run_id).error) == ("done", None)
    with reading() as session:
        found = judge(session, session.get_one(Run, run_id))
    assert isinstance(found, SustainedResult)
    (cell,) = found.cells
    (trial,) = cell.trials
    assert (cell.operation, trial.status, trial.verify_errors) == ("mixed", "complete", 0)
    assert trial.footprint_bytes == pytest.approx(4 * MB, rel=0.01)
    read, write = trial.directions
    assert read.operations + write.operations == trial.operations
    assert read.operations == pytest.approx(0.7 * trial.operations, rel=0.01)
    assert read.bytes == 4096 * read.operations
    (attempt,) = installation.attempts(run_id)
    answer = api.operator.get(f"/trials/{attempt.trial_id}/samples")
    assert answer.status_code == 200, answer.text
    text = api.operator.get(f"/runs/{run_id}/result.csv").text
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["operation"], row["direction"]) == ("mixed", "mixed")
    assert_exported(run_id)
    assert_nothing_stays(tmp_path, folder)


def test_io_uring_sweeps_queue_depths_or_is_refused_as_the_host_says(
    installation: Installation, api: Appliance, tmp_path: Path
) -> None:
    folder, host_id = tmp_path / "shared", installation.local_host()
    answer = answered(
        installation, api, host_id, folder, engine="io_uring", queue_depth=[1, 8], order="given"
    )
    with reading() as session:
        inventory = newest_inventory(session, host_id)
    assert inventory
    uring = inventory.body["io_uring"]
    if not uring["available"]:
        assert answer.status_code == 422
        assert uring["reason"] in answer.json()["errors"][0]["message"]
        return
    run_id = answer.json()["runs"][0]["id"]
    installation.drive_to_the_end(run_id)
    assert (installation.run(run_id).state, installation.run(run_id).error) == ("done", None)
    with reading() as session:
        found = judge(session, session.get_one(Run, run_id))
    assert isinstance(found, SustainedResult)
    assert [cell.queue_depth for cell in found.cells] == [1, 8]
    assert [cell.trials[0].verify_errors for cell in found.cells] == [0, 0]
    assert_nothing_stays(tmp_path, folder)
