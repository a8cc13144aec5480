import threading
from pathlib import Path

import pytest
from assay.db.database import writing
from assay.hosts.models import Check
from assay.messaging.queue import enqueue
from assay_worker.driver.slots import Slots
from testing.installation import SLOW, Installation, is_over, probes_of, wait_until


def test_a_check_does_not_wait_behind_slices(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_WORKER_THREADS", "2")
    hosts = [installation.local_host(f"entry {number}") for number in range(7)]
    runs = [
        installation.launch(
            installation.target(host, tmp_path / f"scratch{host}"), repeats=4, **SLOW
        )
        for host in hosts
    ]
    with writing() as session:
        check = Check(host_id=hosts[0], kind="host", request={})
        session.add(check)
        session.flush()
    for run_id in runs:
        enqueue("assay.drive_run", run_id)
    enqueue("assay.run_check", check.id)
    installation.start_worker()
    wait_until(lambda: installation.answered(check.id))
    assert sum(is_over(installation, run_id)() for run_id in runs) < 4
    # the entries are one machine, so without a scheduler only the first of the runs ever measures
    for run_id in runs:
        installation.cancel(run_id)
    wait_until(lambda: not probes_of(tmp_path), 40)


def test_runs_beyond_the_slots_hold_no_thread_and_follow_in_their_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[int] = []
    go = threading.Event()

    def drive(run_id: int) -> None:
        begun.append(run_id)
        go.wait(10)

    monkeypatch.setattr("assay_worker.driver.slots.drive", drive)
    slots = Slots(1)
    first = threading.Thread(target=slots.drive, args=[1])
    first.start()
    wait_until(lambda: begun)
    for run_id in (2, 3, 2):
        slots.drive(run_id)
    assert begun == [1]
    go.set()
    first.join(10)
    assert begun == [1, 2, 3]
