"""A slow disk behind memory: buffered writes fall once memory is full, direct ones are level."""

from collections.abc import Callable
from typing import Any

import pytest
from assay.kinds.sustained.figures import SustainedCell, SustainedTrial
from assay.kinds.sustained.result import SustainedResult
from assay.runs.results import judge
from assay.tables.database import reading
from assay.tables.runs import Run
from assay.tables.targets import Target
from lab import GIB, MIB, Disk, Host, Lab
from testing.api import Appliance
from testing.installation import MB, Installation
from testing.unwritten import little_memory_for_writes

pytestmark = [pytest.mark.alone, pytest.mark.nightly]

DISK = 40 * MIB
OFFERED = 120 * MB


def paced(cache: str) -> dict[str, Any]:
    return {
        "kind": "sustained",
        "title": cache,
        "cache": cache,
        "length": "12 s",
        "block": [MIB],
        "pace": "rate",
        "rate_bytes_per_s": [OFFERED],
        "mark_bytes": 10 * MIB,
        "sample_ms": 100,
    }


def measured(run_id: int) -> tuple[SustainedCell, SustainedTrial]:
    with reading() as session:
        result = judge(session, session.get_one(Run, run_id))
    assert isinstance(result, SustainedResult)
    (cell,) = result.cells
    (trial,) = cell.trials
    print(trial)
    return cell, trial


def test_buffered_writes_fall_once_memory_is_full_and_direct_ones_stay_level(
    installation: Installation,
    api: Appliance,
    lab: Lab,
    target_on: Callable[[Host, Disk], int],
) -> None:
    disk = lab.disk("a", 3 * GIB, write=DISK, in_memory=True)
    target_id = target_on(lab.host("one", disk), disk)
    with reading() as session:
        host_id = session.get_one(Target, target_id).host_id
    assert installation.check(host_id).error is None
    body = {
        "tests": [paced("page"), paced("direct")],
        "criteria": [{"criterion": "cliff.after > 5 GB"}, {"criterion": "app.min >= 100 MB/s"}],
    }
    made = api.operator.post("/profiles", {"name": "Buffered against direct", "body": body})
    assert made.status_code == 201, made.text
    asked = {"profile_id": made.json()["id"], "target_ids": [target_id]}
    launched = api.operator.post("/campaigns", asked)
    assert launched.status_code == 201, launched.text
    buffered, direct = (run["id"] for run in launched.json()["runs"])
    with little_memory_for_writes():
        installation.drive_to_the_end(buffered, 120)
    installation.drive_to_the_end(direct, 120)

    cell, trial = measured(buffered)
    assert trial.levels is not None
    fast, *_, slow = trial.levels.held
    assert fast.bytes_per_s == pytest.approx(OFFERED, rel=0.1)
    assert slow.bytes_per_s == pytest.approx(DISK, rel=0.3)
    assert cell.peak_ns is not None
    shares = {point.share: point.ns for point in cell.latency}
    assert cell.peak_ns > 10 * shares[0.1], "the kernel delays writers once memory is full"

    cell, trial = measured(direct)
    assert trial.levels is None
    assert trial.application_bytes_per_s == pytest.approx(DISK, rel=0.05)
    assert trial.backlog_end_bytes == pytest.approx(12 * (OFFERED - DISK), rel=0.1)
    too_fast = [one for one in cell.carry if 1.1 * DISK < one.bytes_per_s <= OFFERED]
    assert {one.carried for one in too_fast} == {"no"}

    verdict = api.operator.get(f"/campaigns/{launched.json()['id']}/verdict").json()
    assert verdict["outcome"] == "fail"
    of_run = {
        one["run_id"]: {row["criterion"]: row["outcome"] for row in one["rows"]}
        for one in verdict["runs"]
    }
    # the cliff was that of memory; and without one, so little data excludes none
    assert {rows["cliff.after > 5 GB"] for rows in of_run.values()} == {"inconclusive"}
    assert {rows["app.min >= 100 MB/s"] for rows in of_run.values()} == {"fail"}
