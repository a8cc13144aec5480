"""The matrix of a run: rows brought to the analysis, and its answer brought into shape."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.analysis import cliff as cliff_rules
from assay.analysis import contention as contention_rules
from assay.analysis import flags, served_by
from assay.analysis.cells import DISTURBED, Measured
from assay.analysis.cliff import Cliff, Intervals
from assay.analysis.contention import Contention, Traffic
from assay.analysis.flags import VOID, Readings
from assay.analysis.limits import cut_short
from assay.analysis.matrix import HeldRate, Matrix, build
from assay.analysis.served_by import Counter, Evidence
from assay.runs.attempts import DISTURBED_MOST, deciding, disturbance, latency
from assay.runs.lifecycle import CANCELLED, FAILED, FINAL, lost_among
from assay.runs.models import Attempt, Participant, Run, Trial
from assay.runs.schemas import Advices, Axes, BestSettings, MatrixOut
from assay.samples import intervals

SECOND_NS = 10**9
SYNC_SHARE = 0.1
"""A final sync that took a larger share of the time of the writes has a rate of its own."""

_REMEMBERED = 2000

_CUT_SHORT = {
    CANCELLED: "The run was cancelled",
    FAILED: "The run failed",
}
"""Why a run in such a state did not measure all that was planned."""

_LOST = "The run's host is unreachable"


@dataclass(frozen=True)
class Outcome:
    """The answer of a run: a sentence, its figure, the best, and the trial that reached most."""

    headline: str | None = None
    headline_bytes_per_s: float | None = None
    headline_levels: list[HeldRate] | None = None
    best_bytes_per_s: float | None = None
    best_trial_id: int | None = None


@dataclass(frozen=True)
class _Place:
    """Where a run measured, as far as the source of its rates depends on it."""

    fs_type: str | None
    array_cache: int | None
    unseen: str | None


_outcomes: dict[tuple[Any, ...], Outcome] = {}


def matrix(session: Session, run: Run) -> MatrixOut:
    """A run's matrix in its present state."""
    found = _judge(session, run, _place(session, run.id))
    return MatrixOut(
        run_id=run.id,
        kind=found.kind,
        axes=Axes(
            block=sorted({cell.block for cell in found.cells}),
            threads=sorted({cell.threads for cell in found.cells}),
        ),
        rates=["durable", "application"] if found.kind == "write" else ["application"],
        cells=sorted(found.cells, key=lambda cell: (cell.block, cell.threads)),
        best=BestSettings(durable=found.durable.best, application=found.application.best),
        advice=Advices(durable=found.durable.advice, application=found.application.advice),
        headline=found.headline,
        headline_bytes_per_s=found.headline_bytes_per_s,
        headline_levels=found.headline_levels,
        best_bytes_per_s=found.best_bytes_per_s,
        warnings=found.warnings,
        edition=found.edition,
    )


def outcome(session: Session, run: Run) -> Outcome:
    """The answer of a run that has ended; remembered, as nothing of it changes any more."""
    if run.state not in FINAL or run.ended_at is None:
        return Outcome()
    place = _place(session, run.id)
    key = (run.id, run.ended_at, run.trials_done, place)
    if key not in _outcomes:
        if len(_outcomes) >= _REMEMBERED:
            _outcomes.clear()
        _outcomes[key] = _outcome(_judge(session, run, place))
    return _outcomes[key]


def _outcome(found: Matrix) -> Outcome:
    durable = found.durable.best is not None
    best = found.durable.best or found.application.best
    trials = [
        (rate, trial.id)
        for cell in found.cells
        if cell.setting == best
        for trial in cell.trials
        if (rate := trial.durable_bytes_per_s if durable else trial.application_bytes_per_s)
        is not None
    ]
    trial_id = max(trials)[1] if trials else None
    return Outcome(
        headline=found.headline,
        headline_bytes_per_s=found.headline_bytes_per_s,
        headline_levels=found.headline_levels,
        best_bytes_per_s=found.best_bytes_per_s
        if found.headline_levels
        else found.headline_bytes_per_s,
        best_trial_id=trial_id,
    )


def _judge(session: Session, run: Run, place: _Place) -> Matrix:
    kind = "read" if run.kind == "read" else "write"
    trials = session.scalars(
        select(Trial).where(Trial.run_id == run.id).order_by(Trial.position)
    ).all()
    attempts: dict[int, list[Attempt]] = {}
    for attempt in session.scalars(
        select(Attempt).join(Trial).where(Trial.run_id == run.id).order_by(Attempt.number)
    ):
        attempts.setdefault(attempt.trial_id, []).append(attempt)
    courses = intervals.of_run(session, run.id)
    measured = [
        _measured(run, place, trial, attempts.get(trial.id, []), courses) for trial in trials
    ]
    found = build(kind, str(run.parameters.get("open_mode", "rw")), measured)
    why = _LOST if lost_among(session, [run]) else _CUT_SHORT.get(run.state)
    if why is None or all(trial.counts for trial in measured):
        return found
    return replace(found, warnings=[cut_short(why, measured), *found.warnings])


