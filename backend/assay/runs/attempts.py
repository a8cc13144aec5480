"""The meaning of an attempt's status, and the attempt that decides its trial."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, case, func

from assay.analysis.histogram import Latency, of_steps
from assay.analysis.statuses import COUNTED, DISTURBED
from assay.runs.models import Attempt

RUNNING = "running"
INTERRUPTED = "interrupted"

FINISHED = (*COUNTED, "failed")
"""Statuses after which the trial is not repeated."""

DISTURBED_MOST = 3
"""Suspended or starved attempts after which the trial is not repeated: it is inconclusive.

The probe's `plan.h` has the same number.
"""


def is_over() -> ColumnElement[bool]:
    """Return SQL for whether a trial is not repeated, as an aggregate over its attempts."""
    finished = func.sum(case((Attempt.status.in_(FINISHED), 1), else_=0))
    disturbed = func.sum(case((Attempt.status.in_(DISTURBED), 1), else_=0))
    return (finished > 0) | (disturbed >= DISTURBED_MOST)


def deciding(attempts: Sequence[Attempt]) -> Attempt | None:
    """Return the last of a trial's attempts that counts, or else the last."""
    counted = [attempt for attempt in attempts if attempt.status in COUNTED]
    return counted[-1] if counted else attempts[-1] if attempts else None


def disturbance(attempt: Attempt) -> dict[str, int | None]:
    """Return what disturbed the attempt, from probe and worker; empty before its result."""
    readings: dict[str, int | None] = (attempt.result or {}).get("disturbance") or {}
    paused = {"host_paused_ns": attempt.host_paused_ns} if attempt.host_paused_ns else {}
    return readings | paused


def latency(attempt: Attempt) -> Latency | None:
    """Return the latencies of all operations; None before the result."""
    result = attempt.result
    if result is None:
        return None
    return of_steps(
        attempt.histogram or [],
        result["lat_min_ns"],
        result["lat_max_ns"] or 0,
        result["lat_sum_ns"],
    )
