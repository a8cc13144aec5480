"""What the end of an event log means for a run, and the cleanup of its hosts.

The synchronous functions use the database, so coroutines call them in a thread.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.inventory.codes import FailureCode, RunCode
from assay.runs import lifecycle, progress
from assay.runs.recording import events
from assay.runs.samples import raw
from assay.tables.clock import now
from assay.tables.database import reading
from assay.tables.runs import Notice, Participant, Run
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay_worker.answers import Stopped
from assay_worker.driver import failures, plan
from assay_worker.driver.final_state import final_state
from assay_worker.driver.job import Job, at_each
from assay_worker.loop import in_thread
from assay_worker.probe import Probe

STUCK_PAUSE_S = 10.0
STOPPING_PAUSE_S = 1.0

STUCK = (
    "The probe is stuck in the host's kernel: it was killed but has not exited. The host stays "
    "reserved until it exits or the host is rebooted."
)


def last_end(session: Session, participant_id: int) -> events.End | None:
    """Return the `end` event if it is the last event stored, else None."""
    newest = raw.newest(session, participant_id, 1)
    if not newest:
        return None
    line = newest[0].rstrip(b"\n").rpartition(b"\n")[2]
    event = events.parse(line)
    return event if isinstance(event, events.End) else None


def is_recorded(job: Job) -> bool:
    """Return whether the end of the event log is stored and no trial is left to measure."""
    with reading() as session:
        return last_end(session, job.participant.id) is not None and not plan.due(session, job)


def goes_on(jobs: Sequence[Job]) -> bool:
    """Return whether to measure more after the probe ended or died; if not, enter *finishing*."""
    job = jobs[0]
    with reading() as session:
        ends = [last_end(session, one.participant.id) for one in jobs]
        left = plan.due(session, job)
        cancelled = failures.cancelled(session, job)
    for one, ended in zip(jobs, ends, strict=True):
        if ended is not None and ended.status == "failed":
            failures.fail(one, _failure(one, ended))
            return False
    with job.writing() as (session, run):
        if left and not cancelled:
            for one, ended in zip(jobs, ends, strict=True):
                _note_restart(session, run, one, ended)
            return True
        lifecycle.enter(run, lifecycle.FINISHING)
    return False


def needs_new_generation(jobs: Sequence[Job]) -> bool:
    """Return whether a probe was stopped in this generation: it then starts only in a later one."""
    with reading() as session:
        ends = [last_end(session, job.participant.id) for job in jobs]
    return any(
        ended is not None
        and ended.status == "stopped"
        and (job.participant.hello or {}).get("generation", 0) >= job.ownership.generation
        for job, ended in zip(jobs, ends, strict=True)
    )


def retry_now(job: Job) -> None:
    """Have the reconciler wake the run at once, with a new generation."""
    with job.writing() as (session, run):
        failures.retry_after(session, run, 0)


def _note_restart(session: Session, run: Run, job: Job, ended: events.End | None) -> None:
    """Note why a probe is restarted, once per offset; nothing if it was never started."""
    place = {"offset": job.participant.offset}
    probe = f"probe on {job.host.name}" if job.together else "probe"
    died = ended is None and job.participant.offset > 0
    if died and not _is_noted(session, run, "probe_died", place):
        message = f"The {probe} died. It was restarted for the remaining trials."
        failures.note(session, run, "warning", "probe_died", message, **place)
    deadline = ended is not None and ended.status == "deadline"
    if deadline and not _is_noted(session, run, "watch_deadline", place):
        message = (
            f"The watch deadline stopped the {probe}. It was restarted for the remaining trials."
        )
        failures.note(session, run, "warning", "watch_deadline", message, **place)


def _is_noted(session: Session, run: Run, code: RunCode, place: dict[str, int]) -> bool:
    told = select(Notice.detail).where(Notice.run_id == run.id, Notice.code == code)
    return place in session.scalars(told).all()


def _failure(job: Job, ended: events.End) -> dict[str, str]:
    """Return the error of a run that its probe ended, from the probe's last error event."""
    with reading() as session:
        for data in raw.newest(session, job.participant.id, 5):
            for line in reversed(data.splitlines()):
                event = events.parse(line)
                if isinstance(event, events.ErrorEvent):
                    return _error(job, event.code, event.message)
    return _error(job, "failed", f"The probe gave only the reason {ended.reason!r}.")


def _error(job: Job, code: FailureCode, message: str) -> dict[str, str]:
    return {
        "code": code,
        "title": "The probe ended the test",
        "detail": f"{job.host.name}: {message}" if job.together else message,
        "remedy": "Fix the problem named in the detail and launch again.",
    }


async def finish(jobs: Sequence[Job], probes: Mapping[int, Probe]) -> None:
    """Stop the probes, remove test files and spools, and end the run.

    If a probe still runs, the run shows it and is retried. Raises ParticipantError.
    """
    begun = [job for job in jobs if job.participant.run_dir is not None]
    answers = await at_each(begun, lambda job: clear(job, probes[job.participant.id]))
    waiting = [answer for answer in answers.values() if answer is not None]
    if any(answer.state == "stuck" for answer in waiting):
        await in_thread(stuck, jobs[0])
    elif waiting:
        await in_thread(stopping, jobs[0], waiting[0])
    else:
        await in_thread(_end, jobs[0])


async def clear(job: Job, probe: Probe) -> Stopped | None:
    """Stop a participant's probe and remove its files; returns its answer if it still runs.

    Raises HostError.
    """
    answer = await probe.stop(job.run_dir, job.ownership.generation)
    if answer.state in ("stuck", "stopping"):
        return answer
    failed = (await probe.sweep(forget=job.name)).get("failed", [])
    left = [one for one in failed if one.get("run_dir") == job.name]
    await in_thread(_note_cleared, job, left)
    return None


def _note_cleared(job: Job, left: list[dict[str, Any]]) -> None:
    """Record that a host was cleaned up, or note the failures in `left`."""
    with job.writing() as (session, run):
        if left:  # the next contact retries
            failures.note(session, run, "error", "not_swept", _left_behind(left))
        else:
            session.get_one(Participant, job.participant.id).swept_at = now(session)


def _end(job: Job) -> None:
    with job.writing() as (session, run):
        failures.end(session, run, *final_state(session, job, run))


def _left_behind(failed: list[dict[str, Any]]) -> str:
    """Return the message that names the files that could not be removed."""
    found = "; ".join(f"{one.get('workdir')}: {one.get('reason')}" for one in failed)
    return f"Test files could not be removed; the next run on this host retries: {found}"


def stopping(job: Job, answer: Stopped | None) -> None:
    """Show what the stopping probe waits for, and retry soon."""
    with job.writing() as (session, run):
        call = answer.call if answer else None
        lifecycle.explain(run, "stopping", progress.stopping(call))
        failures.retry_after(session, run, STOPPING_PAUSE_S)


def stuck(job: Job) -> None:
    """Show that the host stays reserved, and retry later."""
    with job.writing() as (session, run):
        if run.state_code != "stuck":
            failures.note(session, run, "error", "stuck", STUCK)
        lifecycle.explain(run, "stuck", STUCK)
        failures.retry_after(session, run, STUCK_PAUSE_S)
