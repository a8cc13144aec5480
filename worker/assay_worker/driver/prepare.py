"""Before a probe starts: sweep leftovers, verify the target, check free space, write the plan."""

import contextlib
import secrets
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, cast

from assay.base.errors import Problem
from assay.base.words import size as in_words
from assay.inventory.targets.acceptance import TargetChanged, accept, identity
from assay.inventory.targets.registration import remember
from assay.kinds.registry import KINDS
from assay.runs import lifecycle
from assay.runs.changes import runs_changed
from assay.runs.scheduling import reservations
from assay.runs.scheduling.resources import resources
from assay.tables.arrays import Array
from assay.tables.clock import now
from assay.tables.database import reading, writing
from assay.tables.hosts import Host
from assay.tables.ownership import held
from assay.tables.runs import Participant, Run
from assay.tables.targets import Target
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay_worker.driver import failures, plan, transfer
from assay_worker.driver.job import Job, ParticipantError, at_each, load, reloaded
from assay_worker.errors import (
    HostError,
    ProbeFailedError,
    ProbeKeepsDyingError,
    TargetBusyError,
    TargetRefusedError,
)
from assay_worker.hosts import record_inventory
from assay_worker.loop import in_thread
from assay_worker.probe import Probe

MOST_ATTEMPTS = 5
"""Attempts at one trial before the run fails, if the probe dies each time."""

MOST_SEGMENTS = 30
"""Starts of one run's probe before the run fails, if it dies before any trial begins."""

MOST_FORGOTTEN = 20
"""Maximum number of ended runs' folders removed at one contact."""


async def start(jobs: Sequence[Job], probes: Mapping[int, Probe]) -> tuple[list[Job], set[int]]:
    """Start the probes for the remaining trials.

    Returns the jobs with their folders, and the participants whose probe was not running before.

    Raises ParticipantError. All steps before the start of a probe can be repeated.
    """
    plans = await at_each(jobs, lambda job: _ready(job, probes[job.participant.id]))
    jobs = await in_thread(load, jobs[0].ownership)
    begun: list[Job] = []
    fresh: set[int] = set()

    async def begin(job: Job) -> None:
        begun.append(job)
        answer = await _start(job, probes[job.participant.id], plans[job.participant.id])
        if answer.get("state") not in ("started", "running", "done"):
            raise ProbeFailedError(f"`start` answered {answer!r}"[:500])
        if answer["state"] == "started":
            fresh.add(job.participant.id)

    try:
        await at_each(jobs, begin)
    except ParticipantError as failed:
        for job in begun:
            if job.participant.id != failed.job.participant.id:
                await _take_back(job, probes[job.participant.id])
        raise
    await in_thread(_enter_running, jobs[0])
    return jobs, fresh


async def _ready(job: Job, probe: Probe) -> str:
    """Sweep, inspect and reserve; returns the plan.

    What a dead probe of this run left is not swept if the next one counts it.
    """
    if not (KINDS[job.run.kind].counts_left and job.participant.offset):
        await sweep(job, probe)
    found = await probe.inspect(job.target.path if job.target else None)
    return await in_thread(_prepare, job, probe, found)


async def _take_back(job: Job, probe: Probe) -> None:
    """Stop a probe that would wait for others that failed to start."""
    with contextlib.suppress(HostError):  # the watch deadline ends it as well
        await probe.stop(job.run_dir, job.ownership.generation)
        if not job.participant.offset:
            await probe.sweep(forget=job.name)


def _prepare(job: Job, probe: Probe, found: dict[str, Any]) -> str:
    """Record the inspection, verify the target and reserve its disks; returns the plan."""
    target, facts = job.target, _target(found) if job.target else None
    if target is not None and facts is not None:
        _compare(target, facts)
    with job.writing([job.host.id]) as (session, run):
        inventory = record_inventory(session, job.host.id, found, probe.digest)
        session.get_one(Participant, job.participant.id).inventory_id = inventory.id
        if target is not None and facts is not None:
            remember(session, session.get_one(Target, target.id), facts)
        _note_reboot(session, job, run, found.get("boot_id"))
    _confirm(job, found, facts)
    with reading() as session:
        trials = plan.due(session, job)
    _check_attempts(job, trials)
    if target is not None and facts is not None:
        _check_space(target, facts, plan.peak_bytes(job, trials))
    run_dir = job.participant.run_dir or _new_run_dir(job, probe)
    with job.writing() as (session, _):
        session.get_one(Participant, job.participant.id).run_dir = run_dir
    token = transfer.token(job) if KINDS[job.run.kind].transfers else None
    return plan.text(reloaded(job), trials, token)


def _enter_running(job: Job) -> None:
    with job.writing() as (_, run):
        lifecycle.enter(run, lifecycle.RUNNING)


async def _start(job: Job, probe: Probe, text: str) -> dict[str, Any]:
    """Start the probe; if another test holds the target, remove the run's folder.

    Raises HostError, among them TargetBusyError.
    """
    try:
        return await probe.start(job.run_dir, text)
    except TargetBusyError:
        if not job.participant.offset:
            await probe.sweep(forget=job.name)
        raise


