"""Others use the disk of a trial: what they moved is told, and the verdict leaves the rate open."""

import os
import subprocess
import sys
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from assay.analysis.flags import Flag
from assay.kinds.matrix.result import MatrixResult
from assay.runs.results import judge
from assay.tables.database import reading
from assay.tables.runs import Run
from assay.tables.targets import Target
from lab import GIB, MIB, Disk, Host, Lab
from lab.commands import call
from testing.api import Appliance
from testing.installation import Installation, wait_until

pytestmark = pytest.mark.alone

RATE = 100 * MIB

WRITER = """
import mmap, os, sys, time
place, rate, seconds, processes = sys.argv[1], *map(float, sys.argv[2:])
for _ in range(int(processes) - 1):
    if not os.fork():
        break
block = mmap.mmap(-1, 1 << 20)
block.write(os.urandom(1 << 20))
file = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_DIRECT, 0o600)
began = time.monotonic()
number = 0
while time.monotonic() < began + seconds:
    os.pwrite(file, block, (number % 256) << 20)
    number += 1
    time.sleep(max(0.0, began + (number << 20) / rate - time.monotonic()))
"""
"""Writes to a file or device with direct I/O: rate at most, seconds, number of processes."""


@contextmanager
def writer(place: Path, rate: int) -> Generator[None]:
    """Write there at most at `rate` bytes per second, as another process of the machine."""
    words = [sys.executable, "-c", WRITER, str(place), str(rate), "600", "1"]
    with subprocess.Popen(words) as process:
        try:
            yield
            assert process.poll() is None
        finally:
            process.kill()


def write_as_root(host: Host, disk: Disk, seconds: float) -> None:
    """Write to the disk's file system by a process that the probe's user cannot see."""
    place = host.target(disk) / "other"
    host.run_as_root(sys.executable, "-c", WRITER, place, str(RATE), str(seconds), "4")


def launched(
    api: Appliance, target_id: int, *criteria: str, **parameters: object
) -> tuple[int, int]:
    """Launch a matrix of one cell with criteria; return the campaign's and the run's id."""
    test = {
        "kind": "matrix",
        "title": "Write",
        "operation": "write",
        "cache": "direct",
        "block": [MIB],
        "threads": [2],
        "files": 2,
        "repeats": 1,
        "sample_ms": 100,
        **parameters,
    }
    body = {"tests": [test], "criteria": [{"criterion": one} for one in criteria]}
    made = api.operator.post(
        "/profiles", {"name": f"Contention {os.urandom(4).hex()}", "body": body}
    )
    assert made.status_code == 201, made.text
    asked = {"profile_id": made.json()["id"], "target_ids": [target_id]}
    answer = api.operator.post("/campaigns", asked)
    assert answer.status_code == 201, answer.text
    (run,) = answer.json()["runs"]
    return answer.json()["id"], run["id"]


def result_of(run_id: int) -> MatrixResult:
    with reading() as session:
        found = judge(session, session.get_one(Run, run_id))
    assert isinstance(found, MatrixResult)
    return found


def flag_of(result: MatrixResult, code: str) -> Flag | None:
    (cell,) = result.cells
    return next((flag for flag in cell.flags if flag.code == code), None)


def outcomes(api: Appliance, campaign_id: int) -> dict[str, str]:
    verdict = api.operator.get(f"/campaigns/{campaign_id}/verdict").json()
    return {row["criterion"]: row["outcome"] for one in verdict["runs"] for row in one["rows"]}


def ready(installation: Installation, target_id: int) -> None:
    with reading() as session:
        host_id = session.get_one(Target, target_id).host_id
    assert installation.check(host_id).error is None


