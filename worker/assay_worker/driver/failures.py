"""What a failure does to a run: retry later, return it to the queue, or end it.

All functions here use the database, so coroutines call them in a thread.
"""

import logging
import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from assay.base.settings import settings
from assay.base.states import LOST
from assay.inventory.codes import RunCode
from assay.inventory.hosts import lifecycle as host_lifecycle
from assay.inventory.hosts.announcing import announce_problem
from assay.runs import lifecycle
from assay.runs.scheduling import reservations
from assay.tables.campaigns import Campaign
from assay.tables.clock import counted_from, now
from assay.tables.hosts import Host
from assay.tables.runs import Notice, Participant, Run
from sqlalchemy import func, select
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session

from assay_worker.driver.final_state import final_state
from assay_worker.driver.job import Job
from assay_worker.errors import (
    AuthenticationError,
    CertificateRejectedError,
    HostCertificateError,
    HostError,
    HostKeyChangedError,
    HostKeyMismatchError,
    HostKeyUnapprovedError,
    JumpHostError,
    TargetBusyError,
    UnexpectedError,
)

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 15.0

BUSY_PAUSE_S = 10.0
"""Between two checks of a target that another test holds."""

MOST_TRIES = 8
"""Retries at the same offset, on a reachable host, before a run fails: about a minute."""

REJECTED = frozenset(
    kind.code for kind in (AuthenticationError, CertificateRejectedError, JumpHostError)
)
"""The codes of hosts that are in order as soon as a login is accepted."""

LOST_FOR_GOOD = {
    "code": "host_lost",
    "title": "The host did not come back",
    "remedy": "When the host is back, check it (this removes the run's files) and launch again.",
}

DATABASE_AWAY = (OperationalError, InterfaceError, PoolTimeout)
"""The database cannot be written: the ownership expires, and the reconciler wakes the run again."""

log = logging.getLogger(__name__)


def end(session: Session, run: Run, state: str, reason: str | None = None) -> None:
    """End the run and release its reservations."""
    lifecycle.enter(run, state, reason)
    reservations.release(session, run.id)


def retry_after(session: Session, run: Run, seconds: float) -> None:
    """Have the reconciler wake the run no sooner than `seconds` from now."""
    run.retry_at = now(session) + timedelta(seconds=seconds)


def cancelled(session: Session, job: Job) -> bool:
    """Return whether cancellation of the campaign was requested."""
    asked = select(Campaign.cancel_requested_at).where(Campaign.id == job.campaign.id)
    return session.scalar(asked) is not None


def note(
    session: Session, run: Run, level: str, code: RunCode, message: str, **detail: Any
) -> None:
    """Add a notice to the run."""
    session.add(
        Notice(run_id=run.id, level=level, code=code, message=message[:2000], detail=detail)
    )


def fail(job: Job, error: dict[str, Any]) -> None:
    """Fail the run: at once if no probe was started, else after the host is cleaned up."""
    with job.writing() as (session, run):
        note(session, run, "error", error["code"], f"{error['title']}: {error['detail']}")
        if job.started:
            lifecycle.enter(run, lifecycle.FINISHING, error["title"], error)
        else:
            run.error = error
            end(session, run, lifecycle.FAILED, error["title"])


