"""The event log of a run as it came, for other programs."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager

from sqlalchemy.orm import Session

from assay.samples.raw import raw_log

PAGE_BYTES = 1 << 20
"""Of an event log, read at once."""


def event_log(
    reading: Callable[[], AbstractContextManager[Session]], participants: Sequence[int]
) -> Iterator[bytes]:
    """The participants' event lines as they were read, one after the other.

    Each page of it is read in a snapshot of its own: a slow download must not keep a session.
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
    """The log from a byte on, in whole chunks; empty behind its end."""
    page = bytearray()
    for _, data in raw_log(session, participant_id, start):
        page += data
        if len(page) >= PAGE_BYTES:
            break
    return bytes(page)
