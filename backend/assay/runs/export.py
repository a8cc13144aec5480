"""Download of a run's unmodified event log."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager

from sqlalchemy.orm import Session

from assay.samples.raw import raw_log

PAGE_BYTES = 1 << 20
"""Bytes of an event log read at once."""


def event_log(
    reading: Callable[[], AbstractContextManager[Session]], participants: Sequence[int]
) -> Iterator[bytes]:
    """Yield the participants' unmodified event lines, one participant after the other.

    Each part is read in a separate snapshot: a slow download must not hold a session.
    """
    for participant_id in participants:
        start = 0
        while True:
            with reading() as session:
                page = _page(session, participant_id, start)
            if not page:
                break
            start += len(page)
            yield page


def _page(session: Session, participant_id: int, start: int) -> bytes:
    """Return whole chunks of the log from a byte on; empty at its end."""
    page = bytearray()
    for _, data in raw_log(session, participant_id, start):
        page += data
        if len(page) >= PAGE_BYTES:
            break
    return bytes(page)
