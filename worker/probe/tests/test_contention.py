"""Other traffic on a disk is distinguished from the probe's. Needs root and fio."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from probe_driver import LONG, Probe, moments, of
from test_disks import on_disk

TRIAL = {"file_size": 64 << 20, "block": 1 << 20, "cache": "direct"}


def written(point: Path) -> int:
    """Return the bytes that the disk below a mount has written."""
    device = point.stat().st_dev
    words = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat").read_text().split()
    return int(words[6]) * 512


@contextmanager
def fio(point: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that writes to the disk continuously."""
    job = ["--name=other", f"--filename={point}/other", "--size=16m", "--bs=256k", "--rw=write"]
    kind = ["--direct=1", "--ioengine=psync", "--time_based", "--runtime=600", "--output=/dev/null"]
    before = written(point)
    with subprocess.Popen(["fio", *job, *kind], cwd="/tmp") as process:
        try:
            for _ in moments():
                if written(point) - before > 32 << 20:
                    break
            yield process
        finally:
            process.terminate()


@pytest.fixture
def disk(probe: Probe, tmp_path: Path) -> Iterator[Path]:
    with on_disk(probe, tmp_path, "ext4") as point:
        yield point


def contention(events: list[dict]) -> dict:
    return of(events, "result")[0]["contention"]


@pytest.mark.alone  # fio must get to write during the trial
def test_a_write_in_parallel_with_fio_shows_the_bytes_of_both(probe: Probe, disk: Path) -> None:
    file_size = 192 << 20
    with fio(disk):
        found = contention(probe.run(TRIAL | {"file_size": file_size}))
    own = found["own_write_bytes"]
    assert file_size <= own < 2 * file_size
    assert found["dev_write_bytes"] > own
    assert found["quiet_write_bytes"] > 0, "fio wrote while the probe was idle"
    assert found["quiet_ns"] >= 200_000_000
    assert found["others_write_bytes"] > 0


def test_an_uncontended_write_transfers_little_more_than_its_bytes(
    probe: Probe, disk: Path
) -> None:
    found = contention(probe.run(TRIAL))
    assert found["dev_read_bytes"] - found["own_read_bytes"] < 1 << 20
    assert abs(found["dev_write_bytes"] - found["own_write_bytes"]) < 4 << 20
    assert found["quiet_write_bytes"] < 1 << 20


def test_a_trial_that_never_began_has_no_contention(probe: Probe) -> None:
    events = probe.run({"cache": "direct", "block": 512, "file_size": 1 << 61})
    assert of(events, "result")[0]["status"] == "failed"
    assert contention(events) is None


@pytest.mark.alone  # other tests move bytes, too
def test_bytes_of_an_exited_process_before_the_trial_are_not_counted(
    probe: Probe, disk: Path
) -> None:
    work = (
        f"dd if=/dev/zero of={disk}/other bs=1M count=64 oflag=direct status=none; echo; read line"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen(["sh", "-c", work], stdin=pipe, stdout=pipe) as other:
        assert other.stdin is not None and other.stdout is not None
        other.stdout.readline()
        probe.start(probe.plan(LONG | {"file_size": 32 << 20, "timeout_ms": 2000}))
        probe.wait_for("sample")
        other.stdin.close()
        other.wait()
        probe.follow()
    found = contention(probe.events())
    assert found["others_write_bytes"] < 32 << 20, found["busiest"]
