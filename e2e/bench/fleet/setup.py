"""What a measurement stands on: how large it is, and a private queue and database for it."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.db import database, schema
from assay.settings import settings
from fleet import meters
from testing import services


@dataclass(frozen=True)
class Setup:
    """One measurement: how many hosts, on which database, by how many workers, for how long."""

    hosts: int
    database: str
    workers: int
    minutes: float
    capacity: int | None = None
    """Of each worker; None: enough for all hosts."""

    def __str__(self) -> str:
        plural = "" if self.workers == 1 else "s"
        return f"{self.hosts} hosts, {self.database}, {self.workers} worker{plural}"


@contextmanager
def installed(setup: Setup, home: Path) -> Iterator[tuple[str, dict[str, int]]]:
    """A private queue and database; the database's address, and the services' process ids."""
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
    """The queue's and the database's process, by name."""
    found = {meters.name(pid): pid for pid in meters.children(os.getpid())}
    return {name: pid for name, pid in found.items() if name.startswith(("valkey", "postgres"))}
