"""One process under the supervisor: started, restarted when it dies, ended when asked.

Each child leads a session of its own, so that Ctrl-C in a terminal reaches the supervisor alone
and the order of the end is its own; and the kernel kills it when the supervisor dies, however it
died, so that nothing stays behind.
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
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
HEALTHY_AFTER_S = 60.0
TERM_PATIENCE_S = 15.0

_libc = ctypes.CDLL(None, use_errno=True)

Log = Callable[[str, str], None]
"""Takes a child's name and a line."""


def end_with(parent: int) -> Callable[[], None]:
    """What a new process does before its program: have the kernel kill it after `parent`."""

    def arrange() -> None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before this line
            os._exit(1)

    return arrange


class Output:
    """A pipe whose lines are logged.

    It is not asyncio's own, because that one ends only when the last process that inherited the
    pipe does, and a death would be noticed late.
    """

    def __init__(self, line: Callable[[str], None]) -> None:
        """Make the pipe; `line` is called with each line."""
        self._line = line
        self._rest = b""
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)

    def listen(self) -> None:
        """Close this process's writing end and read on the event loop."""
        os.close(self.writer)
        asyncio.get_running_loop().add_reader(self._reader, self._read)

    def close(self) -> None:
        """Log what is still in the pipe, and close it."""
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
    """One execution of a program, in a session of its own."""

    def __init__(self, process: asyncio.subprocess.Process, output: Output) -> None:
        """Use `start`."""
        self._process = process
        self._output = output

    @classmethod
    async def start(
        cls, command: Sequence[str], environment: Mapping[str, str], line: Callable[[str], None]
    ) -> Self:
        """Start the program; `line` gets its output. Raises OSError when it cannot be started."""
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
        """Wait until it ends, kill what it left of its group, and give its code."""
        code = await self._process.wait()
        self._kill_group()
        self._output.close()
        return code

    async def end(self) -> bool:
        """Ask it to end and kill what does not; whether it ended by itself."""
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            await asyncio.wait_for(self._process.wait(), TERM_PATIENCE_S)
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
    """A program of the appliance: its name in the log, and how it is started."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    log: Log

    async def once(self) -> int:
        """Run it to its end and give its code; when cancelled, end it first."""
        running = await Running.start(
            self.command, self.environment, lambda line: self.log(self.name, line)
        )
        try:
            return await running.wait()
        except asyncio.CancelledError:
            if not await running.end():
                self.log("assay", f"{self.name} did not end in {TERM_PATIENCE_S:g} s: killed")
            raise

    async def keep(self) -> None:
        """Run it again after each death, until cancelled; the pauses grow while it fails."""
        clock = asyncio.get_running_loop().time
        pause = FIRST_PAUSE_S
        while True:
            began = clock()
            how = ended(await self.once())
            if clock() - began > HEALTHY_AFTER_S:
                pause = FIRST_PAUSE_S
            self.log("assay", f"{self.name} {how}; started again in {pause:g} s")
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_S)


def ended(code: int) -> str:
    """How a process ended, in words."""
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with code {code}"
