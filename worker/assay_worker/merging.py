"""Merging of raw chunks in the background, at a limited rate.

It runs in the scheduler's process, so that it costs a worker that follows hosts no time.
"""

import threading
import time

from assay.db.database import writing
from assay.recording.merging import merge_next

from assay_worker import background

SHARE = 0.2
"""Of the time that merging may take."""

IDLE_S = 5.0
"""Pause when nothing is due."""


def start(stop: threading.Event) -> threading.Thread:
    """Merge what is due in a thread of its own until `stop` is set."""
    pause_s = IDLE_S

    def work() -> None:
        nonlocal pause_s
        pause_s = IDLE_S
        began = time.monotonic()
        with writing(relaxed=True) as session:  # an undone merge leaves the chunks as they were
            merged = merge_next(session)
        if merged:
            pause_s = (time.monotonic() - began) * (1 / SHARE - 1)

    return background.repeat("merging raw chunks", work, lambda: stop.wait(pause_s))
