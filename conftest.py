"""What holds for every test: nothing that it mounts or starts stays, even when pytest is killed."""

import ctypes
import subprocess

import pytest
from lab import survivors

NEW_MOUNTS = 0x00020000
"""CLONE_NEWNS of `unshare`."""


def pytest_configure(config: pytest.Config) -> None:
    """Before any test, in each process that runs some."""
    _mount_apart()
    config.add_cleanup(survivors.guard())


def _mount_apart() -> None:
    """Let what is mounted from now on go with the last process that sees it.

    Who may not do this may not mount either.
    """
    if ctypes.CDLL(None).unshare(NEW_MOUNTS) == 0:
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
