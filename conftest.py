"""What holds for every test: nothing that it mounts or starts stays, even when pytest is killed;
its probes do not meet those of other test processes on the same disk;
and an assertion of a support module that fails shows its values, as one of a test does."""

import ctypes
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

pytest.register_assert_rewrite("testing", "lab", "faults")

from lab import survivors  # noqa: E402 (after its assertions are registered)

NEW_MOUNTS = 0x00020000
"""CLONE_NEWNS of `unshare`."""


def pytest_configure(config: pytest.Config) -> None:
    """Before any test, in each process that runs some."""
    _mount_apart()
    config.add_cleanup(survivors.guard())


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Name what is left to `make nightly` in the file that `make test` sums up."""
    names = [f"{item.nodeid}\n" for item in items if item.get_closest_marker("nightly")]
    if names and (path := os.environ.get("ASSAY_LEFT_OUT")):
        with Path(path).open("a") as file:
            file.writelines(names)


@pytest.fixture
def retried(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Notes why a test measures again; `make test` lists it and fails above a few in one run."""

    def note(why: str) -> None:
        record_property("retried", why)

    return note


def _mount_apart() -> None:
    """Let what is mounted from now on go with the last process that sees it.

    Who may not do this may not mount either. `/run/lock` is where probes lock disks.
    """
    if ctypes.CDLL(None).unshare(NEW_MOUNTS) == 0:
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        options = ["-t", "tmpfs", "-o", "mode=1777"]
        subprocess.run(["mount", *options, "locks", "/run/lock"], check=True)
