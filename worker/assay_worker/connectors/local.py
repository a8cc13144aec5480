"""The connection to the local machine: child processes."""

import asyncio
import os
import shlex
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from assay_worker.connectors.connection import (
    COMMAND_TIMEOUT_S,
    END_TIMEOUT_S,
    MAX_OUTPUT,
    Finished,
    read_all,
    read_tail,
    within,
)
from assay_worker.errors import ConnectionLostError, HomeReadOnlyError, ProbeFailedError

PASSWORDS = frozenset({"PGPASSWORD", "REDISCLI_AUTH"})
"""Passwords of the appliance's database and queue, which their clients read."""

OF_TESTS = frozenset({"ASSAY_PROBE_ROOT", "ASSAY_TEST_WALL_AHEAD_S"})
"""What the test build of the probe reads; the shipped one ignores both."""


async def _start(argv: Sequence[str], stdin: int) -> Process:
    """Start a child in its own session, so that Ctrl-C in Assay's terminal does not reach it."""
    try:
        return await asyncio.create_subprocess_exec(
            *(os.fsencode(part) for part in argv),
            stdin=stdin,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
            env=_environment(),
        )
    except OSError as error:
        raise ProbeFailedError(f"{argv[0]} cannot be started: {error.strerror}") from None


def _environment() -> dict[str, str]:
    """Return this process's environment without what is the appliance's own, such as its secrets.

    Without the marker, a probe is not taken for a process of the appliance.
    """
    kept = {name: value for name, value in os.environ.items() if not _is_own(name.upper())}
    return kept | {"LC_ALL": "C"}


def _is_own(name: str) -> bool:
    """Return whether a variable is the appliance's, by its name in upper case."""
    own = name in PASSWORDS or name.startswith("ASSAY_")
    return own and name not in OF_TESTS


def _kill(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()


class LocalStream:
    """A child process with streamed output."""

    def __init__(self, process: Process) -> None:
        """Collect its standard error concurrently."""
        assert process.stdout and process.stderr  # noqa: S101 - both are pipes
        self._process, self._stdout = process, process.stdout
        self._stderr = asyncio.ensure_future(read_tail(process.stderr))

    async def read(self, limit: int) -> bytes:
        """Return up to `limit` bytes as soon as some are available; empty at the end."""
        return await self._stdout.read(limit)

    async def finish(self) -> Finished:
        """Return the child's result; a killed child counts as a lost connection."""
        async with within(END_TIMEOUT_S, "a command closed its output, but did not exit"):
            code = await self._process.wait()
            stderr = await self._stderr
        if code < 0:
            raise ConnectionLostError(f"a process on this machine was killed by signal {-code}")
        return Finished(code, b"", stderr)

    async def close(self) -> None:
        """Kill the child if it is still running."""
        _kill(self._process)
        self._stderr.cancel()
        with suppress(TimeoutError):  # a process stuck in the kernel survives SIGKILL
            async with asyncio.timeout(END_TIMEOUT_S):
                await self._process.wait()


class LocalConnection:
    """A connection that runs child processes."""

    async def run(
        self, argv: Sequence[str], stdin: bytes = b"", timeout_s: float = COMMAND_TIMEOUT_S
    ) -> Finished:
        """Run a command and wait for its exit."""
        process = await _start(argv, PIPE if stdin else DEVNULL)
        assert process.stdout and process.stderr  # noqa: S101 - both are pipes
        try:
            async with within(timeout_s, f"{shlex.join(argv[:2])} did not exit"):
                stdout, stderr, _ = await asyncio.gather(
                    read_all(process.stdout, MAX_OUTPUT),
                    read_tail(process.stderr),
                    _feed(process, stdin),
                )
                return Finished(await process.wait(), stdout, stderr)
        finally:
            _kill(process)

    async def stream(self, argv: Sequence[str]) -> LocalStream:
        """Start a command and stream its output; its standard input stays open."""
        return LocalStream(await _start(argv, PIPE))

    async def upload(self, data: bytes, path: str) -> None:
        """Write `data` to `path` atomically, executable only by the user."""
        final = Path(path)
        temporary = final.with_name(f"{final.name}.{os.getpid()}.new")
        try:
            temporary.write_bytes(data)
            temporary.chmod(0o700)
            temporary.replace(final)
        except OSError as error:
            raise HomeReadOnlyError(f"{path}: {error.strerror}") from None

    async def close(self) -> None:
        """Do nothing: there is no open connection."""


async def _feed(process: Process, stdin: bytes) -> None:
    if process.stdin is None:
        return
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(stdin)
        await process.stdin.drain()
    process.stdin.close()
