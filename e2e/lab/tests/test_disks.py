"""Disks have the configured rate, also if it changes while a test writes."""

import re
import subprocess
import threading
import time

import pytest
from lab import GIB, MIB, Disk, Host, Lab

pytestmark = pytest.mark.alone


def write(host: Host, disk: Disk, mib: int, name: str = "a") -> float:
    """Write this many MiB; return MiB per second as measured by dd, without the login."""
    words = f"of={host.target(disk)}/{name} bs=1M count={mib} oflag=direct"
    said = host.log_in(f"dd if=/dev/zero {words} 2>&1")
    copied = re.search(r"copied, ([\d.e-]+) s", said)
    assert copied, said
    return mib / float(copied[1])


def is_about(rate: float, expected: float) -> bool:
    """Compare with a tolerance: a busy machine writes less than a throttle allows, never more."""
    return 0.6 * expected < rate < 1.15 * expected


@pytest.mark.parametrize("file_system", ["ext4", pytest.param("xfs", marks=pytest.mark.nightly)])
def test_the_device_counts_what_was_written(lab: Lab, file_system: str) -> None:
    disk = lab.disk("a", 1 * GIB, file_system)
    host = lab.host("one", disk)
    before = disk.moved.written
    write(host, disk, 100)
    assert disk.moved.written - before == pytest.approx(100 * MIB, rel=0.01)


def test_a_disk_in_memory_has_its_rate_and_does_not_use_the_machines_disk(
    lab: Lab,
) -> None:
    disk = lab.disk("a", 300 * MIB, write=50 * MIB, in_memory=True)
    host = lab.host("one", disk)
    before = disk.moved.written
    assert is_about(write(host, disk, 150), 50)
    assert disk.moved.written - before == pytest.approx(150 * MIB, rel=0.05)
    kind = subprocess.check_output(["stat", "-f", "-c", "%T", disk.image], text=True)
    assert kind == "tmpfs\n"


def test_a_rate_changes_under_a_writer(lab: Lab) -> None:
    disk = lab.disk("a", 1 * GIB, write=20 * MIB)
    host = lab.host("one", disk)
    # two, so that the disk never idles
    writers = [threading.Thread(target=write, args=[host, disk, 300, name]) for name in "ab"]
    for writer in writers:
        writer.start()
    time.sleep(1)  # the login is over
    rates: list[float] = []
    for rate in (20 * MIB, 40 * MIB, 10 * MIB):
        disk.set_rate(write=rate)
        time.sleep(2)  # the kernel first waits for requests admitted at the previous rate
        before, began = disk.moved.written, time.monotonic()
        time.sleep(4)
        rates.append((disk.moved.written - before) / (time.monotonic() - began) / rate)
    disk.set_rate()
    for writer in writers:
        writer.join()
    assert all(is_about(rate, 1) for rate in rates), rates


def test_a_disk_slows_down_when_its_cache_is_full_and_recovers_when_idle(lab: Lab) -> None:
    disk = lab.disk("a", 1 * GIB, write=100 * MIB, in_memory=True)
    host = lab.host("one", disk)
    disk.slow_after(150 * MIB, rate=20 * MIB, rest_s=1.5)
    for _ in range(2):
        # the throttle lets the first moments of an idle disk pass, and the machine may be slow
        assert 60 < write(host, disk, 100) < 150
        assert is_about(write(host, disk, 100), 100 / (0.5 + 2.5))
        time.sleep(2.5)
