"""The event log of a run as it came, for other programs."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager

from sqlalchemy.orm import Session

from assay.samples.raw import raw_log


def event_log(
    reading: Callable[[], AbstractContextManager[Session]], participants: Sequence[int]
) -> Iterator[bytes]:
    """The participants' event lines as they were read, one after the other.

    A session is held for one chunk at a time: a slow download must not keep it.
    """
    for participant_id in participants:
        start = 0
        while True:
            with reading() as session:
                chunk = next(raw_log(session, participant_id, start), None)
            if chunk is None:
                break
            start = chunk[0] + len(chunk[1])
            yield chunk[1]
