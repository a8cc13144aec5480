"""The setup of a measurement: its size, and a private queue and database."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.base.settings import settings
from assay.tables import database, schema
from fleet import meters
from testing import services


@dataclass(frozen=True)
class Setup:
    """One measurement: number of hosts, database, number of workers, duration."""

    hosts: int
    database: str
    workers: int
    minutes: float
    capacity: int | None = None
    """Capacity of each worker; None: enough for all hosts."""

    def __str__(self) -> str:
        plural = "" if self.workers == 1 else "s"
        return f"{self.hosts} hosts, {self.database}, {self.workers} worker{plural}"


@contextmanager
def installed(setup: Setup, home: Path) -> Iterator[tuple[str, dict[str, int]]]:
    """Start a private queue and database; yield the database's address and the process ids."""
    with ExitStack() as stack:
        queue = stack.enter_context(services.valkey())
        os.environ |= {"ASSAY_HOME": str(home), "ASSAY_REDIS_URL": queue}
        os.environ.pop("ASSAY_DATABASE_URL", None)
        if setup.database == "postgresql":
            server = stack.enter_context(services.postgres(durable=True))
            os.environ["ASSAY_DATABASE_URL"] = services.create_database(server, "fleet")
        settings.cache_clear()
        database.engine.cache_clear()
        schema.migrate(database.engine())
        yield settings().resolved_database_url, children()
        database.engine().dispose()


def children() -> dict[str, int]:
    """Return the queue's and the database's process, by name."""
    found = {meters.name(pid): pid for pid in meters.children(os.getpid())}
    return {name: pid for name, pid in found.items() if name.startswith(("valkey", "postgres"))}
