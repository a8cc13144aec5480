"""A worker process that ends at the N-th moment of its work, as SIGKILL ends one.

A moment is the begin or the end of a commit, or of a call to a host. Run as a script, this file is
the parent of such workers: it has imported everything, has neither threads nor connections, and
forks one for each line `RUN MOMENT` on its standard input; it answers with the exit code.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from assay_worker import hosts
from assay_worker.connectors.local import LocalConnection, LocalStream
from assay_worker.connectors.ssh import SshConnection, SshStream
from assay_worker.driver.slice import drive
from sqlalchemy import event
from sqlalchemy.orm import Session, configure_mappers

DIED = 9
CALLS = (
    (hosts, "connect"),
    *((kind, name) for kind in (LocalConnection, SshConnection) for name in ("run", "stream")),
    *((kind, name) for kind in (LocalStream, SshStream) for name in ("finish", "close")),
)


class DyingWorkers:
    """The parent of workers, seen from a test."""

    def __init__(self) -> None:
        """Start it in the environment of this moment."""
        self._parent = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def drive(self, run_id: int, moment: int) -> bool:
        """Have a worker drive a run for a slice; whether it died before the end of that."""
        assert self._parent.stdin
        assert self._parent.stdout
        print(run_id, moment, file=self._parent.stdin, flush=True)
        code = int(self._parent.stdout.readline())
        assert code in (0, DIED)
        return code == DIED

    def end(self) -> None:
        """End the parent, and a worker that is still at work."""
        with self._parent:
            os.killpg(self._parent.pid, signal.SIGKILL)


class Countdown:
    """Ends this process at the N-th moment."""

    def __init__(self, moment: int) -> None:
        self._left = moment

    def __call__(self, *_: Any) -> None:
        self._left -= 1
        if self._left == 0:
            os._exit(DIED)


def with_moments(call: Callable[..., Any], countdown: Countdown) -> Callable[..., Any]:
    """A call to a host with a moment before and one after it."""

    async def counted(*arguments: Any, **named: Any) -> Any:
        countdown()
        answer = await call(*arguments, **named)
        countdown()
        return answer

    return counted


def live(run_id: int, moment: int) -> None:
    """Drive a run as a worker that dies."""
    countdown = Countdown(moment)
    for name in ("before_commit", "after_commit"):
        event.listen(Session, name, countdown)
    for owner, name in CALLS:
        setattr(owner, name, with_moments(getattr(owner, name), countdown))
    drive(run_id)


def main() -> None:
    configure_mappers()  # once here, not in each child
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            live(*map(int, line.split()))
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
