"""Disks have the rate that was set, also when it changes under a test that writes."""

import re
import threading
import time

import pytest
from lab import GIB, MIB, Disk, Host, Lab


def write(host: Host, disk: Disk, mib: int) -> float:
    """Write so many MiB; bytes per second."""
    word = f"dd if=/dev/zero of={host.target(disk)}/a bs=1M count={mib} oflag=direct"
    began = time.monotonic()
    said = host.log_in(f"{word} 2>&1")
    assert re.search(rf"^{mib}\+0 records out", said, re.M), said
    return mib * MIB / (time.monotonic() - began)


@pytest.mark.parametrize("file_system", ["ext4", "xfs"])
def test_the_device_counts_what_was_written(lab: Lab, file_system: str) -> None:
    disk = lab.disk("a", 1 * GIB, file_system)
    host = lab.host("one", disk)
    before = disk.moved.written
    write(host, disk, 100)
    assert disk.moved.written - before == pytest.approx(100 * MIB, rel=0.01)


def test_a_rate_changes_under_a_writer(lab: Lab) -> None:
    disk = lab.disk("a", 1 * GIB, write=20 * MIB)
    host = lab.host("one", disk)
    writer = threading.Thread(target=write, args=[host, disk, 200])
    writer.start()
    time.sleep(1)  # the login is over
    rates: list[float] = []
    for rate in (20 * MIB, 40 * MIB, 10 * MIB):
        disk.set_rate(write=rate)
        time.sleep(0.5)
        before, began = disk.moved.written, time.monotonic()
        time.sleep(2)
        rates.append((disk.moved.written - before) / (time.monotonic() - began) / rate)
    disk.set_rate()
    writer.join()
    assert rates == [pytest.approx(1, abs=0.1)] * 3


def test_a_disk_slows_when_its_cache_is_full_and_recovers_at_rest(lab: Lab) -> None:
    disk = lab.disk("a", 1 * GIB, write=100 * MIB)
    host = lab.host("one", disk)
    disk.slow_after(150 * MIB, rate=20 * MIB, rest_s=1.5)
    for _ in range(2):
        assert write(host, disk, 100) > 70 * MIB
        assert write(host, disk, 100) == pytest.approx(100 / (0.5 + 2.5) * MIB, rel=0.25)
        time.sleep(2.5)