def test_a_writer_on_another_partition_is_told_with_its_bytes(
    installation: Installation,
    api: Appliance,
    lab: Lab,
    target_on: Callable[[Host, Disk], int],
) -> None:
    disk = lab.partitioned_disk("a", 3 * GIB, write=RATE)
    target_id = target_on(lab.host("one", disk), disk)
    ready(installation, target_id)
    rate = "app.mean(block=1 MiB, threads=2)"
    limits = f"{rate} >= 90 MB/s", f"{rate} >= 30 MB/s"
    campaign_id, run_id = launched(api, target_id, *limits, file_size=256 * MIB)
    with writer(disk.neighbor, RATE // 3):
        before = disk.neighbor_moved.written
        installation.drive_to_the_end(run_id, 60)
        moved = disk.neighbor_moved.written - before
    result = result_of(run_id)
    flag = flag_of(result, "contended")
    print(result.headline, flag)
    assert flag is not None, result
    neighbors, own = flag.figures["neighbors_bytes"], flag.figures["bytes"]
    (cell,) = result.cells
    assert cell.application is not None
    took = own / cell.application.mean
    assert own + neighbors == pytest.approx(took * RATE, rel=0.1), "together they had the disk"
    assert 0.1 * own < neighbors <= moved
    assert f"on the disk {disk.disk_name}" in flag.evidence
    assert outcomes(api, campaign_id) == dict(zip(limits, ("inconclusive", "pass"), strict=True))


@dataclass(frozen=True)
class Part:
    """When others write: after so many bytes of the disk, for so many seconds."""

    after: int
    seconds: float


@pytest.mark.parametrize(
    "other",
    [Part(400 * MIB, 3), Part(0, 7)],
    ids=["in the middle", "until midway"],
)
def test_others_that_end_before_the_trial_are_told_with_their_time(
    installation: Installation,
    api: Appliance,
    lab: Lab,
    target_on: Callable[[Host, Disk], int],
    other: Part,
) -> None:
    disk = lab.disk("a", 3 * GIB, write=RATE)
    host = lab.host("one", disk)
    target_id = target_on(host, disk)
    ready(installation, target_id)
    rate = "app.mean(block=1 MiB, threads=2)"
    limits = f"{rate} >= 102 MB/s", f"{rate} >= 30 MB/s"
    campaign_id, run_id = launched(api, target_id, *limits, file_size=550 * MIB)
    before = disk.moved.written
    with ThreadPoolExecutor(1) as pool:
        driving = pool.submit(installation.drive_to_the_end, run_id, 90)
        moved = max(other.after, 8 * MIB)
        wait_until(lambda: disk.moved.written - before >= moved, 40, "the trial's first bytes")
        write_as_root(host, disk, other.seconds)
        driving.result()
    result = result_of(run_id)
    flag = flag_of(result, "contended")
    (cell,) = result.cells
    print(cell.application, cell.flags, cell.trials[0].contention)
    assert flag is not None, cell.trials[0].contention
    assert flag_of(result, "cliff") is None, "it is no finding about the disk"
    begin, end = flag.figures["from_ns"] / 1e9, flag.figures["until_ns"] / 1e9
    assert begin == pytest.approx(other.after / RATE, abs=1)
    assert end - begin == pytest.approx(other.seconds, abs=1)
    extra = disk.moved.written - before - flag.figures["bytes"]
    assert flag.figures["moved_bytes"] == pytest.approx(extra, rel=0.15)
    assert f"From {begin:.1f} to {end:.1f} s other I/O moved" in flag.evidence
    assert outcomes(api, campaign_id) == dict(zip(limits, ("inconclusive", "pass"), strict=True))


def test_a_trial_alone_on_its_disk_is_not_contended(
    installation: Installation,
    api: Appliance,
    lab: Lab,
    target_on: Callable[[Host, Disk], int],
) -> None:
    disk = lab.disk("a", 2 * GIB, write=RATE)
    target_id = target_on(lab.host("one", disk), disk)
    ready(installation, target_id)
    _, run_id = launched(api, target_id, "app.mean >= 90 MB/s", file_size=400 * MIB)
    installation.drive_to_the_end(run_id, 60)
    result = result_of(run_id)
    (cell,) = result.cells
    (trial,) = cell.trials
    assert trial.contention is not None
    assert trial.contention.state == "none", trial.contention


def test_a_journal_of_data_is_the_disks_and_no_cache(
    installation: Installation,
    api: Appliance,
    lab: Lab,
    target_on: Callable[[Host, Disk], int],
) -> None:
    """The device receives everything twice, and the pages stay in memory."""
    disk = lab.disk("a", 3 * GIB, write=RATE)
    call("tune2fs", "-o", "journal_data", disk.device)
    target_id = target_on(lab.host("one", disk), disk)
    ready(installation, target_id)
    _, run_id = launched(api, target_id, "durable.mean >= 30 MB/s", file_size=300 * MIB)
    installation.drive_to_the_end(run_id, 60)
    (attempt,) = installation.attempts(run_id)
    assert attempt.result is not None
    assert attempt.result["dev_durable_bytes"] > 1.9 * attempt.bytes, "it is a journal of data"
    (cell,) = result_of(run_id).cells
    (trial,) = cell.trials
    print(trial, cell.served_by)
    assert cell.served_by is not None and cell.served_by.durable is not None
    assert cell.served_by.durable.source == "device", cell.served_by
    assert "contended" not in [flag.code for flag in trial.flags]
