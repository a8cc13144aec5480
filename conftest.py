"""Setup of every test run: mounts and processes end with it, even if pytest is killed.

Its probes do not conflict with those of other test processes on the same disk, and failed
assertions in support modules show their values, as in tests.
"""

import ctypes
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

pytest.register_assert_rewrite("testing", "lab", "faults")

from lab import survivors  # noqa: E402 (after its assertions are registered)
from testing import rotation  # noqa: E402

NEW_MOUNTS = 0x00020000
"""CLONE_NEWNS of `unshare`."""
WITH_PROCESSES = [
    Path(__file__).with_name("worker") / "tests",
    Path(__file__).with_name("worker") / "probe" / "tests",
    Path(__file__).with_name("e2e"),
]
BEGAN_AT = pytest.StashKey[float]()
"""Processor time of this process and its children when a test began."""
RETRIED = "retried"
"""The property of a test that `make test` lists; it fails above a few per run."""


def pytest_configure(config: pytest.Config) -> None:
    """Prepare each process that runs tests, before its first test."""
    os.environ["ROTATE"] = rotation.day()
    _mount_apart()
    config.add_cleanup(survivors.guard())


def pytest_report_header() -> str:
    """Name the slice of the rotating tests."""
    return f"rotating tests: ROTATE={rotation.day()} runs the same ones"


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Let tests that depend on time fail once, since other work on the machine disturbs them.

    These are the ones that measure rates and those in folders that start probes and appliances.
    """
    for item in items:
        if item.get_closest_marker("alone") or any(map(item.path.is_relative_to, WITH_PROCESSES)):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin to count the processor time of a test."""
    item.stash[BEGAN_AT] = _processor_time()


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
    if item.get_closest_marker("flaky") and vars(item)["execution_count"] == 1:
        item.user_properties.append((RETRIED, call.excinfo.exconly().splitlines()[0]))


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


@pytest.fixture
def retried(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Record why a test measures again."""

    def note(why: str) -> None:
        record_property(RETRIED, why)

    return note


def _mount_apart() -> None:
    """Unmount everything mounted from now on with the last process of the namespace.

    Does nothing without the permission, because then nothing can be mounted. Probes lock disks in
    `/run/lock`.
    """
    if ctypes.CDLL(None).unshare(NEW_MOUNTS) == 0:
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        options = ["-t", "tmpfs", "-o", "mode=1777"]
        subprocess.run(["mount", *options, "locks", "/run/lock"], check=True)
