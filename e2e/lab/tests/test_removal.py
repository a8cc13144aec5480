"""Nothing of a lab survives it, however it ends."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lab import GIB, MIB, Lab, site
from lab.commands import wait_until
from lab.processes import Process

pytestmark = pytest.mark.xdist_group("removed labs")

# a test run in the background ignores Ctrl-C, and so do all of its processes
MAKE_ONE = """
import signal, sys, time
from lab import GIB, MIB, Lab
signal.signal(signal.SIGINT, signal.default_int_handler)
with Lab() as lab:
    disk = lab.disk("a", 1 * GIB, write=40 * MIB, read=40 * MIB)
    disk.slow_after(10 * MIB, rate=4 * MIB)
    swift = lab.disk("b", 300 * MIB, in_memory=True)
    one, other = lab.host("one", disk, swift, memory=256 * MIB), lab.host("other")
    one.limit_waiting(disk)
    lab.link(one, other, rate=10 * MIB)
    numbers = [host.process for host in (one, other)]
    print(lab.site.number, disk.number, *numbers, flush=True)
    time.sleep(60)
"""


class Seen:
    """The parts of a lab on a machine."""

    def __init__(self, words: list[str]) -> None:
        self.number, self.device = int(words[0]), words[1]
        self.hosts = [Process.of(int(word)) for word in words[2:]]

    def left(self) -> dict[str, object]:
        """Return all remaining parts, by kind."""
        directory = f"{site.LABS}/{self.number}"
        folder = f"{directory}/"  # 1 is not 12
        throttles = Path("/sys/fs/cgroup").glob("blkio/blkio.throttle.*_bps_device")
        lines = [line for path in throttles for line in path.read_text().splitlines()]
        throttled = [line for line in lines if line.startswith(f"{self.device} ")]
        strict = Path("/sys/class/bdi").glob(f"{self.device}/strict_limit")
        limits = [path for path in strict if path.read_text() == "1\n"]
        # read after the others: another lab may have the device by now
        backing = Path(f"/sys/dev/block/{self.device}/loop/backing_file")
        if backing.exists() and folder not in backing.read_text():
            throttled, limits = [], []
        groups = Path("/sys/fs/cgroup").glob(f"*/assay-lab-{self.number}-*")
        found: dict[str, object] = {
            "processes": site.living(self.number) + [h for h in self.hosts if not h.is_gone()],
            "mounts": [m for m in Path("/proc/mounts").read_text().split("\n") if folder in m],
            "loop devices": [
                name
                for name in Path("/sys/block").glob("loop*/loop/backing_file")
                if folder in name.read_text()
            ],
            "links": list(Path("/sys/class/net").glob(f"al{self.number}-*")),
            "throttles": throttled,
            "limits of unwritten data": limits,
            "control groups": list(groups),
            "folder": [directory] if Path(directory).exists() else [],
        }
        return {kind: things for kind, things in found.items() if things}


def guardians(number: int) -> list[int]:
    """Return the processes that wait for the end of a lab's creator."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if words[1:4] == [b"-m", b"lab.guardian", str(number).encode()]:
                    found.append(int(entry.name))
    return found


@pytest.fixture
def other_process() -> subprocess.Popen[str]:
    """A lab of another process, such as a parallel test run."""
    variables = {"PYTHONPATH": str(site.PACKAGE_PARENT), "PATH": "/usr/bin:/bin"}
    process = subprocess.Popen(
        [sys.executable, "-c", MAKE_ONE],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | variables,
    )
    yield process
    process.kill()
    process.wait()


def seen(process: subprocess.Popen[str]) -> Seen:
    assert process.stdout is not None
    it = Seen(process.stdout.readline().split())
    kinds = {"processes", "loop devices", "links", "throttles", "control groups", "folder"}
    assert kinds <= set(it.left())
    return it


def test_a_lab_removes_everything_at_its_end(lab: Lab) -> None:
    disk = lab.disk("a", 1 * GIB, write=40 * MIB)
    host = lab.host("one", disk)
    it = Seen([str(lab.site.number), disk.number, str(host.process), str(lab.host("b").process)])
    lab.down()
    assert it.left() == {}


def test_a_lab_with_much_dirty_data_for_a_slow_disk_ends_at_once(lab: Lab) -> None:
    disk = lab.disk("a", 1 * GIB)
    host = lab.host("one", disk)
    disk.set_rate(write=1 * MIB)
    host.log_in("head -c 100M /dev/zero >/mnt/a/file")
    it = Seen([str(lab.site.number), disk.number, str(host.process)])
    began = time.monotonic()
    lab.down()
    assert time.monotonic() - began < 60
    assert it.left() == {}


def test_an_interrupted_lab_removes_everything(
    other_process: subprocess.Popen[str],
) -> None:
    it = seen(other_process)
    other_process.send_signal(signal.SIGINT)
    other_process.wait(30)
    assert it.left() == {}
    assert guardians(it.number) == []


def test_the_guardian_of_a_killed_lab_removes_everything(
    other_process: subprocess.Popen[str],
) -> None:
    it = seen(other_process)
    other_process.kill()
    other_process.wait()
    wait_until("the guardian removes the lab", lambda: it.left() == {}, 120)
    wait_until("the guardian ends", lambda: guardians(it.number) == [], 120)


def test_a_lab_killed_with_its_guardian_is_removed_by_the_next_one(
    other_process: subprocess.Popen[str],
) -> None:
    it = seen(other_process)
    (guardian,) = guardians(it.number)
    os.kill(guardian, signal.SIGKILL)
    other_process.kill()
    other_process.wait()
    kinds = ("processes", "links")
    wait_until("the kernel ends the lab", lambda: not any(kind in it.left() for kind in kinds), 120)
    with Lab():
        assert it.left() == {}


def test_removing_a_lab_does_not_affect_the_next_one(lab: Lab) -> None:
    lab.down()
    lab.site.folder.mkdir()  # as of another lab that has received the number since
    lab.down()
    assert lab.site.folder.exists()
    lab.site.folder.rmdir()
