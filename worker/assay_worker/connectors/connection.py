"""The interface of a connection, and what both kinds share.

Whatever a host sends is bounded: an answer larger than its limit, or one that never ends, is an
error, never memory.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from assay_worker.errors import ProbeFailedError

COMMAND_TIMEOUT_S = 60.0
OPEN_TIMEOUT_S = END_TIMEOUT_S = 25.0
"""How long a host may take to start a command, and to end one that has closed its output.

Longer than a silent network takes to be noticed: that is another trouble.
"""

MAX_OUTPUT = 4 * 2**20
MAX_STDERR = 8 * 2**10


@dataclass(frozen=True)
class Finished:
    """How a command ended."""

    exit_code: int
    stdout: bytes
    stderr: bytes

    @property
    def complaint(self) -> str:
        """What it wrote to standard error, as text."""
        return self.stderr.decode(errors="replace").strip()


class Stream(Protocol):
    """The standard output of a command that goes on."""

    async def read(self, limit: int) -> bytes:
        """At most `limit` bytes as soon as there are some; empty at the end.

        A read that is cancelled loses no byte: the next one returns it.
        """
        ...

    async def finish(self) -> Finished:
        """How the command ended, once its output has.

        Raises ConnectionLostError when that is not known, ProbeFailedError when it goes on.
        """
        ...

    async def close(self) -> None:
        """End the command if it still runs."""
        ...


class Connection(Protocol):
    """A way to a host; every method raises HostError."""

    async def run(
        self, argv: Sequence[str], stdin: bytes = b"", timeout_s: float = COMMAND_TIMEOUT_S
    ) -> Finished:
        """Run a command to its end."""
        ...

    async def stream(self, argv: Sequence[str]) -> Stream:
        """Start a command whose output is read as it comes; its standard input stays open."""
        ...

    async def upload(self, data: bytes, path: str) -> None:
        """Put `data` at `path`, whole or not at all, executable by the user alone."""
        ...

    async def close(self) -> None:
        """End the connection."""
        ...


class Reader(Protocol):
    """What a process of either kind is read by."""

    async def read(self, n: int = -1) -> bytes:
        """At most `n` bytes; empty at the end."""
        ...


@asynccontextmanager
async def within(seconds: float, trouble: str) -> AsyncGenerator[None]:
    """Raise ProbeFailedError with `trouble` when the block takes longer than `seconds`."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise ProbeFailedError(f"{trouble} within {seconds:g} s") from None


async def read_all(reader: Reader, limit: int) -> bytes:
    """Everything until the end; raises ProbeFailedError past `limit` bytes."""
    parts: list[bytes] = []
    size = 0
    while part := await reader.read(64 * 1024):
        size += len(part)
        if size > limit:
            raise ProbeFailedError(f"a command on the host printed more than {limit} bytes")
        parts.append(part)
    return b"".join(parts)


async def read_tail(reader: Reader, limit: int = MAX_STDERR) -> bytes:
    """Everything until the end, of which only the last `limit` bytes are kept."""
    tail = b""
    while part := await reader.read(64 * 1024):
        tail = (tail + part)[-limit:]
    return tail
