"""Progress of a running check, and transactions of its owner."""

from collections.abc import Generator
from contextlib import contextmanager

from assay.base.messaging.changes import announce
from assay.tables.database import writing
from assay.tables.hosts import Check, Host
from assay.tables.ownership import Ownership, held
from sqlalchemy.orm import Session

from assay_worker.loop import in_thread


class CheckProgress:
    """A check, for the worker that owns it."""

    def __init__(self, ownership: Ownership[Check], host_id: int) -> None:
        """Wrap an owned check of the host `host_id`."""
        self._ownership, self._host_id = ownership, host_id

    @contextmanager
    def writing(self) -> Generator[tuple[Session, Check]]:
        """Run a transaction as the check's owner, and notify subscribers of check and host.

        Raises StaleGenerationError if another worker has taken the check, or it was deleted.
        """
        with writing() as session:
            # lock order: the host first, as in its deletion by the API
            session.get(Host, self._host_id, with_for_update=True)
            yield session, held(session, self._ownership)
            announce(f"check:{self._ownership.id}", f"host:{self._host_id}", after=session)

    async def step(self, name: str) -> None:
        """Record the step that begins; raises StaleGenerationError."""
        await in_thread(self._record, name)

    def _record(self, name: str) -> None:
        with self.writing() as (_, check):
            check.step = name
