"""A hostile server before any login gets a clear error, and little of its output is read."""

import asyncio
import contextlib
import socketserver
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import asyncssh
import pytest
from assay_worker.connectors.keys import fetch_host_key, public_line
from assay_worker.connectors.ssh import SshLogin, connect
from assay_worker.errors import ConnectionLostError

CHUNK = 2**16
ENDLESS = 2**30
"""Bytes after which the server exits."""

MOST_TAKEN = 2**28
"""Maximum bytes that it can send: the kernel's buffers of three connections."""

VERSION = b"SSH-2.0-harm\r\n"

SAYS = {
    "endless banner lines": (b"", b"welcome\r\n" * (CHUNK // 9), "Too many banner lines"),
    "one banner line without end": (b"", b"x" * CHUNK, "Banner line too long"),
    "a version without end": (b"SSH-2.0-", b"x" * CHUNK, "Banner line too long"),
    "one packet of 4 GB": (VERSION + b"\xff\xff\xff\xf0", bytes(CHUNK), "Max packet size exceeded"),
    "empty packets": (VERSION, bytes(CHUNK), "Incomplete packet"),
    "a version that is not text": (b"SSH-2.0-\xff\xfe\r\n", b"x" * CHUNK, "decode"),
}


class HostileServer(socketserver.ThreadingTCPServer):
    """Sends `first` to any client, then `more` without end, and ignores all input."""

    def __init__(self, first: bytes, more: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Flood)
        self.first, self.more, self.taken = first, more, 0


class Flood(socketserver.BaseRequestHandler):
    server: HostileServer

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):
            self.request.sendall(self.server.first)
            while self.server.taken < ENDLESS:
                self.request.sendall(self.server.more)
                self.server.taken += len(self.server.more)


@contextlib.contextmanager
def serving(server: HostileServer) -> Iterator[int]:
    """The port; at the end all connections are closed."""
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def ask_for_its_key(port: int) -> None:
    await fetch_host_key("127.0.0.1", port, None)


async def log_in(port: int) -> None:
    approved = public_line(asyncssh.generate_private_key("ssh-ed25519"))
    await connect(SshLogin("127.0.0.1", port, "assay", approved, password="of nobody"))


@pytest.mark.parametrize("ask", [ask_for_its_key, log_in])
@pytest.mark.parametrize("case", SAYS)
def test_a_malicious_server_is_disconnected_with_the_reason(
    case: str, ask: Callable[[int], Coroutine[Any, Any, None]]
) -> None:
    first, more, words = SAYS[case]
    server = HostileServer(first, more)
    with serving(server) as port, pytest.raises(ConnectionLostError, match=words):
        asyncio.run(ask(port))
    assert server.taken < MOST_TAKEN
