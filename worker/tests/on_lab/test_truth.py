"""The probe's rates compared with disks of known rate, and with fio on the same disk."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from lab import GIB, MIB, Disk, Host, Lab, require
from testing.installation import Installation

pytestmark = pytest.mark.alone


@dataclass(frozen=True)
class Load:
    """Operation, size and file system of a load.

    With one thread a disk idles between two operations, and a throttle does not compensate for it.
    """

    mib: int
    """The rate that the disk is set to, in MiB/s."""
    kind: str = "write"
    block: int = MIB
    threads: int = 2
    cache: str = "direct"
    file_system: str = "ext4"
    memory: int | None = None
    """Limit of the host in bytes: without one, pages fill before the disk moves at all."""
    near: float = 0.01
    """Maximum deviation of the probe from the disk's rate."""
    agree: float = 0.02
    """Maximum deviation of the probe from fio."""
    seconds: int = 20
    """Duration; disks are in memory, so this costs memory."""

    @property
    def rate(self) -> int:
        """The rate in bytes per second."""
        return self.mib * MIB

    @property
    def size(self) -> int:
        """Total size of all files, in bytes."""
        return self.rate * self.seconds


# fio runs as root, beyond the limit: its first second or two fill memory. The disk rests until the
# kernel begins to write back, a second of these thirty on a busy machine.
PAGE_CACHE = Load(60, cache="page", memory=512 * MIB, near=0.05, agree=0.1, seconds=30)
NIGHTLY = pytest.mark.nightly


@dataclass
class Array:
    """A host with a throttled disk, and the rates measured there, in bytes per second."""

    load: Load
    disk: Disk
    host: Host
    target_id: int
    probe: float = 0.0
    fio: float = 0.0

    def is_told(self) -> bool:
        """Return whether both rates match the disk's and each other."""
        near = self.probe == pytest.approx(self.load.rate, rel=self.load.near)
        return near and self.probe == pytest.approx(self.fio, rel=self.load.agree)


def fio_rate(array: Array) -> float:
    """Return fio's rate for the same load in bytes per second, including its final sync."""
    host, asked = array.host, array.load
    load = ["fio", "--name=a", f"--directory={host.target(array.disk)}", f"--bs={asked.block}"]
    load += [f"--size={asked.size // asked.threads}", f"--numjobs={asked.threads}"]
    load += ["--group_reporting", f"--direct={int(asked.cache == 'direct')}"]
    load += ["--ioengine=psync", "--thread", "--fallocate=none"]
    load += ["--refill_buffers=0", "--scramble_buffers=1"]  # not new random data in timed loops
    if asked.kind == "read":  # laid out by a separate job, so that it is not part of the rate
        host.run_as_root(*load, "--rw=write", timeout_s=2 * asked.seconds)
    measure = [f"--rw={asked.kind}", "--end_fsync=1", "--unlink=1", "--output-format=json"]
    began = time.monotonic()
    said = host.run_as_root(*load, *measure, timeout_s=2 * asked.seconds)
    took = time.monotonic() - began
    job = json.loads(said[said.index("{") :])["jobs"][0][asked.kind]
    if asked.cache == "page":  # fio's time ends before its final sync does
        return job["io_bytes"] / took
    return job["io_bytes"] / job["runtime"] * 1000


def probe_rate(installation: Installation, array: Array) -> float:
    """Return the rate of a run in the appliance in bytes per second: durable, or of reading."""
    load = array.load
    run_id = installation.launch(
        array.target_id,
        operation=load.kind,
        cache=load.cache,
        block=[load.block],
        threads=[load.threads],
        files=load.threads,
        file_size=load.size // load.threads,
    )
    installation.drive_to_the_end(run_id, 3 * load.seconds)
    run = installation.run(run_id)
    assert run.state == "done", (run.state, run.state_reason)
    (attempt,) = installation.attempts(run_id)
    assert attempt.status == "complete", attempt.reason
    elapsed = attempt.durable_ns if load.kind == "write" else attempt.app_ns
    assert attempt.bytes and elapsed
    assert elapsed > 0.97 * load.seconds * 1e9
    return attempt.bytes / elapsed * 1e9


@pytest.mark.parametrize(
    "loads",
    [
        pytest.param([Load(100), Load(100, "read"), PAGE_CACHE], id="a rate of each path"),
        pytest.param([Load(40), Load(350)], id="written", marks=NIGHTLY),
        pytest.param([Load(40, "read"), Load(350, "read")], id="read", marks=NIGHTLY),
        pytest.param(
            [Load(100, file_system="xfs"), Load(20, block=4096, threads=16)],
            id="XFS and small blocks",
            marks=NIGHTLY,
        ),
    ],
)
def test_rates_match_the_disks_and_fio(
    installation: Installation,
    lab: Lab,
    target_on: Callable[[Host, Disk], int],
    loads: list[Load],
) -> None:
    require("fio")
    arrays: list[Array] = []
    for number, load in enumerate(loads):
        # one file at a time; XFS and the journal of ext4 take some hundred MiB
        size, rate = load.size + GIB, {load.kind: load.rate}
        disk = lab.disk(f"disk{number}", size, load.file_system, in_memory=True, **rate)
        host = lab.host(f"host{number}", disk, memory=load.memory)
        arrays.append(Array(load, disk, host, target_on(host, disk)))

    def measure(array: Array) -> None:
        array.probe = probe_rate(installation, array)
        array.fio = fio_rate(array)
        print(f"{array.load}: probe {array.probe:.0f}, fio {array.fio:.0f}")

    with ThreadPoolExecutor() as pool:
        list(pool.map(measure, arrays))
    assert [array for array in arrays if not array.is_told()] == []
