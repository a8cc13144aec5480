"""The services that an installation leans on, started for a test: Valkey and PostgreSQL.

The kernel ends them with the test's process, so that none stays behind when that is killed.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from assay.supervisor import queue_server
from assay.supervisor.child import end_with


@contextmanager
def valkey() -> Iterator[str]:
    """A queue server on a Unix socket; its address."""
    folder = Path(tempfile.mkdtemp(prefix="assay-q-", dir="/tmp"))
    socket = folder / "s"
    process = subprocess.Popen(
        queue_server.command(folder, socket),
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=end_with(os.getpid()),  # noqa: PLW1509 (one call of prctl)
    )
    try:
        asyncio.run(queue_server.answers(socket))
        yield f"unix://{socket}"
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)


@contextmanager
def postgres(durable: bool = False) -> Iterator[str]:
    """A PostgreSQL server with an empty cluster, on a Unix socket; its address without a database.

    Only a `durable` one waits for the disk at each commit. It refuses to run as root, so root
    starts it as the user `postgres`.
    """
    folder = Path(tempfile.mkdtemp(prefix="assay-pg-", dir="/tmp"))
    data = folder / "data"
    user = "postgres" if os.getuid() == 0 else None
    if user:
        shutil.chown(folder, user)
    folder.chmod(0o755)
    binaries = _postgres_binaries()
    subprocess.run(
        [binaries / "initdb", "-D", data, "-U", "assay", "-A", "trust", "--no-sync"],
        check=True,
        stdout=subprocess.DEVNULL,
        cwd=folder,
        user=user,
        group=user,
    )
    options = ["-c", "listen_addresses=", "-c", "max_connections=200"]
    options += [] if durable else ["-c", "fsync=off"]
    process = subprocess.Popen(
        [binaries / "postgres", "-D", data, "-k", folder, *options],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=end_with(os.getpid()),  # noqa: PLW1509 (one call of prctl)
        user=user,
        group=user,
    )
    try:
        _await_postgres(folder)
        yield f"postgresql+psycopg://assay@/{{database}}?host={folder}"
    finally:
        process.send_signal(signal.SIGQUIT)  # at once: nobody needs the data again
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _postgres_binaries() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    return found[-1].parent if found else Path(shutil.which("postgres") or "postgres").parent


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
    """A new database on the server; its address."""
    folder = address.rpartition("host=")[2]
    with psycopg.connect(
        host=folder, user="assay", dbname="postgres", autocommit=True
    ) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return address.format(database=name)
