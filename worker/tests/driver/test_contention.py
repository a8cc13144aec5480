"""A run whose target, disk or machine is held by another test: it queues and names the holder."""

import json
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.tables.database import writing
from assay.tables.hosts import Host
from assay_worker import install
from testing.installation import (
    BOTH,
    SLOW,
    Installation,
    dispatch,
    drive,
    files_below,
    try_now,
    wait_until,
)

PLAN = """plan v=2 job=matrix run=by-hand generation=1 watch_ms=600000 sample_ms=100
target path={target} reserve_bytes=0
trial position=0 attempt=1 operation=write file_size=1073741824 block=512 threads=1 files=1 \
layout=fresh cache=page open=rws timeout_ms=600000 sync_timeout_ms=60000
end
"""


@contextmanager
def probe_by_hand(home: Path, target: Path) -> Iterator[str]:
    """A manually started probe; its test directory."""
    probe, run_dir = install.build("x86_64"), home / "by-hand"
    plan = PLAN.format(target=target)
    start = [probe, "start", run_dir]
    wait_until(  # a killed one may take a moment to go
        lambda: subprocess.run(start, input=plan, text=True, check=False).returncode == 0
    )
    hello = json.loads((run_dir / "events.ndjson").read_text().splitlines()[0])
    try:
        yield f"{target}/{hello['workdir']}"
    finally:
        subprocess.run([probe, "stop", run_dir, "--generation", "2"], check=True)


@BOTH
def test_a_run_queues_while_a_manually_started_probe_holds_its_target(
    installation: Installation, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    run_id = installation.launch(installation.target(installation.local_host(), scratch))
    with probe_by_hand(tmp_path, scratch) as workdir:
        drive(run_id)
        run = installation.run(run_id)
        assert run.state == "queued"
        assert run.waits_for is not None
        assert run.waits_for["kind"] == "target_busy"
        assert run.waits_for["what"].startswith("another test holds this target: run by-hand on")
        assert workdir in run.waits_for["what"]
        since = run.waits_for["since"]
        assert installation.reservations(run_id) == []
        assert files_below([installation.home / "runs"]) == []
        try_now(run_id)
        run = installation.run(run_id)
        assert run.waits_for is not None
        assert run.waits_for["since"] == since
        assert installation.notices(run_id) == ["target_busy"]
    try_now(run_id)
    assert installation.run(run_id).state == "done"
    assert files_below([scratch]) == []


def test_a_run_that_queues_for_another_test_can_be_canceled(
    installation: Installation, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    run_id = installation.launch(installation.target(installation.local_host(), scratch))
    with probe_by_hand(tmp_path, scratch):
        drive(run_id)
        installation.cancel(run_id)
        dispatch()
        assert installation.run(run_id).state == "cancelled"


def test_a_run_whose_probe_died_continues_after_the_other_test(
    installation: Installation, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    target = installation.target(installation.local_host(), scratch)
    run_id = installation.launch(target, **SLOW | {"repeats": 5, "timeout_ms": 1000})
    installation.drive_until(run_id, lambda: installation.run(run_id).trials_done > 0)
    installation.kill_probe(run_id)
    with probe_by_hand(tmp_path, scratch):
        drive(run_id)
        run = installation.run(run_id)
        assert run.state == "running"
        assert "Another test holds the target" in (run.state_reason or "")
    try_now(run_id)
    run = installation.run(run_id)
    assert (run.state, run.trials_done) == ("done", run.trials_total)


def running_twins(installation: Installation, tmp_path: Path) -> tuple[int, int]:
    """One machine, registered twice and not inspected yet; a run on each entry."""
    hosts = [installation.local_host(name) for name in ("box", "box again")]
    targets = [installation.target(host, tmp_path / f"scratch-{host}") for host in hosts]
    with writing() as session:
        for host in hosts:
            session.get_one(Host, host).boot_id = None
    first = installation.launch(targets[0], **SLOW | {"timeout_ms": 60_000, "open_mode": "rws"})
    return first, installation.launch(targets[1])


@BOTH
def test_a_machine_registered_twice_measures_one_run_at_a_time(
    installation: Installation, tmp_path: Path
) -> None:
    first, second = running_twins(installation, tmp_path)
    assert set(dispatch()) == {first, second}, "nothing is known of the machine yet"
    installation.drive_until(first, lambda: installation.run(first).state == "running")
    drive(second)
    run = installation.run(second)
    assert run.state == "queued"
    assert run.waits_for is not None
    assert run.waits_for["what"] == f"the machine of box again is busy with run {first}: Write"
    assert run.waits_for["kind"] == "machine"
    try_now(second)  # now the dispatcher knows it, too
    run = installation.run(second)
    assert run.state == "queued"
    assert run.waits_for is not None
    assert "is busy with run" in run.waits_for["what"]
    installation.cancel(first)
    installation.drive_to_the_end(first)
    installation.drive_to_the_end(second)
    assert installation.run(second).state == "done"


def test_a_reboot_since_the_last_check_is_detected_at_the_start(
    installation: Installation, tmp_path: Path
) -> None:
    first, second = running_twins(installation, tmp_path)
    with writing() as session:  # each was seen in another, earlier boot
        for run_id in (first, second):
            host = session.get_one(Host, installation.participant(run_id).host_id)
            host.machine_id, host.boot_id = "m", str(uuid.uuid4())
    assert set(dispatch()) == {first, second}
    installation.drive_until(first, lambda: installation.run(first).state == "running")
    drive(second)
    run = installation.run(second)
    assert run.state == "queued"
    hosts = {
        installation.host(installation.participant(r).host_id).boot_id for r in (first, second)
    }
    assert len(hosts) == 1, "both were refreshed"
    installation.cancel(first)
    installation.drive_to_the_end(first)
