"""The final state of a finishing run, derived from its stored record alone."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from assay.analysis.statuses import COUNTED, DISTURBED, of_trial, rank_of_reason
from assay.runs import lifecycle
from assay.runs.attempts import deciding
from assay.runs.causes import Cause, Causes
from assay.tables.runs import Attempt, Participant, Run, Trial
from sqlalchemy import select
from sqlalchemy.orm import Session, load_only

from assay_worker.driver import plan
from assay_worker.driver.job import Job

NOTHING_MEASURED = {
    "code": "nothing_measured",
    "title": "No trial has a result",
    "remedy": "See the run's notices, correct the parameters or the target, and launch again.",
}

REMEDY = "Fix the problems in the notices and launch again."


def _deciding(session: Session, run_id: int) -> dict[int, list[Attempt | None]]:
    """Return each participant's deciding attempt, by trial in order of measurement.

    Trials without attempts are missing.
    """
    participants = session.scalars(select(Participant.id).where(Participant.run_id == run_id)).all()
    of_trials: defaultdict[int, list[Attempt]] = defaultdict(list)
    for attempt in session.scalars(
        select(Attempt)
        .join(Trial)
        .where(Trial.run_id == run_id)
        .order_by(Trial.position)
        .options(
            load_only(
                Attempt.trial_id,
                Attempt.participant_id,
                Attempt.number,
                Attempt.status,
                Attempt.reason,
                Attempt.started_at,
            )
        )
    ):
        of_trials[attempt.trial_id].append(attempt)
    return {trial_id: deciding(attempts, participants) for trial_id, attempts in of_trials.items()}


def _status(attempts: Sequence[Attempt | None]) -> str:
    return of_trial([one.status if one else "waiting" for one in attempts])


def _lost(
    found: Mapping[int, Sequence[Attempt | None]], causes: Causes
) -> tuple[list[str], list[list[Cause]]]:
    """Return why trials have no result, one reason for each, and the causes of each failed one."""
    reasons: list[str] = []
    told: list[list[Cause]] = []
    for trial_id, attempts in found.items():
        status = _status(attempts)
        if status in DISTURBED:
            reasons.append("suspended or starved each time")
        elif status == "failed":
            own = causes.of_trial(trial_id, attempts)
            reasons.append(own[0].code if own else "failed")
            told += [own] if own else []
    return reasons, told


def _first(told: Sequence[Sequence[Cause]]) -> Cause | None:
    """Return the first cause of the first trial that has no consequence as its own."""
    return min((own[0] for own in told), key=lambda one: one.order.rank, default=None)


def _traced(error: Mapping[str, Any], told: Sequence[Sequence[Cause]]) -> dict[str, Any]:
    """Return the error of a run, or what failed before it.

    This is the first cause of the trial in which a probe reported the error. If none did, it is the
    first cause of the run, if the error can be its consequence.
    """
    ended = [own for own in told if any(one.is_told_by(error) for one in own)][-1:]
    cause = _first(ended or told)
    if cause is None or not (ended or cause.order.rank < rank_of_reason(error["code"])):
        return {**error}
    return {**error, "code": cause.code, "detail": cause.message or error["detail"]}


def final_state(session: Session, job: Job, run: Run) -> tuple[str, str | None]:
    """Return the last state of a finishing run and the reason; sets `run.error` if it failed."""
    found = _deciding(session, run.id)
    lost, told = _lost(found, Causes(session, run.id))
    if run.error is not None:
        error = run.error = _traced(run.error, told)
        return lifecycle.FAILED, str(error["title"])
    if plan.due(session, job):
        return lifecycle.CANCELLED, None
    cause = _first(told)
    reasons = f"({', '.join(sorted(set(lost)))})"
    said = f" {cause.message.rstrip('.')}." if cause and cause.message else ""
    if any(_status(attempts) in COUNTED for attempts in found.values()):
        lacking = f"Some trials have no result: {len(lost)} of {run.trials_total} {reasons}."
        return lifecycle.DONE, f"{lacking}{said} {REMEDY}" if lost else None
    failed = (
        f"{len(lost)} of {run.trials_total} trials failed {reasons}."
        if lost
        else "Every trial failed."
    )
    code = cause.code if cause else NOTHING_MEASURED["code"]
    run.error = {**NOTHING_MEASURED, "code": code, "detail": f"{failed}{said}"}
    return lifecycle.FAILED, f"{NOTHING_MEASURED['title']}: {failed}"
