"""The cost of SSH for a sample: 50 hosts behind a real sshd, followed over the worker's connector.

    ssh.py [--hosts 50] [--seconds 20] [--repetitions 3]

Every host sends the line of a recorded sample once a second. Each repetition reads them over pipes
of local processes, then over SSH with each cipher; SSH's cost is the difference in CPU time of this
process, which only reads. The host's side (sshd and the shell) is listed beside it. Needs root.
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

BENCH = Path(__file__).resolve().parents[1]
ROOT = BENCH.parents[1]
sys.path[:0] = [str(BENCH), str(BENCH.parent)]

import asyncssh  # noqa: E402
from assay_worker.connectors import ssh  # noqa: E402
from assay_worker.connectors.local import LocalConnection, LocalStream  # noqa: E402
from fleet import meters  # noqa: E402
from lab.site import TEST_MARKER  # noqa: E402
from testing.sshd import Sshd  # noqa: E402

CIPHERS = {
    "SSH, as connected": (),
    "SSH, chacha20-poly1305": ("chacha20-poly1305@openssh.com",),
    "SSH, aes128-gcm": ("aes128-gcm@openssh.com",),
    "SSH, aes128-ctr": ("aes128-ctr",),
}
"""The first is what asyncssh and the server agree on without a preference of ours."""

PIPES = "pipes, without SSH"
BATCH = 256 * 1024
SETTLE_S = 2.0

Stream = LocalStream | ssh.SshStream


@dataclass(frozen=True)
class Cost:
    """CPU milliseconds for each sample, of the reader and of the server with its shells."""

    reader_ms: float
    server_ms: float
    samples: int


def recorded_sample() -> bytes:
    """Return the longest line of a sample in the contract's recordings."""
    lines = [
        line
        for path in (ROOT / "worker/probe/contract/good").glob("*.ndjson")
        for line in path.read_bytes().splitlines(keepends=True)
        if b'"ev":"sample"' in line
    ]
    return max(lines, key=len)


@asynccontextmanager
async def over_ssh(
    sshd: Sshd, hosts: int, ciphers: tuple[str, ...], command: list[str]
) -> AsyncGenerator[list[Stream]]:
    """Start the command on each host over a connection of its own."""
    login = ssh.SshLogin("127.0.0.1", sshd.port, sshd.user, sshd.host_key, sshd.private_key)
    connect, preferred = asyncssh.connect, {"encryption_algs": ciphers} if ciphers else {}

    def preferring(*where: object, **options: object) -> object:
        return connect(*where, **options, **preferred)  # pyright: ignore[reportArgumentType]

    connections: list[ssh.SshConnection] = []
    with mock.patch.object(asyncssh, "connect", preferring):
        for _ in range(hosts):  # one by one: sshd refuses many logins at the same time
            connections.append(await ssh.connect(login))
    try:
        yield [await connection.stream(command) for connection in connections]
    finally:
        for connection in connections:
            await connection.close()


@asynccontextmanager
async def over_pipes(hosts: int, command: list[str]) -> AsyncGenerator[list[Stream]]:
    """Start the command on this machine."""
    connection = LocalConnection()
    streams: list[Stream] = [await connection.stream(command) for _ in range(hosts)]
    try:
        yield streams
    finally:
        for stream in streams:
            await stream.close()


async def measured(streams: list[Stream], seconds: float, server: int | None) -> Cost:
    """Read all streams for some time, and return the cost of a sample."""
    samples = 0

    async def read(stream: Stream) -> None:
        nonlocal samples
        while True:
            piece = await stream.read(BATCH)
            samples += piece.count(b"\n")

    readers = [asyncio.create_task(read(stream)) for stream in streams]
    await asyncio.sleep(SETTLE_S)
    began, before, served = samples, time.process_time(), meters.cpu_s(server) if server else 0.0
    await asyncio.sleep(seconds)
    spent, moved = time.process_time() - before, samples - began
    served = (meters.cpu_s(server) if server else 0.0) - served
    for reader in readers:
        reader.cancel()
    await asyncio.gather(*readers, return_exceptions=True)
    return Cost(spent * 1e3 / moved, served * 1e3 / moved, moved)


async def compare(hosts: int, seconds: float, repetitions: int) -> dict[str, list[Cost]]:
    """Measure every way of reading in turns."""
    found: dict[str, list[Cost]] = {name: [] for name in (PIPES, *CIPHERS)}
    with tempfile.TemporaryDirectory(prefix="assay-ssh-") as folder:
        line = Path(folder) / "line"
        line.write_bytes(recorded_sample())
        command = ["sh", "-c", f'read -r s < {line}; while sleep 1; do printf "%s\\n" "$s"; done']
        sshd = Sshd(Path(folder) / "sshd")
        sshd.start()
        try:
            server = int((sshd.folder / "pid").read_text())
            for _ in range(repetitions):
                async with over_pipes(hosts, command) as streams:
                    found[PIPES].append(await measured(streams, seconds, None))
                for name, ciphers in CIPHERS.items():
                    async with over_ssh(sshd, hosts, ciphers, command) as streams:
                        found[name].append(await measured(streams, seconds, server))
        finally:
            sshd.stop()
    return found


def main() -> None:
    """Print a table of the costs with their spread."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--repetitions", type=int, default=3)
    given = parser.parse_args()
    os.environ.setdefault(TEST_MARKER, str(os.getpid()))
    found = asyncio.run(compare(given.hosts, given.seconds, given.repetitions))
    print("| read over | CPU of the reader per sample | spread | sshd and shell |")
    print("|---|---|---|---|")
    for name, costs in found.items():
        own = [cost.reader_ms for cost in costs]
        server = statistics.median(cost.server_ms for cost in costs)
        print(
            f"| {name} | {statistics.median(own):.3f} ms | {min(own):.3f}…{max(own):.3f} "
            f"| {f'{server:.3f} ms' if server else '–'} |"
        )


if __name__ == "__main__":
    main()
