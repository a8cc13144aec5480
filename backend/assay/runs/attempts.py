"""What the status of an attempt means, and which attempt speaks for its trial."""

from collections.abc import Sequence

from assay.analysis.cells import COUNTED
from assay.analysis.histogram import Latency, of_steps
from assay.runs.models import Attempt

RUNNING = "running"
INTERRUPTED = "interrupted"

FINISHED = (*COUNTED, "failed")
"""Statuses after which the trial is not tried again."""


def deciding(attempts: Sequence[Attempt]) -> Attempt | None:
    """Of a trial's attempts in their order: the last that counts, else the last."""
    counted = [attempt for attempt in attempts if attempt.status in COUNTED]
    return counted[-1] if counted else attempts[-1] if attempts else None


def latency(attempt: Attempt) -> Latency | None:
    """The latencies of all its operations; None before its result."""
    result = attempt.result
    if result is None:
        return None
    return of_steps(
        attempt.histogram or [], result["lat_min"], result["lat_max"] or 0, result["lat_sum"]
    )
