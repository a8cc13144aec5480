"""What an end means for a run, and clearing the host before the run is over."""

import zlib
from typing import Any

from assay.database import now, reading
from assay.runs import events, lifecycle
from assay.runs.attempts import COUNTED
from assay.runs.models import Attempt, Participant, RawChunk, Run, Trial
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay_worker.driver import plan, trouble
from assay_worker.driver.job import Job
from assay_worker.loop import wait_for
from assay_worker.probe import Probe

STUCK = (
    "The probe does not end: a process of it is stuck in the host's kernel. The host stays taken "
    "until it ends, or until the host is rebooted."
)
NOTHING_MEASURED = {
    "code": "nothing_measured",
    "title": "Not one trial could be measured",
    "remedy": "Look at the run's notices, correct the parameters or the target, launch again.",
}


def last_end(session: Session, participant_id: int) -> events.End | None:
    """The `end` event if it is the last one stored: the raw record outlives this process."""
    newest = session.scalar(
        select(RawChunk.data)
        .where(RawChunk.participant_id == participant_id)
        .order_by(RawChunk.start.desc())
        .limit(1)
    )
    if newest is None:
        return None
    line = zlib.decompress(newest).rstrip(b"\n").rpartition(b"\n")[2]
    event = events.parse(line)
    return event if isinstance(event, events.End) else None


def goes_on(job: Job) -> bool:
    """After an end or a death: whether there is more to measure. If not, the run is finishing."""
    with reading() as session:
        ended = last_end(session, job.participant.id)
        left = plan.due(session, job)
        cancelled = trouble.cancelled(session, job)
    if ended is not None and ended.status == "failed":
        trouble.fail(job, _failure(job, ended))
        return False
    with job.writing() as (session, run):
        if left and not cancelled:
            _tell_why(session, run, ended)
            return True
        lifecycle.enter(run, lifecycle.FINISHING)
    return False


def _tell_why(session: Session, run: Run, ended: events.End | None) -> None:
    if ended is None:
        message = "The probe died; what was not yet measured is measured anew."
        trouble.note(session, run, "warning", "probe_died", message)
    elif ended.status == "deadline":
        message = "Nobody followed the probe for too long, so it stopped by itself; it goes on."
        trouble.note(session, run, "warning", "watch_deadline", message)


def _failure(job: Job, ended: events.End) -> dict[str, str]:
    """The error of a run that its probe ended, from the last error event of the probe."""
    with reading() as session:
        for data in session.scalars(
            select(RawChunk.data)
            .where(RawChunk.participant_id == job.participant.id)
            .order_by(RawChunk.start.desc())
            .limit(5)
        ):
            for line in reversed(zlib.decompress(data).splitlines()):
                event = events.parse(line)
                if isinstance(event, events.Failed):
                    return _error(event.code, event.message)
    return _error(ended.reason or "failed", "The probe gave no further reason.")


def _error(code: str, message: str) -> dict[str, str]:
    return {
        "code": code,
        "title": "The test was ended on the host",
        "detail": message,
        "remedy": "Mend what the detail names, and launch again.",
    }


def finish(job: Job, probe: Probe) -> bool:
    """End what may still run, remove test files and spool, end the run; False when stuck."""
    state = wait_for(probe.stop(job.run_dir, job.ownership.generation))
    if state in ("stuck", "stopping"):
        stuck(job)
        return False
    failed = wait_for(probe.sweep(forget=job.name)).get("failed", [])
    own = [one for one in failed if one.get("run_dir") == job.name]
    with job.writing() as (session, run):
        if own:  # the next contact tries again
            trouble.note(session, run, "error", "not_swept", _left_behind(own))
        else:
            session.get_one(Participant, job.participant.id).swept_at = now()
        state, reason = _final(session, job, run)
        trouble.end(session, run, state, reason)
    return True


def _left_behind(failed: list[dict[str, Any]]) -> str:
    """What could not be removed, and that it is tried again."""
    found = "; ".join(f"{one.get('workdir')}: {one.get('reason')}" for one in failed)
    return f"Test files stay until the next run on this host, which removes them: {found}"


def stuck(job: Job) -> None:
    """Say that the host stays taken."""
    with job.writing() as (session, run):
        if run.state_reason != STUCK:
            trouble.note(session, run, "error", "stuck", STUCK)
        run.state_reason = STUCK


def _not_measured(session: Session, run: Run) -> str | None:
    """What a run that is done says of trials that failed; None when there are none."""
    failed = session.execute(
        select(Attempt.trial_id, Attempt.reason)
        .join(Trial)
        .where(Trial.run_id == run.id, Attempt.status == "failed")
    ).all()
    if not failed:
        return None
    reasons = ", ".join(sorted({reason or "failed" for _, reason in failed}))
    return (
        f"Not all was measured: {len({trial for trial, _ in failed})} of {run.trials_total} trials "
        f"failed ({reasons}). Mend what the notices name, and launch again."
    )


def _final(session: Session, job: Job, run: Run) -> tuple[str, str | None]:
    """The run's last state, told by what is stored alone."""
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
    reason = session.scalar(
        select(Attempt.reason).join(Trial).where(Trial.run_id == run.id).limit(1)
    )
    run.error = {**NOTHING_MEASURED, "detail": f"Every trial failed: {reason}."}
    return lifecycle.FAILED, NOTHING_MEASURED["title"]
