"""The rates of a stored trial, their sources, and its flags."""

from dataclasses import replace

from assay.analysis import flags, level_search, levels
from assay.analysis.flags import VOID, Readings
from assay.kinds import writeback
from assay.kinds.evidence import bytes_per_s, find, is_durable
from assay.kinds.matrix.cells import Measured
from assay.kinds.matrix.joint import joint
from assay.kinds.matrix.parameters import Operation
from assay.kinds.run_record import RunRecord, TrialRecord


def waiting(trial: TrialRecord) -> Measured:
    """Return a trial without measurements."""
    own = trial.parameters
    return Measured(
        id=trial.id,
        repeat=trial.repeat,
        block=own["block"],
        threads=own["threads"],
        files=own["files"],
        status="waiting",
        attempts=trial.attempts,
    )


def measured(run: RunRecord, trial: TrialRecord) -> Measured:
    """Return a trial with its figures: the aggregate if there are several participants."""
    if len(run.sites) == 1:
        return replace(measured_at(run, trial, 0), reason=trial.reason)
    from_each = [measured_at(run, trial, place) for place in range(len(run.sites))]
    return joint(run, trial, waiting(trial), from_each)


def measured_at(run: RunRecord, trial: TrialRecord, place: int) -> Measured:
    """Return a trial with the figures of the deciding attempt of the participant `place`."""
    attempt = trial.deciding[place]
    nothing, own = waiting(trial), trial.parameters
    if attempt is None:
        return nothing
    known = replace(
        nothing,
        status=attempt.status,
        again=trial.again,
        reason=attempt.reason,
        bytes=attempt.bytes,
    )
    result = attempt.result
    operation: Operation = run.parameters["operation"]
    cache = str(run.parameters["cache"])
    sources = find(run, trial, place, operation=operation, cache=cache)
    if result is None or sources is None:
        return known
    alone = len(run.sites) == 1
    seen = level_search.find(attempt.course) if attempt.course and alone else []
    found = flags.judge(
        Readings(
            status=attempt.status,
            block=own["block"],
            threads=own["threads"],
            files=own["files"],
            bytes=attempt.bytes,
            operations=attempt.ops,
            app_ns=attempt.app_ns,
            durable_ns=attempt.durable_ns,
            contention=sources.contention,
            levels=levels.held(seen),
            levels_are_durable=is_durable(seen, attempt, sources.counter, cache),
            attempts=trial.attempts,
            disturbance=attempt.disturbance,
        )
    )
    if attempt.status in VOID:
        return replace(known, flags=found)
    return replace(
        known,
        application_bytes_per_s=bytes_per_s(attempt.bytes, attempt.app_ns),
        durable_bytes_per_s=bytes_per_s(attempt.bytes, attempt.durable_ns)
        if operation == "write"
        else None,
        bounded=result["sync"] == "bounded",
        verify_errors=result["verify_errors"],
        data_share=_share(result.get("data_ns"), own["threads"] * (attempt.app_ns or 0)),
        latency=attempt.latency,
        application_served_by=sources.application,
        durable_served_by=sources.durable,
        flags=found,
        contention=sources.contention,
        writeback=writeback.of_attempt(attempt, cache, sources.durable) if alone else None,
    )


def _share(part_ns: int | None, all_ns: int) -> float | None:
    """Return a share of all threads' time; earlier probes did not report it."""
    return None if part_ns is None or not all_ns else min(1.0, part_ns / all_ns)
