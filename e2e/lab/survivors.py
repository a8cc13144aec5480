"""Everything that a test run has started ends with it, also if the run is killed.

The kernel's death signal reaches a child, but not its own children: a detached probe, or the
appliance below `make run`. So everything that a run starts is marked in its environment, and the
run has a guardian, which waits for its end as a lab's does. Servers that overwrite their
environment, such as sshd and PostgreSQL, are ended by the kernel.

    python -m lab.survivors MARK
"""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable

from lab.commands import wait_until
from lab.processes import Process, marked
from lab.site import PACKAGE_PARENT, TEST_MARKER

END_WITHIN_S = 120.0
"""A process may wait for a slow disk before it exits."""


def guard() -> Callable[[], object]:
    """Mark what this process starts from now on; return a function that ends it."""
    this = Process.of_this()
    value = f"{this.pid}-{this.started}"
    guardian = subprocess.Popen(
        [sys.executable, "-m", "lab.survivors", f"{TEST_MARKER}={value}"],
        stdin=subprocess.PIPE,  # which the kernel closes when this process is killed
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": str(PACKAGE_PARENT), TEST_MARKER: ""},
    )
    os.environ[TEST_MARKER] = value
    return guardian.communicate


def end(mark: str) -> None:
    """Kill processes with this `NAME=VALUE` in their environment, and wait for their exit."""

    def ended() -> bool:
        found = marked(mark)
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return not found

    wait_until(f"what has {mark} ends", ended, END_WITHIN_S)


if __name__ == "__main__":
    sys.stdin.buffer.read()
    end(sys.argv[1])
