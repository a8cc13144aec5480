"""Background work at a limited rate: results, figures, raw chunks, keys, deletions, schedules.

It runs in the scheduler's process, so that it does not delay a worker that follows hosts.
"""

import threading
import time
from collections.abc import Callable

from assay.api.idempotency.keys import sweep
from assay.api.webhooks import deliveries
from assay.history.retention.removal import apply_next
from assay.runs import stored_results
from assay.runs.campaigns.deletion import purge_next
from assay.runs.recording.merging import merge_next
from assay.runs.schedules import firing
from assay.runs.verdicts.stored import store_ended
from assay.tables.database import writing

from assay_worker import background

SHARE = 0.2
"""Maximum share of the time for each task."""

IDLE_S = 5.0
"""Pause when nothing is due, or after an error."""


def start(stop: threading.Event) -> list[threading.Thread]:
    """Store results, fill figures, merge chunks, delete what is old, fire: each in a thread."""
    return [
        _repeat("storing results", _in_turn(stored_results.due, store_ended), stop),
        _repeat(
            "filling figures", _in_turn(stored_results.without_figures, stored_results.fill), stop
        ),
        _repeat("merging raw chunks", _merge, stop),
        _repeat("deleting idempotency keys", sweep, stop),
        _repeat("removing deleted campaigns", _purge, stop),
        _repeat("deleting old webhook deliveries", deliveries.sweep, stop),
        _repeat("firing schedules", _in_turn(firing.due, firing.fire), stop),
        _repeat("applying retention rules", apply_next, stop),
    ]


def _repeat(name: str, task: Callable[[], bool], stop: threading.Event) -> threading.Thread:
    """Call `task`, which returns whether anything was due, at most `SHARE` of the time."""
    pause_s = IDLE_S

    def work() -> None:
        nonlocal pause_s
        pause_s = IDLE_S
        began = time.monotonic()
        if task():
            pause_s = (time.monotonic() - began) * (1 / SHARE - 1)

    return background.repeat(name, work, lambda: stop.wait(pause_s))


def _in_turn(due: Callable[[int], int | None], work: Callable[[int], object]) -> Callable[[], bool]:
    """Return a task that does `work` on one due object per call; one that fails blocks no others.

    `due` returns the id of the next one after an id, and after the last one starts again.
    """
    last = 0

    def turn() -> bool:
        nonlocal last
        following = due(last)
        if following is None:
            return False
        last = following
        work(following)
        return True

    return turn


def _merge() -> bool:
    with writing(relaxed=True) as session:  # a failed merge leaves the chunks unchanged
        return merge_next(session)


def _purge() -> bool:
    with writing(relaxed=True) as session:  # what a crash brings back is removed again
        return purge_next(session)
