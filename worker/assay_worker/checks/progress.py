"""The check under way: how far it is, and the right to write what it finds."""

from collections.abc import Generator
from contextlib import contextmanager

from assay.db.database import writing
from assay.db.ownership import Ownership, held
from assay.hosts.models import Check, Host
from assay.messaging.changes import announce
from sqlalchemy.orm import Session

from assay_worker.loop import in_thread


class Progress:
    """A check, for the worker that owns it."""

    def __init__(self, ownership: Ownership[Check], host_id: int) -> None:
        """Nothing is done yet."""
        self._ownership, self._host_id = ownership, host_id

    @contextmanager
    def writing(self) -> Generator[tuple[Session, Check]]:
        """A transaction on the check as its owner, announced as a change of it and its host.

        Raises StaleGenerationError when another worker has taken the check, or it is gone.
        """
        with writing() as session:
            # whoever locks both locks the host first, as the API does that deletes it
            session.get(Host, self._host_id, with_for_update=True)
            yield session, held(session, self._ownership)
            announce(f"check:{self._ownership.id}", f"host:{self._host_id}", after=session)

    async def step(self, name: str) -> None:
        """Record the step that begins; raises StaleGenerationError."""
        await in_thread(self._record, name)

    def _record(self, name: str) -> None:
        with self.writing() as (_, check):
            check.step = name
