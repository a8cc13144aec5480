"""The interface of a connection, and helpers for its implementations.

All input from a host is limited: output above its limit, or without an end, is an error and never
exhausts memory.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from assay_worker.errors import ProbeFailedError

COMMAND_TIMEOUT_S = 60.0
OPEN_TIMEOUT_S = END_TIMEOUT_S = 25.0
"""Timeouts for the start of a command, and for its exit after it has closed its output.

Longer than the detection of a silent network, which is a different error.
"""

MAX_OUTPUT = 4 * 2**20
MAX_STDERR = 8 * 2**10


@dataclass(frozen=True)
class Finished:
    """The result of a command."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    startup: str = ""
    """What the login shell's startup files printed before the command, shortened."""

    @property
    def complaint(self) -> str:
        """The standard error as text; of a failed command, with what startup files printed."""
        own = self.stderr.decode(errors="replace").strip()
        if not self.startup or self.exit_code == 0:
            return own
        return f"{own} (The login shell's startup files printed: {self.startup})".strip()


class Stream(Protocol):
    """The standard output of a running command."""

    async def read(self, limit: int) -> bytes:
        """Return up to `limit` bytes as soon as some are available; empty at the end.

        A canceled read loses no byte: the next one returns it.
        """
        ...

    async def finish(self) -> Finished:
        """Return the command's result after the end of its output.

        Raises ConnectionLostError if it is unknown, ProbeFailedError if the command does not exit.
        """
        ...

    async def close(self) -> None:
        """Terminate the command if it is still running."""
        ...


class Connection(Protocol):
    """A connection to a host; every method raises HostError."""

    async def run(
        self, argv: Sequence[str], stdin: bytes = b"", timeout_s: float = COMMAND_TIMEOUT_S
    ) -> Finished:
        """Run a command and wait for its exit."""
        ...

    async def stream(self, argv: Sequence[str]) -> Stream:
        """Start a command and stream its output; its standard input stays open."""
        ...

    async def upload(self, data: bytes, path: str) -> None:
        """Write `data` to `path` atomically, executable only by the user."""
        ...

    async def close(self) -> None:
        """Close the connection."""
        ...


class Reader(Protocol):
    """The readable end of a process's output."""

    async def read(self, n: int = -1) -> bytes:
        """Return up to `n` bytes; empty at the end."""
        ...


@asynccontextmanager
async def within(seconds: float, problem: str) -> AsyncGenerator[None]:
    """Raise ProbeFailedError with `problem` if the block takes longer than `seconds`."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise ProbeFailedError(f"{problem} within {seconds:g} s") from None


async def read_all(reader: Reader, limit: int) -> bytes:
    """Read to the end; raises ProbeFailedError after `limit` bytes."""
    parts: list[bytes] = []
    size = 0
    while part := await reader.read(64 * 1024):
        size += len(part)
        if size > limit:
            raise ProbeFailedError(f"a command on the host printed more than {limit} bytes")
        parts.append(part)
    return b"".join(parts)


async def read_tail(reader: Reader, limit: int = MAX_STDERR) -> bytes:
    """Read to the end and return the last `limit` bytes."""
    tail = b""
    while part := await reader.read(64 * 1024):
        tail = (tail + part)[-limit:]
    return tail