def _new_run_dir(job: Job, probe: Probe) -> str:
    """Return the path of a new run directory, unique among all appliances that use the host."""
    name = f"r{job.run.id}-p{job.participant.position}-{secrets.token_hex(4)}"
    return str(PurePosixPath(probe.runs) / name)


def _target(found: dict[str, Any]) -> dict[str, Any]:
    facts: object = found.get("target")
    if not isinstance(facts, dict):
        raise ProbeFailedError("`inspect` did not report the target")
    return cast(dict[str, Any], facts)


def _compare(target: Target, facts: dict[str, Any]) -> None:
    """Raise TargetRefusedError unless the registered target is unchanged and may be written."""
    try:
        if identity(facts) != target.identity and facts.get("exists"):
            raise TargetChanged(target.path, target.identity, identity(facts))
        accept(target.path, facts, root_consent=target.root_consent)
    except Problem as problem:
        own = next((e.remedy for e in problem.errors if e.remedy), problem.remedy)
        remedy = own or TargetRefusedError.remedy
        said = "; ".join(f"{error.value}: {error.message}" for error in problem.errors)
        raise TargetRefusedError(problem.code, said, problem.title, remedy) from None


def _check_space(target: Target, facts: dict[str, Any], peak: int) -> None:
    free, reserve = int(facts.get("free_bytes") or 0), plan.reserve(target)
    if free - peak < reserve:
        raise TargetRefusedError(
            "does_not_fit",
            f"{target.path} has {in_words(free)} free; the test needs {in_words(peak)}, "
            f"and the target's reserved space of {in_words(reserve)} is not used",
            "Not enough free space on the target",
            "Free some space, choose smaller files, or reduce the target's reserved space.",
        )


def _check_attempts(job: Job, trials: Sequence[plan.DueTrial]) -> None:
    if job.participant.hello and job.participant.hello["segment"] >= MOST_SEGMENTS:
        raise ProbeKeepsDyingError(f"the probe was started {MOST_SEGMENTS} times")
    for one in trials:
        if one.attempt > MOST_ATTEMPTS and not one.done_bytes:  # else it makes progress
            raise ProbeKeepsDyingError(
                f"the probe ended {MOST_ATTEMPTS} times during trial {one.trial.position + 1} "
                f"({KINDS[job.run.kind].trial_words(one.trial.parameters)})"
            )


def _note_reboot(session: Session, job: Job, run: Run, boot_id: str | None) -> None:
    """Note a reboot of the host between two segments."""
    hello = job.participant.hello
    if hello and boot_id and hello.get("boot_id") != boot_id:
        failures.note(session, run, "warning", "rebooted", "The host was rebooted during the run.")


def _confirm(job: Job, found: dict[str, Any], facts: dict[str, Any] | None) -> None:
    """Reserve the machine and the disks just found; raises TargetBusyError.

    The run was admitted by an earlier inspection; the host may have been rebooted since.
    """
    with writing() as session:
        host = session.get_one(Host, job.host.id, with_for_update=True)
        reservations.take_turn(session)
        host.machine_id, host.boot_id = found.get("machine_id"), found.get("boot_id")
        run = held(session, job.ownership)
        target = session.get_one(Target, job.target.id) if job.target else None
        array = session.get(Array, target.array_id) if target and target.array_id else None
        needed = resources(host, target, array, facts)
        waits_for = reservations.confirm(session, run.id, needed)
        runs_changed(session, {run.id: run.campaign_id})
    if waits_for is not None:
        raise TargetBusyError(waits_for["what"], waits_for)


async def sweep(job: Job, probe: Probe) -> None:
    """Remove the files of dead and ended runs from the host; part of every contact."""
    await probe.sweep()
    for participant_id, run_dir in await in_thread(_ended_here, job):
        place = PurePosixPath(run_dir)
        if str(place.parent) == probe.runs:
            failed = (await probe.sweep(forget=place.name)).get("failed", [])
            if any(one.get("run_dir") == place.name for one in failed):
                continue
        await in_thread(_note_swept, job, participant_id)


def _ended_here(job: Job) -> list[tuple[int, str]]:
    """Return the participants of ended runs whose folder is still on the host, with it."""
    with reading() as session:
        ended = session.execute(
            select(Participant.id, Participant.run_dir)
            .join(Run, Run.id == Participant.run_id)
            .where(
                Participant.host_id == job.host.id,
                Participant.run_dir.is_not(None),
                Participant.swept_at.is_(None),
                Run.state.in_(lifecycle.FINAL),
            )
            .order_by(Participant.id.desc())  # a folder that cannot be removed delays no newer one
            .limit(MOST_FORGOTTEN)
        )
        return [(participant_id, run_dir or "") for participant_id, run_dir in ended]


def _note_swept(job: Job, participant_id: int) -> None:
    with job.writing() as (session, _):
        session.get_one(Participant, participant_id).swept_at = now(session)
