"""The services of an installation, started for a test: Valkey and PostgreSQL.

The kernel ends them with the test's process, so that none remains if that is killed.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
from assay.supervisor import queue_server
from assay.supervisor.child import end_with


@contextmanager
def valkey() -> Iterator[str]:
    """Start a queue server on a Unix socket; return its address."""
    folder = Path(tempfile.mkdtemp(prefix="assay-q-", dir="/tmp"))
    socket = folder / "s"
    process = subprocess.Popen(
        queue_server.command(folder, socket),
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=end_with(os.getpid()),  # noqa: PLW1509 (one call of prctl)
    )
    try:
        asyncio.run(queue_server.wait_until_ready(socket))
        yield f"unix://{socket}"
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)


class Postgres:
    """A PostgreSQL server with its own cluster, on a Unix socket.

    Only a `durable` one waits for the disk at each commit. The server does not run as root, so root
    starts it as the user `postgres`.
    """

    def __init__(self, durable: bool = False) -> None:
        """Create an empty cluster."""
        self.folder = Path(tempfile.mkdtemp(prefix="assay-pg-", dir="/tmp"))
        self._data = self.folder / "data"
        self._user = "postgres" if os.getuid() == 0 else None
        self._options = ["-c", "listen_addresses=", "-c", "max_connections=200"]
        self._options += [] if durable else ["-c", "fsync=off"]
        self._process: subprocess.Popen[bytes] | None = None
        if self._user:
            shutil.chown(self.folder, self._user)
        self.folder.chmod(0o755)
        subprocess.run(
            [self._program("initdb"), "-D", self._data, "-U", "assay", "-A", "trust", "--no-sync"],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=self.folder,
            user=self._user,
            group=self._user,
        )

    @property
    def address(self) -> str:
        """Return its address without a database."""
        return f"postgresql+psycopg://assay@/{{database}}?host={self.folder}"

    def start(self) -> None:
        """Start it; it accepts connections when this returns."""
        self._process = subprocess.Popen(
            [self._program("postgres"), "-D", self._data, "-k", self.folder, *self._options],
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=end_with(os.getpid()),  # noqa: PLW1509 (one call of prctl)
            user=self._user,
            group=self._user,
        )
        _await_postgres(self.folder)

    def kill(self) -> None:
        """Kill all its processes at once, each of which leads a separate session."""
        if self._process is None:
            return
        postmaster = self._process.pid
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        for pid in (postmaster, *map(int, children)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()

    def remove(self) -> None:
        """Stop it immediately, since its data is not needed again, and remove it."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _program(self, name: str) -> Path:
        found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
        return found[-1] if found else Path(shutil.which(name) or name)


@contextmanager
def postgres(durable: bool = False) -> Iterator[str]:
    """Start a PostgreSQL server with an empty cluster; return its address without a database."""
    server = Postgres(durable)
    try:
        server.start()
        yield server.address
    finally:
        server.remove()


def _await_postgres(folder: Path) -> None:
    until = time.monotonic() + 20
    while True:
        try:
            psycopg.connect(host=str(folder), user="assay", dbname="postgres").close()
        except psycopg.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
        else:
            return


def create_database(address: str, name: str) -> str:
    """Create a database on the server; return its address."""
    folder = address.rpartition("host=")[2]
    with psycopg.connect(
        host=folder, user="assay", dbname="postgres", autocommit=True
    ) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return address.format(database=name)
