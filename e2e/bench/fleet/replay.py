"""The connection to a simulated host: the same interface as SSH, over the bench's own socket.

It excludes the cost of SSH itself (encryption and packets), as the report says.
"""

import asyncio
import json
import os
from collections.abc import Sequence

from assay_worker.connectors.connection import COMMAND_TIMEOUT_S, Connection, Finished
from assay_worker.errors import ConnectionLostError, UnreachableError
from assay_worker.hosts import Access, Connector, connectors
from assay_worker.probe import Probe
from fleet.links import FRAME

REPLAY = "replay"
"""What a host's row names; the API knows no such kind, and no other process has its connector."""

SOCKET = "ASSAY_BENCH_FLEET"
"""The environment variable with the socket's path."""


class ReplayStream:
    """A command's output as it comes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Use `ReplayConnection.stream`."""
        self._reader, self._writer = reader, writer
        self._left, self._complaint = b"", b""
        self._code: int | None = None
        self._frame: tuple[bytes, int] | None = None
        """The header of a frame whose payload has not been read: a read may be cancelled."""

    async def read(self, limit: int) -> bytes:
        """Return at most `limit` bytes as soon as some are available; empty at the end."""
        while not self._left and self._code is None:
            try:
                if self._frame is None:
                    self._frame = FRAME.unpack(await self._reader.readexactly(FRAME.size))
                kind, size = self._frame
                payload = await self._reader.readexactly(size)
                self._frame = None
            except (asyncio.IncompleteReadError, OSError):
                raise ConnectionLostError("the link broke") from None
            match kind:
                case b"o":
                    self._left = payload
                case b"e":
                    self._complaint += payload
                case _:
                    self._code = payload[0]
        part, self._left = self._left[:limit], self._left[limit:]
        return part

    async def finish(self) -> Finished:
        """Return how the command ended."""
        if self._code is None:
            raise ConnectionLostError("the link broke before the command ended")
        return Finished(self._code, b"", self._complaint)

    async def close(self) -> None:
        """Close the connection."""
        self._writer.transport.abort()


class ReplayConnection:
    """A connection to one simulated host."""

    def __init__(self, name: str) -> None:
        """Nothing is held open."""
        self._name = name

    async def run(
        self, argv: Sequence[str], stdin: bytes = b"", timeout_s: float = COMMAND_TIMEOUT_S
    ) -> Finished:
        """Run a command to its end."""
        async with asyncio.timeout(timeout_s):
            stream = await self._open(argv, stdin)
            parts: list[bytes] = []
            while part := await stream.read(1 << 20):
                parts.append(part)
            ended = await stream.finish()
            await stream.close()
        return Finished(ended.exit_code, b"".join(parts), ended.stderr)

    async def stream(self, argv: Sequence[str]) -> ReplayStream:
        """Start a command and stream its output."""
        return await self._open(argv)

    async def upload(self, data: bytes, path: str) -> None:
        """Do nothing: simulated hosts have their probe."""

    async def close(self) -> None:
        """Nothing is held open."""

    async def _open(self, argv: Sequence[str], stdin: bytes = b"") -> ReplayStream:
        try:
            reader, writer = await asyncio.open_unix_connection(os.environ[SOCKET])
        except OSError as error:
            raise UnreachableError(f"{self._name}: {error}") from None
        asked = {"host": self._name, "argv": list(argv), "stdin": stdin.decode()}
        writer.write(json.dumps(asked).encode() + b"\n")
        return ReplayStream(reader, writer)


async def _connect(way: Access) -> Connection:
    return ReplayConnection(way.name)


async def _install(_way: Access, connection: Connection) -> Probe:
    return Probe(connection, "/imaginary/assay-probe", "/imaginary/runs", "0" * 64)


def register() -> None:
    """Let only this process connect to simulated hosts."""
    connectors[REPLAY] = Connector(lambda _session, _host: None, _connect, _install)
