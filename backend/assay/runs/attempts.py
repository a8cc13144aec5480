"""Which trials are finished, and which attempt decides a trial."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Select, case, func, select

from assay.analysis.histogram import Latency, of_steps
from assay.analysis.statuses import COUNTED, DISTURBED, of_trial
from assay.tables.runs import Attempt, Participant, Trial

RUNNING = "running"
INTERRUPTED = "interrupted"

CONTINUED = (INTERRUPTED, "stopped")
"""Statuses of an attempt that a later one may continue."""

DISTURBED_MOST = 3
"""After this many suspended or starved attempts a trial is not repeated: it is inconclusive.

The probe's `plan.h` has the same number.
"""


def over(run_ids: ColumnElement[bool]) -> Select[int, int, int]:
    """Select the trials that need no further attempt, with their run and newest attempt number.

    `run_ids` is the condition on `Trial.run_id`. A trial is finished if all participants' attempts
    with one number count, or one of them failed.
    """
    participants = (
        select(func.count(Participant.id))
        .where(Participant.run_id == Trial.run_id)
        .correlate(Trial)
        .scalar_subquery()
    )
    tries = (
        select(
            Trial.run_id,
            Attempt.trial_id,
            Attempt.number,
            _any(Attempt.status == "failed").label("failed"),
            _any(Attempt.status.in_(DISTURBED)).label("disturbed"),
            func.sum(case((Attempt.status.in_(COUNTED), 1), else_=0)).label("counted"),
            participants.label("participants"),
        )
        .join(Trial, Trial.id == Attempt.trial_id)
        .where(run_ids)
        .group_by(Trial.run_id, Attempt.trial_id, Attempt.number)
        .subquery()
    )
    finished = case(((tries.c.failed > 0) | (tries.c.counted == tries.c.participants), 1), else_=0)
    return (
        select(tries.c.run_id, tries.c.trial_id, func.max(tries.c.number))
        .group_by(tries.c.run_id, tries.c.trial_id)
        .having((func.sum(finished) > 0) | (func.sum(tries.c.disturbed) >= DISTURBED_MOST))
    )


def _any(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.max(case((condition, 1), else_=0))


def deciding(attempts: Sequence[Attempt], participants: Sequence[int]) -> list[Attempt | None]:
    """Return each participant's attempt that decides a trial; None if it has none.

    `attempts` are all of the trial's. The last number that counts at every participant decides,
    else the last number.
    """
    numbers: dict[int, dict[int, Attempt]] = {}
    for attempt in attempts:
        numbers.setdefault(attempt.number, {})[attempt.participant_id] = attempt
    counted = [
        number
        for number, of in numbers.items()
        if all(one in of and of[one].status in COUNTED for one in participants)
    ]
    last = max(counted or numbers, default=0)
    return [numbers.get(last, {}).get(one) for one in participants]


def continued(attempts: Sequence[Attempt], attempt: Attempt) -> list[Attempt]:
    """Return those of a trial's attempts that this one continues, the first one first.

    Each was interrupted or stopped, and counts up to `done_ns` of the next one. Its marks reach the
    data from which that one goes on; one whose marks do not was superseded.
    """
    chain: list[Attempt] = []
    ahead = attempt
    for one in sorted(attempts, key=lambda each: -each.number):
        if one.number >= ahead.number or one.participant_id != attempt.participant_id:
            continue
        reaches = one.done_bytes + one.marked_bytes >= ahead.done_bytes
        if reaches and one.status in CONTINUED and one.mark_count and one.done_ns < ahead.done_ns:
            chain.insert(0, one)
            ahead = one
    return chain


def status_of(attempts: Sequence[Attempt], participants: Sequence[int]) -> str:
    """Return the status of a trial; `waiting` before its first attempt."""
    return of_trial([one.status if one else "waiting" for one in deciding(attempts, participants)])


def disturbance(attempt: Attempt) -> dict[str, int | None]:
    """Return the readings of pauses and CPU waits, from probe and worker; empty before a result."""
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
