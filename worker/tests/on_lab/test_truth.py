"""Figures of the probe against disks whose rate is known, and against fio on the same disk."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from installation import Installation
from lab import GIB, MIB, Disk, Host, Lab, require

pytestmark = pytest.mark.alone

SECONDS = 30
BLOCK = MIB
THREADS = 2
"""With one, a disk idles between two operations, and a throttle does not make up for it."""


@dataclass
class Array:
    """A host with a throttled disk, and what was found there, in bytes per second."""

    rate: int
    disk: Disk
    host: Host
    target_id: int
    probe: float = 0.0
    fio: float = 0.0

    def is_told(self) -> bool:
        """Whether both say what the disk does, and agree."""
        near = self.probe == pytest.approx(self.rate, rel=0.01)
        return near and self.probe == pytest.approx(self.fio, rel=0.02)


def fio_rate(host: Host, disk: Disk, kind: str, size: int) -> float:
    """Bytes per second of the same load by fio, its final sync included."""
    load = ["fio", "--name=a", f"--directory={host.target(disk)}", f"--bs={BLOCK}"]
    load += [f"--size={size // THREADS}", f"--numjobs={THREADS}", "--group_reporting"]
    load += ["--direct=1", "--ioengine=psync", "--thread", "--fallocate=none"]
    load += ["--refill_buffers=0", "--scramble_buffers=1"]  # not new random data in timed loops
    if kind == "read":  # laid out by a job of its own, so that it is not in the rate
        host.run_as_root(*load, "--rw=write", timeout_s=2 * SECONDS)
    measure = [f"--rw={kind}", "--end_fsync=1", "--unlink=1", "--output-format=json"]
    said = host.run_as_root(*load, *measure, timeout_s=2 * SECONDS)
    job = json.loads(said[said.index("{") :])["jobs"][0][kind]
    return job["io_bytes"] / job["runtime"] * 1000


def probe_rate(installation: Installation, array: Array, kind: str) -> float:
    """Bytes per second of a run of `SECONDS` in the appliance: durable, or of reading."""
    run_id = installation.launch(
        array.target_id,
        kind=kind,
        cache="direct",
        block=[BLOCK],
        threads=[THREADS],
        files=THREADS,
        file_size=array.rate * SECONDS // THREADS,
    )
    installation.drive_to_the_end(run_id, 3 * SECONDS)
    run = installation.run(run_id)
    assert run.state == "done", (run.state, run.state_reason)
    (attempt,) = installation.attempts(run_id)
    assert attempt.status == "complete", attempt.reason
    elapsed = attempt.durable_ns if kind == "write" else attempt.app_ns
    assert attempt.bytes and elapsed
    assert elapsed > 0.99 * SECONDS * 1e9
    return attempt.bytes / elapsed * 1e9


@pytest.mark.parametrize("kind", ["write", "read"])
def test_rates_are_those_of_the_disks_and_of_fio(
    installation: Installation, lab: Lab, target_on: Callable[[Host, Disk], int], kind: str
) -> None:
    require("fio")
    arrays: list[Array] = []
    for mib in (40, 100, 350):
        rate = mib * MIB
        disk = lab.disk(f"disk{mib}", 13 * GIB, **{kind: rate})
        host = lab.host(f"host{mib}", disk)
        arrays.append(Array(rate, disk, host, target_on(host, disk)))

    def measure(array: Array) -> None:
        array.probe = probe_rate(installation, array, kind)
        array.fio = fio_rate(array.host, array.disk, kind, array.rate * SECONDS)
        print(f"{kind}: set {array.rate}, probe {array.probe:.0f}, fio {array.fio:.0f}")

    with ThreadPoolExecutor() as pool:
        list(pool.map(measure, arrays))
    # a machine that was busy slows a disk below its rate for once, a false probe is false again
    for array in arrays:
        if not array.is_told():
            measure(array)
    assert [array for array in arrays if not array.is_told()] == []