def _measured(
    run: Run,
    place: _Place,
    trial: Trial,
    attempts: Sequence[Attempt],
    courses: Mapping[int, Intervals],
) -> Measured:
    """A trial with the attempt that decides it: the last that counts, else the last."""
    waiting = Measured(
        id=trial.id,
        repeat=trial.repeat,
        block=trial.block,
        threads=trial.threads,
        files=trial.files,
        status="waiting",
        attempts=len(attempts),
    )
    attempt = deciding(attempts)
    if attempt is None:
        return waiting
    disturbed = sum(one.status in DISTURBED for one in attempts)
    known = replace(
        waiting,
        status=attempt.status,
        again=attempt.status in DISTURBED and disturbed < DISTURBED_MOST,
        reason=attempt.reason,
        bytes=attempt.bytes,
    )
    result = attempt.result
    if result is None:
        return known
    write = run.kind != "read"
    counter = _counter(result)
    contention = contention_rules.judge(
        Traffic(
            kind="write" if write else "read",
            bytes=attempt.bytes,
            elapsed_ns=attempt.durable_ns or attempt.app_ns or 0,
            readings=None if counter.reason else result.get("contention"),
            unseen=place.unseen,
            copies=counter.copies,
        )
    )
    evidence = Evidence(
        kind="write" if write else "read",
        cache=str(run.parameters.get("cache", "page")),
        fs_type=place.fs_type,
        claimed=attempt.bytes,
        device_app=result["dev_app_bytes"],
        device_durable=result["dev_durable_bytes"],
        working_set=result["working_set_bytes"],
        mem_limit_bytes=result["mem_limit_bytes"],
        array_cache=place.array_cache,
        resident_checked=result["resident_checked"],
        resident_pages=result["resident_pages"],
        resident_after_checked=result.get("resident_after_checked"),
        resident_after_pages=result.get("resident_after_pages"),
        first_read=result.get("first_read_bytes"),
        counter=counter,
        sync=result["sync"],
        contention=contention.state,
    )
    course = courses.get(attempt.id)
    cliff = cliff_rules.find(course) if course else None
    held = cliff is not None and _is_durable(cliff, run, attempt, counter)
    found = flags.judge(
        replace(readings(trial, attempts, contention), cliff=cliff, cliff_is_durable=held)
    )
    if attempt.status in VOID:
        return replace(known, flags=found)
    return replace(
        known,
        application_bytes_per_s=bytes_per_s(attempt.bytes, attempt.app_ns),
        durable_bytes_per_s=bytes_per_s(attempt.bytes, attempt.durable_ns) if write else None,
        bounded=result["sync"] == "bounded",
        verify_errors=result["verify_errors"],
        data_share=_share(result.get("data_ns"), trial.threads * (attempt.app_ns or 0)),
        latency=latency(attempt),
        application_served_by=served_by.application(evidence),
        durable_served_by=served_by.durable(evidence) if write else None,
        flags=found,
        contention=contention,
    )


def _is_durable(cliff: Cliff, run: Run, attempt: Attempt, counter: Counter) -> bool:
    """Whether a cliff's levels hold for the durable rate: nothing of them was left to the sync."""
    if attempt.app_ns is None or attempt.durable_ns is None:
        return False
    if attempt.durable_ns > (1 + SYNC_SHARE) * attempt.app_ns:
        return False
    reached = cliff.reached_device(counter.copies)
    return run.parameters.get("cache") == "direct" if reached is None else reached


def readings(
    trial: Trial, attempts: Sequence[Attempt], contention: Contention | None = None
) -> Readings:
    """What the rules judge of a trial: its deciding attempt, which has a result."""
    attempt = deciding(attempts)
    if attempt is None:
        raise LookupError(f"trial {trial.id} has no attempt")
    return Readings(
        status=attempt.status,
        block=trial.block,
        threads=trial.threads,
        files=trial.files,
        bytes=attempt.bytes,
        operations=attempt.ops,
        app_ns=attempt.app_ns,
        durable_ns=attempt.durable_ns,
        contention=contention,
        attempts=len(attempts),
        disturbance=disturbance(attempt),
    )


def _share(part_ns: int | None, all_ns: int) -> float | None:
    """A part of all threads' time; earlier probes did not tell it."""
    return None if part_ns is None or not all_ns else min(1.0, part_ns / all_ns)


def _counter(result: dict[str, Any]) -> Counter:
    """Return what counted a trial's bytes; earlier probes did not name it."""
    told = result.get("counter")
    if told is None:
        return Counter(source="none" if result["dev_app_bytes"] is None else "device")
    return Counter(told["source"], tuple(told["names"]), told["copies"], told["reason"])


def bytes_per_s(size: int, duration_ns: int | None) -> float | None:
    """Bytes per second; null where no time passed or none was told."""
    return size * SECOND_NS / duration_ns if duration_ns else None


def _place(session: Session, run_id: int) -> _Place:
    first = session.scalars(
        select(Participant)
        .where(Participant.run_id == run_id)
        .order_by(Participant.position)
        .limit(1)
    ).first()
    if first is None:
        return _Place(None, None, None)
    hello: dict[str, Any] = first.hello or {}
    return _Place(hello.get("fs_type"), first.array_cache_bytes, _unseen(first.array_name))


def _unseen(array: str | None) -> str | None:
    """Why others may load the storage out of this host's sight."""
    if array is None:
        return None
    return f"The array {array} may serve other hosts, and what they move is not seen from here."
