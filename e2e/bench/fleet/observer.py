"""An independent observer of the database during a fleet run: how much of each spool is stored.

It polls ten times a second through a separate connection, so it sees only committed data, and a
latency is too long by up to that interval, never too short.
"""

import sqlite3
import threading
import time
from bisect import bisect_left
from collections.abc import Mapping
from typing import Any

import psycopg
from fleet.host import Host

LOOK_S = 0.1
STORED = (
    "SELECT h.name, p.next_seq FROM participants p JOIN hosts h ON h.id = p.host_id "
    "JOIN runs r ON r.id = p.run_id WHERE p.next_seq > 0"
)


def connection(url: str) -> Any:
    """Open a connection that only reads, and sees each commit at once."""
    if url.startswith("sqlite"):
        path = url.removeprefix("sqlite:///")
        return sqlite3.connect(
            f"file:{path}?mode=ro", uri=True, check_same_thread=False, timeout=30
        )
    return psycopg.connect(url.replace("+psycopg", ""), autocommit=True)


class Observer:
    """Polls until it is stopped; keeps the latency of every sample of the measured time."""

    def __init__(self, url: str, hosts: Mapping[str, Host]) -> None:
        """Measure nothing yet."""
        self._database, self._hosts = connection(url), hosts
        self._seen = dict.fromkeys(hosts, 0)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look_on, name="observer", daemon=True)
        self.window = (float("inf"), float("inf"))
        self.latencies: list[tuple[float, str]] = []
        """Seconds from a sample's writing to its commit, and its host."""

    @property
    def server_pid(self) -> int | None:
        """The process of PostgreSQL that answers it; None on SQLite, which has none."""
        if isinstance(self._database, psycopg.Connection):
            return self._database.info.backend_pid
        return None

    def start(self) -> None:
        """Start polling."""
        self._thread.start()

    def stop(self) -> None:
        """Stop polling."""
        self._stop.set()
        self._thread.join()
        self._database.close()

    def _look_on(self) -> None:
        while not self._stop.wait(LOOK_S):
            rows = self._database.execute(STORED).fetchall()
            self._note(time.monotonic(), rows)

    def _note(self, when: float, rows: list[tuple[str, int]]) -> None:
        begin, end = self.window
        for name, stored in rows:
            host, seen = self._hosts[name], self._seen[name]
            if stored == seen:
                continue
            first = bisect_left(host.samples, seen)
            past = bisect_left(host.samples, stored)
            for seq in host.samples[first:past]:
                written = host.written_at[seq]
                if begin <= written < end:
                    self.latencies.append((when - written, name))
            self._seen[name] = stored
