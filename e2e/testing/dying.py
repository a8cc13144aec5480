"""A worker process that exits at the N-th moment of its work, as if by SIGKILL.

A moment is the start or end of a commit, or of a call to a host. Run as a program, this module is
the parent of such workers: it has imported everything, has neither threads nor connections, and
forks one for each line `TASK ID MOMENT` on its standard input; it answers with the exit code.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay_worker import hosts
from assay_worker.checks import host
from assay_worker.connectors.local import LocalConnection, LocalStream
from assay_worker.connectors.ssh import SshConnection, SshStream
from sqlalchemy import event
from sqlalchemy.orm import Session, configure_mappers

from testing.installation import drive, run_check

DIED = 9
TASKS = {"drive": drive, "check": run_check}
CALLS = (
    (hosts, "connect"),
    *((host, name) for name in ("resolve", "fetch_host_key", "connect")),
    *((kind, name) for kind in (LocalConnection, SshConnection) for name in ("run", "stream")),
    (SshConnection, "upload"),
    *((kind, name) for kind in (LocalStream, SshStream) for name in ("finish", "close")),
)


class DyingWorkers:
    """The parent of workers, as used by a test."""

    def __init__(self) -> None:
        """Start it in the current environment."""
        self._parent = subprocess.Popen(
            [sys.executable, "-m", "testing.dying"],
            cwd=Path(__file__).parents[1],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def drive(self, run_id: int, moment: int) -> bool:
        """Have a worker drive a run; return whether it died before the end."""
        return self._do("drive", run_id, moment)

    def check(self, check_id: int, moment: int) -> bool:
        """Have a worker answer a check; return whether it died before the end."""
        return self._do("check", check_id, moment)

    def _do(self, task: str, of: int, moment: int) -> bool:
        assert self._parent.stdin
        assert self._parent.stdout
        print(task, of, moment, file=self._parent.stdin, flush=True)
        code = int(self._parent.stdout.readline())
        assert code in (0, DIED)
        return code == DIED

    def end(self) -> None:
        """End the parent, and a worker that is still at work."""
        with self._parent:
            os.killpg(self._parent.pid, signal.SIGKILL)


def let_an_hour_pass(home: Path) -> None:
    """Make uploads interrupted on a host old enough to be removed."""
    for rest in home.glob(".cache/assay/probe/*/*.new"):
        os.utime(rest, (0, 0))


class Countdown:
    """Exits this process at the N-th moment."""

    def __init__(self, moment: int) -> None:
        self._left = moment

    def __call__(self, *_: Any) -> None:
        self._left -= 1
        if self._left == 0:
            os._exit(DIED)


def with_moments(call: Callable[..., Any], countdown: Countdown) -> Callable[..., Any]:
    """Wrap a call to a host with a moment before and one after it."""

    async def counted(*arguments: Any, **named: Any) -> Any:
        countdown()
        answer = await call(*arguments, **named)
        countdown()
        return answer

    return counted


def live(task: str, of: str, moment: str) -> None:
    """Execute a task as a worker that dies."""
    countdown = Countdown(int(moment))
    for name in ("before_commit", "after_commit"):
        event.listen(Session, name, countdown)
    for owner, name in CALLS:
        setattr(owner, name, with_moments(getattr(owner, name), countdown))
    TASKS[task](int(of))


def main() -> None:
    configure_mappers()  # once here, not in each child
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            live(*line.split())
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
