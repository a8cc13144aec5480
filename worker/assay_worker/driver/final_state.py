"""The final state of a finishing run, decided by its record, whether or not its host responds."""

from assay.analysis.statuses import COUNTED, DISTURBED
from assay.runs import lifecycle
from assay.runs.models import Attempt, Run, Trial
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay_worker.driver import plan
from assay_worker.driver.job import Job

NOTHING_MEASURED = {
    "code": "nothing_measured",
    "title": "Not one trial could be measured",
    "remedy": "Look at the run's notices, correct the parameters or the target, launch again.",
}


def _not_measured(session: Session, run: Run) -> str | None:
    """Describe the trials without a result of a done run; None if there are none."""
    reasons: dict[int, str] = {}
    counted: set[int] = set()
    for trial_id, status, reason in session.execute(
        select(Attempt.trial_id, Attempt.status, Attempt.reason)
        .join(Trial)
        .where(Trial.run_id == run.id)
        .order_by(Attempt.number)
    ):
        if status in COUNTED:
            counted.add(trial_id)
        elif status in DISTURBED:
            reasons[trial_id] = "suspended or starved each time"
        elif status == "failed":
            reasons[trial_id] = reason or "failed"
    lost = [reason for trial_id, reason in reasons.items() if trial_id not in counted]
    if not lost:
        return None
    return (
        f"Not all was measured: {len(lost)} of {run.trials_total} trials have no result "
        f"({', '.join(sorted(set(lost)))}). Fix what the notices name, and launch again."
    )


def final_state(session: Session, job: Job, run: Run) -> tuple[str, str | None]:
    """Return the last state of a finishing run and the reason; sets `run.error` if it failed."""
    if run.error is not None:
        return lifecycle.FAILED, run.error["title"]
    if plan.due(session, job):
        return lifecycle.CANCELLED, None
    measured = session.scalar(
        select(Attempt.id)
        .join(Trial)
        .where(Trial.run_id == run.id, Attempt.status.in_(COUNTED))
        .limit(1)
    )
    if measured is not None:
        return lifecycle.DONE, _not_measured(session, run)
    run.error = {**NOTHING_MEASURED, "detail": _not_measured(session, run) or "Every trial failed."}
    return lifecycle.FAILED, NOTHING_MEASURED["title"]
