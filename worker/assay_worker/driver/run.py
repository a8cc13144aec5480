"""A run from claim to end, as a coroutine on the process's event loop.

A wake-up claims the run and hands it to the loop. The driver then holds no thread and no database
connection, and its ownership is renewed while it works. If the run has to wait (for an unreachable
host, or a probe that is still stopping), the driver stores the time of the next retry and exits;
the reconciler wakes the run again.
"""

import asyncio
import contextlib
import logging
import random
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack

from assay.base import logs
from assay.runs import lifecycle
from assay.runs.recording.events import BrokenEventError
from assay.tables.database import reading, writing
from assay.tables.ownership import Ownership, StaleGenerationError, release
from assay.tables.runs import Run

from assay_worker import loop
from assay_worker.driver import barrier, failures, finish, host_clock, prepare, read_back
from assay_worker.driver.barrier import Followed
from assay_worker.driver.dispatching import dispatch_after_end
from assay_worker.driver.failures import DATABASE_AWAY
from assay_worker.driver.follow import Follower, Outcome
from assay_worker.driver.job import Job, ParticipantError, at_each, load, participant, reloaded
from assay_worker.errors import (
    GenerationTooLowError,
    HostError,
    LoginFilesError,
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
"""How many of the runs that a worker takes over connect per second, at random times."""

FOLLOWED_ALONE_S = 15.0
"""How long the reachable hosts of a run are followed before the others are tried again."""

LEAVE_S = 15.0
"""How long a worker that shuts down waits for its drivers to release their runs."""

PERMANENT = (
    LoginFilesError,
    PlanRefusedError,
    ProbeKeepsDyingError,
    SpoolGoneError,
    TargetRefusedError,
)
"""Errors that a retry cannot fix, even for a run that has started."""

stopping = threading.Event()
"""Set when this process shuts down: it claims no more runs."""

_drivers: set[asyncio.Task[None]] = set()

log = logging.getLogger(__name__)


def begin(run_id: int) -> None:
    """Claim a run and hand it to the loop; do nothing if it has a driver or needs none."""
    if stopping.is_set():
        return
    since = time.monotonic()
    if (own := claim(run_id)) is not None:
        loop.begin(drive(own, since))


def claim(run_id: int) -> Ownership[Run] | None:
    """Claim the run; returns None if it has a driver or needs none."""
    with writing() as session:
        own = lifecycle.take_ownership(session, run_id, new_owner())
    if own is not None:
        host_clock.taken(run_id, own.generation)
    return own


async def drive(own: Ownership[Run], since: float) -> None:
    """Drive a run, claimed at `since` on the monotonic clock, to its end or its next retry."""
    task = asyncio.current_task()
    assert task  # noqa: S101 - coroutines run in tasks
    _drivers.add(task)
    logs.run_id.set(own.id)
    try:
        await _drive(own, since)
    except DATABASE_AWAY as error:
        log.warning("run %s: left until the database responds: %s", own.id, error)
    except Exception:
        log.exception("run %s: left to the reconciler", own.id)
    finally:
        _drivers.discard(task)


def leave() -> None:
    """Release all runs of this process, so that other workers take them over at once."""
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
            if own.generation > 1:  # after an outage, do not connect to all hosts at once
                await asyncio.sleep(random.uniform(0, len(_drivers) / RECONNECTS_PER_S))  # noqa: S311
            while await _contact(await in_thread(load, own)):
                pass
    except (StaleGenerationError, GenerationTooLowError) as error:
        log.info("run %s: another worker drives it: %s", own.id, error)
    finally:
        active = await in_thread(_release, own)
    if not active:
        host_clock.forget(own.id)
        await dispatch_after_end()  # its reservations are released


def _release(own: Ownership[Run]) -> bool:
    """Release the ownership; returns whether the run is still active."""
    with writing() as session:
        release(session, own)
    with reading() as session:
        return session.get_one(Run, own.id).state in lifecycle.ACTIVE


async def _contact(jobs: Sequence[Job]) -> bool:
    """Connect and continue the run; returns whether to call this again at once."""
    own = jobs[0].ownership
    if not jobs[0].started and jobs[0].cancelled:
        return await in_thread(_cancel, jobs[0])
    reached = False
    try:
        async with AsyncExitStack() as stack:
            probes = await _connect(jobs, stack)
            reached = True
            return await _with_probes(await in_thread(load, own), probes)
    except (GenerationTooLowError, StaleGenerationError, *DATABASE_AWAY):
        raise
    except BrokenEventError as error:
        return await in_thread(_fail, jobs[0], _broken(error))
    except ParticipantError as error:
        found, job = error.error, error.job
    except Exception as error:
        log.exception("run %s", own.id)
        reached, job = True, jobs[0]
        found = UnexpectedError(f"{type(error).__name__}: {error}")
    return await in_thread(_handle, job, found, reached=reached)


async def _connect(jobs: Sequence[Job], stack: AsyncExitStack) -> dict[int, Probe]:
    """Connect to all hosts; returns the probes by participant. Raises ParticipantError.

    If some hosts are unreachable, the run continues on the others as far as it can.
    """
    found = await asyncio.gather(*(_probe(job, stack) for job in jobs), return_exceptions=True)
    pairs = list(zip(jobs, found, strict=True))
    reached = {job.participant.id: one for job, one in pairs if isinstance(one, Probe)}
    present = [job for job in jobs if job.participant.id in reached]
    if present:
        await in_thread(failures.hosts_reachable, present)
    errors = [one for one in found if isinstance(one, BaseException)]
    if errors and present:
        await _attend(present, reached)
    if errors:
        raise errors[0]
    return reached


async def _probe(job: Job, stack: AsyncExitStack) -> Probe:
    with participant(job):
        return await stack.enter_async_context(probe_on(await in_thread(job.way)))


async def _attend(present: Sequence[Job], probes: Mapping[int, Probe]) -> None:
    """Continue on the hosts that respond, although others of the run do not.

    A finishing run's hosts are cleaned up. Otherwise events are stored for a while, so that pages
    show them and no probe waits unwatched; if the run is canceled, they are read to their end.
    """

    async def attend(job: Job) -> None:
        probe = probes[job.participant.id]
        if job.run.state == lifecycle.FINISHING:
            await finish.clear(job, probe)
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(None if job.cancelled else FOLLOWED_ALONE_S):
                await Follower(job, probe).follow()

    begun = [job for job in present if job.participant.run_dir is not None]
    if not begun:
        return
    try:
        await at_each(begun, attend)
    except ParticipantError as error:  # the next step depends on the unreachable hosts
        log.warning("run %s: %s", present[0].run.id, error)


def _handle(job: Job, error: HostError, *, reached: bool) -> bool:
    """Fail the run if a retry cannot help, else schedule one; returns as `_contact`."""
    job = reloaded(job)
    logs.trial_id.set(job.participant.current_trial_id)
    if isinstance(error, TargetBusyError):
        failures.queue_again(job, error)
        return False
    finishing = job.run.state == lifecycle.FINISHING
    if failures.was_accepted(job, error) and not finishing and not job.started:
        if failures.record_retry(job, error):
            return False
        return _fail(job, failures.repeated(error))
    permanent = isinstance(error, PERMANENT) and not finishing
    unexpected = isinstance(error, UnexpectedError)
    if permanent or (not job.started and not error.transient and not unexpected):
        return _fail(job, error.facts)
    if error.transient or not reached:
        failures.host_unreachable(job, error)
    elif not failures.record_retry(job, error):
        return _fail(job, error.facts)
    return False


def _fail(job: Job, error: dict[str, str]) -> bool:
    job = reloaded(job)
    failures.fail(job, error)
    return job.started


def _cancel(job: Job) -> bool:
    """Cancel the run: at once if no probe was started, else after its hosts are cleaned up."""
    with job.writing() as (session, run):
        if job.started:
            lifecycle.enter(run, lifecycle.FINISHING)
            return True
        failures.end(session, run, lifecycle.CANCELLED)
    return False


async def _with_probes(jobs: list[Job], probes: Mapping[int, Probe]) -> bool:
    """Start, follow and finish, until the run ends or has to wait; returns as `_contact`."""
    own = jobs[0].ownership
    to_start = any(job.participant.run_dir is None for job in jobs)
    started_at: dict[int, int] = {}
    fresh: set[int] = set()
    while True:
        if jobs[0].run.error is not None or jobs[0].run.state == lifecycle.FINISHING:
            await finish.finish(jobs, probes)
            return False
        if to_start:
            if jobs[0].cancelled:
                return await in_thread(_cancel, jobs[0])
            jobs, fresh = await prepare.start(jobs, probes)
            started_at = {job.participant.id: job.participant.offset for job in jobs}
        async with read_back.attended(jobs, probes):
            found = await barrier.follow(jobs, probes, fresh)
        fresh = set()
        jobs = await in_thread(load, own)
        ended = {job.participant.id: await in_thread(_ended, job, found) for job in jobs}
        outcomes = set(ended.values())
        if Outcome.NOT_OWNED in outcomes:
            log.warning("run %s: its ownership could not be renewed in time", own.id)
            return False
        if Outcome.STUCK in outcomes:
            await in_thread(finish.stuck, jobs[0])
            return False
        if Outcome.STOPPING in outcomes:
            answers = (one.stop_answer for one in found.values() if one.stop_answer)
            await in_thread(finish.stopping, jobs[0], next(answers, None))
            return False
        for job in jobs:
            _check(job, ended[job.participant.id], started_at.get(job.participant.id))
        if outcomes == {Outcome.ABSENT}:
            to_start = True
        else:
            to_start = await in_thread(finish.goes_on, jobs)
            jobs = await in_thread(load, own)
            if to_start and len(jobs) > 1 and await in_thread(finish.needs_new_generation, jobs):
                await in_thread(finish.retry_now, jobs[0])
                return False


def _ended(job: Job, found: Mapping[int, Followed]) -> Outcome:
    """Return why following ended; a missing folder counts as ended if all of it is stored."""
    outcome = found[job.participant.id].outcome
    if outcome is Outcome.ABSENT and finish.is_recorded(job):
        return Outcome.ENDED
    return outcome


def _check(job: Job, outcome: Outcome, started_at: int | None) -> None:
    """Raise ParticipantError if a probe's event log is gone, or if the probe wrote nothing."""
    offset = job.participant.offset
    with participant(job):
        if outcome is Outcome.ABSENT and offset > 0:
            raise SpoolGoneError(f"{job.run_dir} on {job.host.name}")
        if offset == started_at:
            raise ProbeFailedError(
                f"the probe was started, but `follow` reports it as {outcome.name.lower()}, "
                f"with no events after byte {offset}"
            )


def _broken(error: BrokenEventError) -> dict[str, str]:
    return {
        "code": "broken_log",
        "title": "The probe's event log is broken",
        "detail": str(error),
        "remedy": "Another program wrote to it, or the disk is failing. Check the host.",
    }
