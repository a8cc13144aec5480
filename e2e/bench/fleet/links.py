"""The links to simulated hosts: a Unix socket, one connection for each command.

A request is a line of JSON (host, argv, stdin). The answer consists of frames: a letter (`o`
output, `e` error message, `x` exit code), four bytes of length, the payload; a connection that ends
without an exit code was lost. Some links are slow, some break from time to time.
"""

import asyncio
import json
import random
import struct
from collections.abc import Mapping
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any

from fleet.host import Host

FRAME = struct.Struct("!cI")
LARGEST = 64 * 1024

SLOW_PIECE, SLOW_PAUSE_S = 150, 0.05
"""A slow link delivers this many bytes at a time, so lines arrive in pieces."""

BREAKS_AFTER_S = 60.0
"""Mean time until a flaky link breaks."""


class Link(Enum):
    """The quality of a host's link."""

    GOOD = "good"
    SLOW = "slow"
    FLAKY = "flaky"


def link_of(number: int) -> Link:
    """Return a host's link: of twenty links one is slow and one is flaky."""
    return {7: Link.SLOW, 13: Link.FLAKY}.get(number % 20, Link.GOOD)


class Links:
    """Serves all hosts on one socket."""

    def __init__(self, hosts: Mapping[str, Host], *, reliable: bool = False) -> None:
        """Use one link per host, in their order."""
        self._hosts = hosts
        self._links = {
            name: Link.GOOD if reliable else link_of(number) for number, name in enumerate(hosts)
        }
        self.broken = 0

    async def serve(self, socket: Path) -> asyncio.AbstractServer:
        """Accept connections from now on."""
        return await asyncio.start_unix_server(self._answer, socket, backlog=2048)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            asked: dict[str, Any] = json.loads(await reader.readline())
            host, argv = self._hosts[asked["host"]], asked["argv"]
            if argv[1] == "follow":
                await self._follow(host, argv, reader, writer)
            else:
                code, said = host.answer(argv, asked["stdin"])
                if isinstance(said, str):
                    _frame(writer, b"e", said.encode())
                else:
                    _frame(writer, b"o", json.dumps(said).encode())
                _frame(writer, b"x", bytes([code]))
                await writer.drain()
        writer.close()

    async def _follow(
        self,
        host: Host,
        argv: list[str],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        offset, generation = int(argv[4]), int(argv[6])
        link = self._links[host.name]
        with host.following(generation) as follower:
            if isinstance(follower, tuple):
                code, complaint = follower
                _frame(writer, b"e", complaint.encode())
                _frame(writer, b"x", bytes([code]))
                return
            sending = asyncio.create_task(_send(host, follower.bell, offset, link, writer))
            gone = asyncio.create_task(reader.read(1))  # the other end disconnects
            breaks = random.expovariate(1 / BREAKS_AFTER_S) if link is Link.FLAKY else None
            await asyncio.wait({sending, gone}, timeout=breaks, return_when=asyncio.FIRST_COMPLETED)
            if not sending.done() and not gone.done():
                self.broken += 1
                writer.transport.abort()
            for task in (sending, gone):
                task.cancel()
            await asyncio.gather(sending, gone, return_exceptions=True)


async def _send(
    host: Host, bell: asyncio.Event, offset: int, link: Link, writer: asyncio.StreamWriter
) -> None:
    while True:
        bell.clear()
        while offset < len(host.spool):
            piece = host.spool[offset : offset + (SLOW_PIECE if link is Link.SLOW else LARGEST)]
            _frame(writer, b"o", piece)
            await writer.drain()
            offset += len(piece)
            if link is Link.SLOW:
                await asyncio.sleep(SLOW_PAUSE_S)
        if host.ended:
            _frame(writer, b"x", b"\0")
            await writer.drain()
            return
        await bell.wait()


def _frame(writer: asyncio.StreamWriter, kind: bytes, payload: bytes | bytearray) -> None:
    writer.write(FRAME.pack(kind, len(payload)) + payload)
