"""Child processes of the supervisor: start, restart and termination.

Each child is a session leader, so that Ctrl-C in a terminal reaches only the supervisor, which
determines the order of termination. The kernel kills the children if the supervisor dies, so that
no process stays behind.
"""

import asyncio
import contextlib
import ctypes
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

PR_SET_PDEATHSIG = 1
FIRST_BACKOFF_S = 0.5
MAX_BACKOFF_S = 30.0
HEALTHY_AFTER_S = 60.0
TERM_TIMEOUT_S = 15.0

_libc = ctypes.CDLL(None, use_errno=True)

Log = Callable[[str, str], None]
"""A function that logs a line of a child, given its name."""


def end_with(parent: int) -> Callable[[], None]:
    """Return a `preexec_fn` that makes the kernel kill the process when `parent` dies."""

    def arrange() -> None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # the parent died before prctl
            os._exit(1)

    return arrange


class Output:
    """A pipe whose lines are logged.

    asyncio's own pipe ends only with the last process that inherited it, so that the death of a
    child would be noticed late.
    """

    def __init__(self, line: Callable[[str], None]) -> None:
        """Create the pipe; `line` is called with each line."""
        self._line = line
        self._rest = b""
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)

    def listen(self) -> None:
        """Close this process's write end and read on the event loop."""
        os.close(self.writer)
        asyncio.get_running_loop().add_reader(self._reader, self._read)

    def close(self) -> None:
        """Log the remaining content of the pipe and close it."""
        while self._read():
            pass
        asyncio.get_running_loop().remove_reader(self._reader)
        os.close(self._reader)
        if self._rest:
            self._line(self._rest.decode(errors="replace"))

    def _read(self) -> bool:
        try:
            chunk = os.read(self._reader, 65536)
        except BlockingIOError:
            return False
        if not chunk:
            asyncio.get_running_loop().remove_reader(self._reader)
            return False
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._line(line.decode(errors="replace"))
        return True


class Running:
    """One execution of a program, in its own session."""

    def __init__(self, process: asyncio.subprocess.Process, output: Output) -> None:
        """Use `start`."""
        self._process = process
        self._output = output

    @classmethod
    async def start(
        cls, command: Sequence[str], environment: Mapping[str, str], line: Callable[[str], None]
    ) -> Self:
        """Start the program; `line` receives its output. Raises OSError if it cannot start."""
        output = Output(line)
        process = await asyncio.create_subprocess_exec(
            *command,
            env=dict(environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output.writer,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=end_with(os.getpid()),
        )
        output.listen()
        return cls(process, output)

    async def wait(self) -> int:
        """Wait for its exit, kill the rest of its process group and return the exit code."""
        code = await self._process.wait()
        self._kill_group()
        self._output.close()
        return code

    async def end(self) -> bool:
        """Terminate it, and kill it after a timeout; return whether it exited in time."""
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            await asyncio.wait_for(self._process.wait(), TERM_TIMEOUT_S)
        except TimeoutError:
            self._kill_group()
            await self.wait()
            return False
        await self.wait()
        return True

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)


@dataclass(frozen=True)
class Child:
    """A program of the appliance: name in the log, command and environment."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    log: Log

    async def once(self) -> int:
        """Run it once and return the exit code; on cancellation, terminate it first."""
        running = await Running.start(
            self.command, self.environment, lambda line: self.log(self.name, line)
        )
        try:
            return await running.wait()
        except asyncio.CancelledError:
            if not await running.end():
                self.log("assay", f"{self.name} did not exit within {TERM_TIMEOUT_S:g} s: killed")
            raise

    async def keep(self) -> None:
        """Restart it after each exit until canceled, with exponential backoff."""
        clock = asyncio.get_running_loop().time
        pause = FIRST_BACKOFF_S
        while True:
            began = clock()
            how = ended(await self.once())
            if clock() - began > HEALTHY_AFTER_S:
                pause = FIRST_BACKOFF_S
            self.log("assay", f"{self.name} {how}; restarting in {pause:g} s")
            await asyncio.sleep(pause)
            pause = min(pause * 2, MAX_BACKOFF_S)


def ended(code: int) -> str:
    """Describe an exit code."""
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return f"exited with code {code}"
