"""A run from its claim to its end, as a coroutine on the process's loop.

A wake-up claims the run and hands it to the loop. The driver then holds no thread and no database
connection; its ownership is renewed for as long as it works. When something has to wait (a host
that is away, a probe that has not stopped yet) the driver writes down when to retry and ends: the
reconciler wakes the run again.
"""

import asyncio
import logging
import random
import threading
import time

from assay.db.database import reading, writing
from assay.db.ownership import Ownership, StaleGenerationError, release
from assay.recording.events import BrokenEventError
from assay.runs import lifecycle, ownership
from assay.runs.models import Run
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from assay_worker import loop
from assay_worker.driver import failures, finish, host_clock, prepare
from assay_worker.driver.dispatching import dispatch_after_end
from assay_worker.driver.follow import Follower, Outcome
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
from assay_worker.loop import in_thread
from assay_worker.ownership_renewal import new_owner, renewed
from assay_worker.probe import Probe

RECONNECTS_PER_S = 100
"""Of the runs that a worker takes over, so many connect in a second, spread at random."""

LEAVE_S = 15.0
"""How long a worker that shuts down waits for its drivers to give up their runs."""

PERMANENT = (PlanRefusedError, ProbeKeepsDyingError, SpoolGoneError, TargetRefusedError)
"""Errors that a retry does not clear, even for a run that has begun."""

DATABASE_AWAY = (OperationalError, InterfaceError, PoolTimeout)
"""Nothing can be written now: the ownership expires, and the reconciler wakes the run again."""

stopping = threading.Event()
"""Set when this process shuts down: it claims nothing any more."""

_drivers: set[asyncio.Task[None]] = set()

log = logging.getLogger(__name__)


def begin(run_id: int) -> None:
    """Claim a run and hand it to the loop; do nothing if it has a driver, or needs none."""
    if stopping.is_set():
        return
    since = time.monotonic()
    if (own := claim(run_id)) is not None:
        loop.begin(drive(own, since))


def claim(run_id: int) -> Ownership[Run] | None:
    """Become the run's driver; returns None if it has one, or needs none."""
    with writing() as session:
        own = ownership.take(session, run_id, new_owner())
    if own is not None:
        host_clock.taken(run_id, own.generation)
    return own


async def drive(own: Ownership[Run], since: float) -> None:
    """Drive a run claimed at `since` on the monotonic clock, to its end or to its next retry."""
    task = asyncio.current_task()
    assert task  # noqa: S101 - coroutines run in tasks
    _drivers.add(task)
    try:
        await _drive(own, since)
    except DATABASE_AWAY as error:
        log.warning("run %s: left until the database answers: %s", own.id, error)
    except Exception:
        log.exception("run %s: left to the reconciler", own.id)
    finally:
        _drivers.discard(task)


def leave() -> None:
    """Give up all runs of this process, so that other workers take them at once."""
    stopping.set()
    loop.wait_for(_leave())


async def _leave() -> None:
    drivers = list(_drivers)
    for task in drivers:
        task.cancel()
    if drivers:
        await asyncio.wait(drivers, timeout=LEAVE_S)


async def _drive(own: Ownership[Run], since: float) -> None:
    try:
        with renewed(own, since):
            if own.generation > 1:  # after a loss, hosts must not all be dialed at once
                await asyncio.sleep(random.uniform(0, len(_drivers) / RECONNECTS_PER_S))  # noqa: S311
            while await _contact(await in_thread(load, own)):
                pass
    except (StaleGenerationError, GenerationTooLowError) as error:
        log.info("run %s: another worker drives it: %s", own.id, error)
    finally:
        active = await in_thread(_release, own)
    if not active:
        host_clock.forget(own.id)
        await dispatch_after_end()  # its reservations are free


def _release(own: Ownership[Run]) -> bool:
    """Give up the ownership; returns whether the run is still active."""
    with writing() as session:
        release(session, own)
    with reading() as session:
        return session.get_one(Run, own.id).state in lifecycle.ACTIVE


async def _contact(job: Job) -> bool:
    """Connect and continue the run; returns whether it needs another connection now."""
    if not job.started and job.cancelled:
        return await in_thread(_cancel, job)
    reached = False
    try:
        async with probe_on(await in_thread(job.way)) as probe:
            await in_thread(failures.host_reachable, job)
            reached = True
            return await _with_probe(await in_thread(load, job.ownership), probe)
    except (GenerationTooLowError, StaleGenerationError, *DATABASE_AWAY):
        raise
    except BrokenEventError as error:
        return await in_thread(_fail, job.ownership, _broken(error))
    except HostError as error:
        found = error
    except Exception as error:
        log.exception("run %s", job.run.id)
        reached, found = True, UnexpectedError(f"{type(error).__name__}: {error}")
    return await in_thread(_handle, job.ownership, found, reached=reached)


def _handle(own: Ownership[Run], error: HostError, *, reached: bool) -> bool:
    """Fail the run where a retry does not help, else schedule one; returns as `_contact`."""
    job = load(own)
    if isinstance(error, TargetBusyError):
        failures.queue_again(job, error)
        return False
    finishing = job.run.state == lifecycle.FINISHING
    permanent = isinstance(error, PERMANENT) and not finishing
    unexpected = isinstance(error, UnexpectedError)
    if permanent or (not job.started and not error.transient and not unexpected):
        return _fail(own, error.facts)
    if error.transient or not reached:
        failures.host_unreachable(job, error)
    elif not failures.record_retry(job, error):
        return _fail(own, error.facts)
    return False


def _fail(own: Ownership[Run], error: dict[str, str]) -> bool:
    job = load(own)
    failures.fail(job, error)
    return job.started


def _cancel(job: Job) -> bool:
    """End the run: at once if no probe was started, else after its host is cleaned up."""
    with job.writing() as (session, run):
        if job.started:
            lifecycle.enter(run, lifecycle.FINISHING)
            return True
        failures.end(session, run, lifecycle.CANCELLED)
    return False


async def _with_probe(job: Job, probe: Probe) -> bool:
    """Start, follow and finish until the run ends or has to wait; returns as `_contact`."""
    to_start, started_at = not job.started, None
    while True:
        if job.run.error is not None or job.run.state == lifecycle.FINISHING:
            await finish.finish(job, probe)
            return False
        if to_start:
            if job.cancelled:
                return await in_thread(_cancel, job)
            job = await prepare.start(job, probe)
            started_at = job.participant.offset
        follower = Follower(job, probe)
        outcome = await follower.follow()
        job = await in_thread(load, job.ownership)
        if outcome is Outcome.ABSENT and await in_thread(finish.is_recorded, job):
            outcome = Outcome.ENDED  # all of the folder that is gone was stored
        offset = job.participant.offset
        match outcome:
            case Outcome.NOT_OWNED:
                log.warning("run %s: its ownership could not be renewed in time", job.run.id)
                return False
            case Outcome.STOPPING:
                await in_thread(finish.stopping, job, follower.stop_answer)
                return False
            case Outcome.STUCK:
                await in_thread(finish.stuck, job)
                return False
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
                to_start = await in_thread(finish.goes_on, job)
                job = await in_thread(load, job.ownership)


def _broken(error: BrokenEventError) -> dict[str, str]:
    return {
        "code": "broken_log",
        "title": "The probe's event log is broken",
        "detail": str(error),
        "remedy": "Another program wrote there, or the disk fails. Check the host and its probe.",
    }
