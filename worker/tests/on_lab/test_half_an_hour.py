"""A sustained trial of half an hour through the death of its worker and a reboot of its host."""

import os
import signal
import time
from collections.abc import Callable

import pytest
from assay.kinds.sustained.result import SustainedResult
from assay.runs.lifecycle import FINAL
from assay.runs.results import judge
from assay.tables.database import reading
from assay.tables.runs import Run
from assay.tables.targets import Target
from lab import GIB, MIB, Disk, Host, Lab
from testing.api import Appliance
from testing.installation import MB, Installation

pytestmark = [pytest.mark.alone, pytest.mark.nightly, pytest.mark.timeout(3000)]

MINUTES = int(os.environ.get("ASSAY_TEST_MINUTES", "30"))
SECOND = 10**9
RATE = 40 * MIB


def test_a_trial_outlives_its_worker_and_a_reboot_of_its_host(
    installation: Installation,
    api: Appliance,
    lab: Lab,
    target_on: Callable[[Host, Disk], int],
) -> None:
    disk = lab.disk("a", 2 * GIB, write=RATE)
    host = lab.host("one", disk)
    target_id = target_on(host, disk)
    with reading() as session:
        host_id = session.get_one(Target, target_id).host_id
    assert installation.check(host_id).error is None
    ring = {"file_mode": "ring", "file_size": 256 * MIB, "ring_files": 4, "mark_bytes": 40 * MIB}
    test = {"kind": "sustained", "title": "Half an hour", "cache": "direct", "block": [MIB]}
    body = {"tests": [test | ring | {"length": f"{60 * MINUTES} s"}]}
    made = api.operator.post("/profiles", {"name": "Half an hour", "body": body})
    assert made.status_code == 201, made.text
    asked = {"profile_id": made.json()["id"], "target_ids": [target_id]}
    launched = api.operator.post("/campaigns", asked)
    assert launched.status_code == 201, launched.text
    run_id = launched.json()["runs"][0]["id"]
    installation.start_scheduler()
    worker = installation.start_worker()

    def wait_for_minute(minute: float) -> None:
        limit = time.monotonic() + 60 * minute + 120
        done = 0
        while done < 60 * minute * RATE * 0.9:
            assert time.monotonic() < limit, (installation.run(run_id).state, done)
            assert installation.run(run_id).state not in FINAL
            time.sleep(1)
            done = sum(one.marked_bytes for one in installation.attempts(run_id))

    wait_for_minute(MINUTES / 3)
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()
    installation.start_worker()
    wait_for_minute(2 * MINUTES / 3)
    host.reboot()
    limit = time.monotonic() + 60 * MINUTES
    while installation.run(run_id).state not in FINAL:
        assert time.monotonic() < limit
        time.sleep(1)
    assert installation.run(run_id).state == "done", installation.run(run_id).state_reason
    first, second = installation.attempts(run_id)
    assert (first.status, second.status) == ("interrupted", "complete")
    with reading() as session:
        found = judge(session, session.get_one(Run, run_id))
    assert isinstance(found, SustainedResult)
    (trial,) = found.cells[0].trials
    print(trial)
    assert [gap.what for gap in trial.gaps if gap.rested] == ["interrupted"]
    assert second.done_ns > 0.6 * 60 * MINUTES * SECOND, "it does not start anew"
    assert trial.duration_ns == pytest.approx(60 * MINUTES * SECOND, rel=0.01)
    assert trial.application_bytes_per_s == pytest.approx(RATE, rel=0.03)
    assert trial.levels is None
    assert {"probe_died", "rebooted", "resumed"} <= set(installation.notices(run_id))
    assert found.cells[0].peak_ns is not None
    print(f"{trial.bytes / MB:.0f} MB, peak {found.cells[0].peak_ns / 1e6:.0f} ms, {trial.gaps}")
