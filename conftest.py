"""Setup of every test run: mounts and processes end with it, even if pytest is killed.

Its probes do not conflict with those of other test processes on the same disk, and failed
assertions in support modules show their values, as in tests.
"""

import ctypes
import os
import subprocess
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

pytest.register_assert_rewrite("testing", "lab", "faults")

from lab import survivors  # noqa: E402 (after its assertions are registered)
from testing import rotation  # noqa: E402
from testing.contention import Waits  # noqa: E402

NEW_MOUNTS = 0x00020000
"""CLONE_NEWNS of `unshare`."""
MEMORY = Path("/media")
"""Where each test process mounts its disk, unseen by others."""
DISK_BYTES = 64 << 30
"""Much more than memory, as tests write little and hosts with little free space are refused."""
WITH_PROCESSES = [
    Path(__file__).with_name("worker") / "tests",
    Path(__file__).with_name("worker") / "probe" / "tests",
    Path(__file__).with_name("e2e"),
]
BEGAN_AT = pytest.StashKey[float]()
"""Processor time of this process and its children when a test began."""
WAITS = pytest.StashKey[Waits]()
"""The machine's counters when a test that others may disturb began."""
DISTURBANCE = pytest.StashKey[str]()
"""What others took from the machine during such a test that failed."""
RETRIED = "retried"
"""The property of a test that `make test` lists; it fails above a few per run."""


def pytest_configure(config: pytest.Config) -> None:
    """Prepare each process that runs tests, before its first test."""
    os.environ["ROTATE"] = rotation.day()
    _mount_apart(config)
    config.add_cleanup(survivors.guard())


def pytest_report_header() -> str:
    """Name the slice of the rotating tests."""
    return f"rotating tests: ROTATE={rotation.day()} runs the same ones"


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Let tests that depend on time fail once if other work on the machine disturbed them.

    These are the ones that measure rates and those in folders that start probes and appliances.
    """
    for item in items:
        if item.get_closest_marker("alone") or any(map(item.path.is_relative_to, WITH_PROCESSES)):
            disturbed = partial(item.stash.get, DISTURBANCE, "")
            item.add_marker(pytest.mark.flaky(reruns=1, condition=disturbed))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin to count the processor time of a test, and what others take from it."""
    item.stash[BEGAN_AT] = _processor_time()
    if item.get_closest_marker("flaky"):
        item.stash[WAITS] = Waits.now()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Record why a test is run again, and the processor time that it took."""
    if call.when == "teardown":
        cpu_s = _processor_time() - item.stash[BEGAN_AT]
        item.user_properties.append(("cpu_s", f"{cpu_s:.2f}"))
        if item.get_closest_marker("rotating"):
            item.user_properties.append(("rotating", rotation.day()))
    if not call.excinfo or call.excinfo.errisinstance(pytest.skip.Exception):
        return
    if WAITS in item.stash:
        item.stash[DISTURBANCE] = why = item.stash[WAITS].disturbance(Waits.now())
        if why and vars(item)["execution_count"] == 1:
            failure = call.excinfo.exconly().splitlines()[0]
            item.user_properties.append((RETRIED, f"{failure} ({why})"))


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Write the tests left to `make nightly` to the file that `make test` reads."""
    names = [f"{item.nodeid}\n" for item in items if item.get_closest_marker("nightly")]
    if names and (path := os.environ.get("ASSAY_LEFT_OUT")):
        with Path(path).open("a") as file:
            file.writelines(names)


def _processor_time() -> float:
    """Return the seconds of this process and of the descendants that were waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def _mount_apart(config: pytest.Config) -> None:
    """Unmount everything mounted from now on with the last process of the namespace.

    Does nothing without the permission, because then nothing can be mounted. Probes lock disks in
    `/run/lock`.
    """
    if ctypes.CDLL(None).unshare(NEW_MOUNTS) != 0:
        return
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    _mount_memory(Path("/run/lock"))
    runs_tests = hasattr(config, "workerinput") or not config.getoption("numprocesses", None)
    if runs_tests and not MEMORY.is_mount():  # as it is for a run within a test
        _mount_disk(config)


def _mount_disk(config: pytest.Config) -> None:
    """Put temporary files on a disk of this process's own in memory.

    So parallel tests neither disturb each other's probes nor wait for the machine's disk. The path
    is of this process only, as other processes are found by the paths in their arguments.
    """
    _mount_memory(MEMORY)
    disk, files = MEMORY / "disk", MEMORY / f"files-{os.getpid()}"
    files.mkdir()
    with disk.open("w") as file:
        file.truncate(DISK_BYTES)
    subprocess.run(["mkfs.ext4", "-q", "-J", "size=64", disk], check=True)
    # a deleted file returns its memory, and nothing is written in the background
    subprocess.run(["mount", "-o", "loop,discard,noinit_itable", disk, files], check=True)
    files.chmod(0o1777)
    os.environ["TMPDIR"] = tempfile.tempdir = str(files)
    config.option.basetemp = str(files / "pytest")


def _mount_memory(point: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=1777", "tests", point], check=True)
