"""The final state of a finishing run, derived from its stored record alone."""

from collections import defaultdict
from collections.abc import Sequence

from assay.analysis.statuses import COUNTED, DISTURBED, of_trial
from assay.runs import lifecycle
from assay.runs.attempts import deciding
from assay.runs.models import Attempt, Participant, Run, Trial
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


def _deciding(session: Session, run_id: int) -> list[list[Attempt | None]]:
    """Return, for each trial with attempts, each participant's deciding attempt."""
    participants = session.scalars(select(Participant.id).where(Participant.run_id == run_id)).all()
    of_trials: defaultdict[int, list[Attempt]] = defaultdict(list)
    for attempt in session.scalars(
        select(Attempt)
        .join(Trial)
        .where(Trial.run_id == run_id)
        .options(
            load_only(
                Attempt.trial_id,
                Attempt.participant_id,
                Attempt.number,
                Attempt.status,
                Attempt.reason,
            )
        )
    ):
        of_trials[attempt.trial_id].append(attempt)
    return [deciding(attempts, participants) for attempts in of_trials.values()]


def _status(attempts: Sequence[Attempt | None]) -> str:
    return of_trial([one.status if one else "waiting" for one in attempts])


def _lost(found: Sequence[Sequence[Attempt | None]]) -> list[str]:
    """Return why trials have no result, one reason for each."""
    reasons: list[str] = []
    for attempts in found:
        status = _status(attempts)
        if status in DISTURBED:
            reasons.append("suspended or starved each time")
        elif status == "failed":
            reasons.append(next((one.reason for one in attempts if one and one.reason), "failed"))
    return reasons


def final_state(session: Session, job: Job, run: Run) -> tuple[str, str | None]:
    """Return the last state of a finishing run and the reason; sets `run.error` if it failed."""
    if run.error is not None:
        return lifecycle.FAILED, run.error["title"]
    if plan.due(session, job):
        return lifecycle.CANCELLED, None
    found = _deciding(session, run.id)
    lost = _lost(found)
    reasons = f"({', '.join(sorted(set(lost)))})"
    if any(_status(attempts) in COUNTED for attempts in found):
        lacking = f"Some trials have no result: {len(lost)} of {run.trials_total} {reasons}."
        return lifecycle.DONE, f"{lacking} {REMEDY}" if lost else None
    failed = f"{len(lost)} of {run.trials_total} trials failed {reasons}."
    run.error = {**NOTHING_MEASURED, "detail": failed if lost else "Every trial failed."}
    return lifecycle.FAILED, NOTHING_MEASURED["title"]
