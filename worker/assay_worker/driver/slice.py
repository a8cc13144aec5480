"""A slice: what one message "drive run 42" does, for a few minutes at most.

Ownership is taken at its begin and given back at its end; while it lasts, the keeper renews it.
"""

import logging
import random
import time
from enum import Enum, auto

from assay.db.database import reading, writing
from assay.db.ownership import StaleGenerationError, release
from assay.recording.events import BrokenEventError
from assay.runs import lifecycle, ownership
from assay.runs.models import Run
from assay.scheduling import reservations
from assay.scheduling.wakeups import ring
from assay.settings import settings
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from assay_worker.driver import finish, host_clock, prepare, trouble
from assay_worker.driver.follow import Follower, Outcome, stopping
from assay_worker.driver.job import Job, load
from assay_worker.errors import (
    GenerationTooLowError,
    HostError,
    PlanRefusedError,
    ProbeFailedError,
    ProbeKeepsDyingError,
    SpoolGoneError,
    TargetBusyError,
    TargetRefusedError,
    UnexpectedError,
)
from assay_worker.hosts import probe_on
from assay_worker.keeper import keeping, new_owner
from assay_worker.probe import Probe

SHORTEST = 0.5
"""A slice's length is drawn between this part of the longest slice and all of it."""

STUCK_PAUSE_S = 10.0
STOPPING_PAUSE_S = 1.0
HOPELESS = (PlanRefusedError, ProbeKeepsDyingError, SpoolGoneError, TargetRefusedError)
"""Errors that a retry does not clear, even for a run that has begun."""

DATABASE_AWAY = (OperationalError, InterfaceError, PoolTimeout)
"""Nothing can be written down now: the ownership ends by itself, and the scheduler rings again."""

log = logging.getLogger(__name__)


class After(Enum):
    """What is to happen when the slice is over."""

    NEXT_SLICE = auto()
    NOTHING = auto()


def dispatch() -> None:
    """Hand free hosts to waiting runs, and ring for their drivers."""
    with writing() as session:
        reservations.dispatch(session)


def drive(run_id: int) -> None:
    """Drive a run for one slice; returns at once when it has a driver, or needs none."""
    if _waits(run_id):
        dispatch()
    since = time.monotonic()
    with writing() as session:
        own = ownership.take(session, run_id, new_owner())
    if own is None:
        return
    host_clock.taken(run_id, own.generation)
    after = After.NOTHING
    try:
        with keeping(own, since):
            after = _slice(load(own))
    except (StaleGenerationError, GenerationTooLowError) as error:
        log.info("run %s: another worker drives it: %s", run_id, error)
    with writing() as session:
        release(session, own)
        if after is After.NEXT_SLICE and not stopping.is_set():
            ring(session, run_id)  # a worker that shuts down would take the message with it
    if not _is_active(run_id):
        host_clock.forget(run_id)
        dispatch()  # what it held is free


def _waits(run_id: int) -> bool:
    with reading() as session:
        run = session.get(Run, run_id)
        return run is not None and run.state == lifecycle.QUEUED


def _is_active(run_id: int) -> bool:
    with reading() as session:
        return session.get_one(Run, run_id).state in lifecycle.ACTIVE


def _slice(job: Job) -> After:
    """Connect and go on; whatever is in the way ends the run or makes it wait."""
    if not job.started and job.cancelled:
        return _cancel(job)
    answered = False
    try:
        with probe_on(job.way()) as probe:
            trouble.reached(job)
            answered = True
            return _with_probe(load(job.ownership), probe)
    except (GenerationTooLowError, StaleGenerationError, *DATABASE_AWAY):
        raise
    except BrokenEventError as error:
        return _give_up(load(job.ownership), _broken(error))
    except HostError as error:
        found = error
    except Exception as error:
        log.exception("run %s", job.run.id)
        answered, found = True, UnexpectedError(f"{type(error).__name__}: {error}")
    return _in_the_way(load(job.ownership), found, answered=answered)


def _in_the_way(job: Job, error: HostError, *, answered: bool) -> After:
    """Give up where a retry does not help; else leave the rest to a later slice."""
    if isinstance(error, TargetBusyError):
        trouble.queue_again(job, error)
        return After.NOTHING
    unexpected = isinstance(error, UnexpectedError)
    beginning = not job.started and not error.transient and not unexpected
    if isinstance(error, HOPELESS) or beginning:
        return _give_up(job, error.facts)
    if error.transient or not answered:
        trouble.out_of_reach(job, error)
    elif not trouble.stumble(job, error):
        return _give_up(job, error.facts)
    return After.NOTHING


def _give_up(job: Job, error: dict[str, str]) -> After:
    trouble.fail(job, error)
    return After.NEXT_SLICE if job.started else After.NOTHING


def _cancel(job: Job) -> After:
    """End the run: at once when nothing began, else after what began is cleared away."""
    with job.writing() as (session, run):
        if job.started:
            lifecycle.enter(run, lifecycle.FINISHING)
            return After.NEXT_SLICE
        trouble.end(session, run, lifecycle.CANCELLED)
    return After.NOTHING


def _with_probe(job: Job, probe: Probe) -> After:
    """Start, follow and finish, until the slice or the run is over."""
    until = time.monotonic() + length_s()
    to_start, started_at = not job.started, None
    while True:
        if job.run.error is not None or job.run.state == lifecycle.FINISHING:
            answer = finish.finish(job, probe)
            if answer is not None:
                return _later(job, STUCK_PAUSE_S if answer.state == "stuck" else STOPPING_PAUSE_S)
            return After.NOTHING
        if to_start:
            if job.cancelled:
                return _cancel(job)
            job = prepare.start(job, probe)
            started_at = job.participant.offset
        follower = Follower(job, probe)
        outcome = follower.follow(until)
        job = load(job.ownership)
        outcome = _judged(outcome, job)
        offset = job.participant.offset
        match outcome:
            case Outcome.SLICE_OVER:
                return After.NEXT_SLICE
            case Outcome.STOPPING:
                finish.stopping(job, follower.stop_answer)
                return _later(job, STOPPING_PAUSE_S)
            case Outcome.STUCK:
                finish.stuck(job)
                return _later(job, STUCK_PAUSE_S)
            case Outcome.ABSENT if offset > 0:
                raise SpoolGoneError(f"{job.run_dir} on {job.host.name}")
            case _ if offset == started_at:
                raise ProbeFailedError(
                    f"the probe was started, but `follow` finds it {outcome.name.lower()}, "
                    f"with nothing new after byte {offset}"
                )
            case Outcome.ABSENT:
                to_start = True
            case Outcome.ENDED | Outcome.DEAD:
                to_start = finish.goes_on(job)
                job = load(job.ownership)


def _judged(outcome: Outcome, job: Job) -> Outcome:
    """A folder that is gone is no loss once all of it is stored: then the run has ended."""
    absent = outcome is Outcome.ABSENT
    return Outcome.ENDED if absent and finish.is_recorded(job) else outcome


def length_s() -> float:
    """How long a slice is to be, in seconds: runs that began together must not renew together."""
    return settings().slice_seconds * random.uniform(SHORTEST, 1)  # noqa: S311


def _later(job: Job, pause_s: float) -> After:
    with job.writing() as (session, run):
        trouble.retry_after(session, run, pause_s)
    return After.NOTHING


def _broken(error: BrokenEventError) -> dict[str, str]:
    return {
        "code": "broken_log",
        "title": "The probe's event log is broken",
        "detail": str(error),
        "remedy": "Another program wrote there, or the disk fails. Check the host and its probe.",
    }
