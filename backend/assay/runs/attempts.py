"""What the status of an attempt means, and which attempt speaks for its trial."""

from collections.abc import Sequence

from assay.runs.models import Attempt

RUNNING = "running"
INTERRUPTED = "interrupted"

COUNTED = ("complete", "timed_out")
"""Statuses that enter a cell."""

FINISHED = (*COUNTED, "failed")
"""Statuses after which the trial is not tried again."""


def deciding(attempts: Sequence[Attempt]) -> Attempt | None:
    """Of a trial's attempts in their order: the last that counts, else the last."""
    counted = [attempt for attempt in attempts if attempt.status in COUNTED]
    return counted[-1] if counted else attempts[-1] if attempts else None
