"""Background work at a limited rate: results, raw chunks, keys, deletions, schedules.

It runs in the scheduler's process, so that it does not delay a worker that follows hosts.
"""

import threading
import time
from collections.abc import Callable

from assay.campaigns.deletion import purge_next
from assay.db.database import writing
from assay.idempotency.keys import sweep
from assay.recording.merging import merge_next
from assay.retention.removal import apply_next
from assay.runs import stored_results
from assay.schedules import firing
from assay.verdicts.stored import store_ended
from assay.webhooks import deliveries

from assay_worker import background

SHARE = 0.2
"""Maximum share of the time for each task."""

IDLE_S = 5.0
"""Pause when nothing is due, or after an error."""


def start(stop: threading.Event) -> list[threading.Thread]:
    """Store results, merge chunks, delete what is old, fire schedules: each in a thread."""
    return [
        _repeat("storing results", _store_results(), stop),
        _repeat("merging raw chunks", _merge, stop),
        _repeat("deleting idempotency keys", sweep, stop),
        _repeat("removing deleted campaigns", _purge, stop),
        _repeat("deleting old webhook deliveries", deliveries.sweep, stop),
        _repeat("firing schedules", _fire(), stop),
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


def _store_results() -> Callable[[], bool]:
    """Store one result and verdict per call; a run that cannot be evaluated blocks no others."""
    last = 0

    def store() -> bool:
        nonlocal last
        run_id = stored_results.due(after=last)
        if run_id is None:
            return False
        last = run_id
        store_ended(run_id)
        return True

    return store


def _merge() -> bool:
    with writing(relaxed=True) as session:  # a failed merge leaves the chunks unchanged
        return merge_next(session)


def _purge() -> bool:
    with writing(relaxed=True) as session:  # what a crash brings back is removed again
        return purge_next(session)


def _fire() -> Callable[[], bool]:
    """Fire one schedule per call; one that fails unexpectedly blocks no others."""
    last = 0

    def fire() -> bool:
        nonlocal last
        schedule_id = firing.due(after=last)
        if schedule_id is None:
            return False
        last = schedule_id
        firing.fire(schedule_id)
        return True

    return fire