def host_unreachable(job: Job, error: HostError) -> None:
    """Record that the host is unreachable and schedule a retry; fail the run after a limit.

    A run that has not started returns to the queue without reservations. A finishing run does not
    fail for this reason: its record is stored.
    """
    with job.writing([job.host.id]) as (session, run):
        run.unreachable_since = since = counted_from(session, run.unreachable_since)
        gone = now(session) - since
        retry_after(session, run, _pause(gone))
        mark_unusable(session, job.host.id, error)
        title = f"{error.title}: {error}"
        if cancelled(session, job) and _nothing_runs_there(job, gone):
            if run.state == lifecycle.FINISHING:
                end_uncleared(session, job, run, error)
                return
            end(session, run, lifecycle.CANCELLED, "The host no longer responds.")
        elif gone > timedelta(hours=settings().failed_after_hours):
            if run.state == lifecycle.FINISHING:
                end_uncleared(session, job, run, error)
                return
            detail = f"Unreachable since {since:%Y-%m-%d %H:%M} UTC. {title}"
            run.error = {**LOST_FOR_GOOD, "detail": detail}
            if job.started and job.together:  # probes on other hosts may still run
                lifecycle.enter(run, lifecycle.FINISHING, LOST_FOR_GOOD["title"])
                retry_after(session, run, 0)
            else:
                end(session, run, lifecycle.FAILED, LOST_FOR_GOOD["title"])
        elif not job.started:
            lifecycle.enter(run, lifecycle.QUEUED)
            what = f"{job.host.name} does not respond: {title}"[:1000]
            run.waits_for = {
                "kind": "host_away",
                "name": job.host.name,
                "what": what,
                "since": since.isoformat(),
            }
            reservations.release(session, run.id)
        else:
            lifecycle.explain(run, error.code, _reason(error))
            session.flush()
            if lifecycle.lost_among(session, [run]) and not _noted_as_lost(session, run):
                note(session, run, "warning", error.code, title, condition=LOST)
    log.warning("run %s: %s: %s", job.run.id, error.title, error)


def queue_again(job: Job, error: TargetBusyError) -> None:
    """Return the run to the queue because another test holds what it needs, and name the holder.

    A run that has measured before keeps its state and its reservations.
    """
    what = str(error)[:1000]
    with job.writing() as (session, run):
        retry_after(session, run, BUSY_PAUSE_S)
        noted = select(func.min(Notice.at)).where(
            Notice.run_id == run.id, Notice.code == error.code
        )
        if (since := session.scalar(noted)) is None:
            since = now(session)
            session.add(
                Notice(
                    run_id=run.id,
                    at=since,
                    level="info",
                    code=error.code,
                    message=f"{error.title}: {what}",
                )
            )
        if cancelled(session, job) and not job.measured:
            end(session, run, lifecycle.CANCELLED)
        elif job.measured:
            lifecycle.explain(run, error.code, f"{error.title}: {what} (retrying).")
        else:
            for one in job.participants:
                session.get_one(Participant, one.id).run_dir = None
            lifecycle.enter(run, lifecycle.QUEUED)
            run.waits_for = {**error.waits_for, "what": what, "since": since.isoformat()}
            reservations.release(session, run.id)
    log.info("run %s: %s", job.run.id, what)


def _noted_as_lost(session: Session, run: Run) -> bool:
    """Return whether a notice about the lost run was added since its host became unreachable."""
    since = select(Notice.detail).where(
        Notice.run_id == run.id, Notice.at >= (run.unreachable_since or run.created_at)
    )
    return any(detail.get("condition") == LOST for detail in session.scalars(since))


def end_uncleared(session: Session, job: Job, run: Run, error: HostError) -> None:
    """End a finishing run by its stored record although its host could not be cleaned up."""
    message = (
        f"The run's folder may still be on {job.host.name}; the next run there removes it. "
        f"{error.title}: {error}"
    )
    note(session, run, "warning", "not_swept", message)
    end(session, run, *final_state(session, job, run))


def record_retry(job: Job, error: HostError) -> bool:
    """Schedule a retry after a failure on a reachable host; return False after `MOST_TRIES`.

    Retries are counted by their notices at the same offset of the event log; for a canceled run,
    at any offset.
    """
    place = {"offset": job.participant.offset}
    with job.writing([job.host.id]) as (session, run):
        title = f"{error.title}: {error}"
        note(session, run, "warning", error.code, title, **place)
        mark_unusable(session, job.host.id, error)
        found = select(Notice.detail).where(Notice.run_id == run.id, Notice.code == error.code)
        every = cancelled(session, job)
        tries = sum(every or detail == place for detail in session.scalars(found))
        log.warning("run %s: try %d: %s", run.id, tries, title)
        if tries < MOST_TRIES:
            lifecycle.explain(run, error.code, _reason(error))
            retry_after(session, run, min(FIRST_PAUSE_S * 2 ** (tries - 1), LONGEST_PAUSE_S))
            return True
        if run.state != lifecycle.FINISHING:
            return False
        # the watch deadline ends the probe, and the next contact with the host sweeps
        end_uncleared(session, job, run, error)
        return True


def was_accepted(job: Job, error: HostError) -> bool:
    """Return whether the host rejected a login that it accepted before.

    A table of users or keys that is being replaced, here or on a jump host, rejects everybody for
    a moment.
    """
    rejected = isinstance(error, AuthenticationError) or (
        isinstance(error, JumpHostError) and error.rejected
    )
    return rejected and job.host.last_seen_at is not None


def repeated(error: HostError) -> dict[str, Any]:
    """Return the facts of a failure after `MOST_TRIES`, with their number."""
    attempts = f"{MOST_TRIES} attempts, although Assay has reached the host before"
    return error.facts | {"detail": f"{error} ({attempts})"}


def _reason(error: HostError) -> str:
    """Return why a run is retried automatically, and what an operator can do about it."""
    return f"{error.title}: {str(error)[:500]} (retrying). {error.remedy}"


def _nothing_runs_there(job: Job, gone: timedelta) -> bool:
    """Return whether no probe can be running: none started, or its watch deadline passed."""
    return not job.started or gone > timedelta(milliseconds=job.watch_ms)


def _pause(gone: timedelta) -> float:
    """Return the seconds until the next retry, which grow with the length of the outage.

    A jitter of a quarter spreads the retries of a rack that lost its network.
    """
    pause_s = min(max(gone.total_seconds() / 2, FIRST_PAUSE_S), LONGEST_PAUSE_S)
    return pause_s * random.uniform(0.75, 1)  # noqa: S311


def hosts_reachable(jobs: Sequence[Job]) -> None:
    """Record that hosts of the run respond; if all do, the run is no longer unreachable."""
    job, hosts = jobs[0], {job.host.id for job in jobs}
    with job.writing(hosts) as (session, run):
        for host_id in hosts:
            mark_reachable(session, host_id)
        if run.unreachable_since is None or len(jobs) < len(job.participants):
            return
        since = counted_from(session, run.unreachable_since)
        gone = (now(session) - since).total_seconds()
        # pages may already show the run as lost before a worker retries and adds the notice
        lost = job.started and lifecycle.lost_among(session, [run])
        if lost or _noted_as_lost(session, run):
            message = f"The host responds again after {gone:.0f} s."
            note(session, run, "info", "host_returned", message)
        run.unreachable_since = None
        lifecycle.explain(run, None, None)


def mark_reachable(session: Session, host_id: int, seen: datetime | None = None) -> None:
    """Record that a host was reached."""
    host = session.get_one(Host, host_id)
    host.last_seen_at = seen or now(session)
    if host.state == host_lifecycle.UNREACHABLE or (
        host.state == host_lifecycle.ERROR and host.state_code in REJECTED
    ):
        host.state, host.state_code, host.state_reason = host_lifecycle.READY, None, None


def mark_unusable(session: Session, host_id: int, error: HostError) -> None:
    """Record why a host cannot be used; a changed key blocks all runs on it."""
    host = session.get_one(Host, host_id)
    if host.state == host_lifecycle.DELETING or isinstance(error, UnexpectedError):
        return
    former = host.state, host.offered_key
    if isinstance(error, HostKeyChangedError):
        host.state, host.offered_key = host_lifecycle.KEY_CHANGED, error.offered
    elif isinstance(error, HostKeyUnapprovedError):
        host.state = host_lifecycle.KEY_UNAPPROVED
        if isinstance(error, HostKeyMismatchError | HostCertificateError):
            host.offered_key = error.offered
    elif error.transient:
        host.state = host_lifecycle.UNREACHABLE
    elif host.state != host_lifecycle.KEY_CHANGED:
        host.state = host_lifecycle.ERROR
    host.state_code, host.state_reason = error.code, f"{error.title}: {error}"[:1000]
    if former != (host.state, host.offered_key):
        announce_problem(session, host, former[0])
