"""The matrix of a run: rows brought to the analysis, and its answer brought into shape."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.analysis import honesty
from assay.analysis.cells import Measured
from assay.analysis.honesty import Evidence
from assay.analysis.limits import cut_short
from assay.analysis.matrix import Matrix, build
from assay.runs.attempts import deciding, latency
from assay.runs.lifecycle import CANCELLED, FAILED, FINAL, LOST
from assay.runs.models import Attempt, Participant, Run, Trial
from assay.runs.schemas import Advices, Axes, BestSettings, MatrixOut

SECOND_NS = 10**9
_REMEMBERED = 2000

_CUT_SHORT = {
    CANCELLED: "The run was cancelled",
    FAILED: "The run failed",
    LOST: "The run's host is out of reach",
}
"""Why a run in such a state did not measure all that was planned."""


@dataclass(frozen=True)
class Outcome:
    """The answer of a run: a sentence, its figure, the best, and the trial that reached most."""

    headline: str | None = None
    headline_bps: float | None = None
    best_bps: float | None = None
    best_trial_id: int | None = None


@dataclass(frozen=True)
class _Place:
    """What the marks need to know of where a run measured."""

    fs_type: str | None
    array_cache: int | None


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
        headline_bps=found.headline_bps,
        best_bps=found.best_bps,
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
        if (rate := trial.durable_bps if durable else trial.application_bps) is not None
    ]
    trial_id = max(trials)[1] if trials else None
    return Outcome(found.headline, found.headline_bps, found.best_bps, trial_id)


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
    measured = [_measured(run, place, trial, attempts.get(trial.id, [])) for trial in trials]
    found = build(kind, str(run.parameters.get("open_mode", "rw")), measured)
    if run.state not in _CUT_SHORT or all(trial.counts for trial in measured):
        return found
    return replace(found, warnings=[cut_short(_CUT_SHORT[run.state], measured), *found.warnings])


def _measured(run: Run, place: _Place, trial: Trial, attempts: Sequence[Attempt]) -> Measured:
    """A trial with the attempt that decides it: the last that counts, else the last."""
    waiting = Measured(
        id=trial.id,
        repeat=trial.repeat,
        block=trial.block,
        threads=trial.threads,
        files=trial.files,
        status="waiting",
    )
    attempt = deciding(attempts)
    if attempt is None:
        return waiting
    known = replace(waiting, status=attempt.status, reason=attempt.reason, bytes=attempt.bytes)
    result = attempt.result
    if result is None:
        return known
    write = run.kind != "read"
    evidence = Evidence(
        kind="write" if write else "read",
        cache=str(run.parameters.get("cache", "page")),
        fs_type=place.fs_type,
        claimed=attempt.bytes,
        device_app=result["dev_app"],
        device_durable=result["dev_durable"],
        working_set=result["working_set"],
        mem_limit=result["mem_limit"],
        array_cache=place.array_cache,
        resident_checked=result["resident_checked"],
        resident_pages=result["resident_pages"],
        first_read=result.get("first_read"),
    )
    return replace(
        known,
        application_bps=bps(attempt.bytes, attempt.app_ns),
        durable_bps=bps(attempt.bytes, attempt.durable_ns) if write else None,
        bounded=result["sync"] == "bounded",
        verify_errors=result["verify_errors"],
        latency=latency(attempt),
        application_mark=honesty.application(evidence),
        durable_mark=honesty.durable(evidence) if write else None,
    )


def bps(size: int, duration_ns: int | None) -> float | None:
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
        return _Place(None, None)
    hello: dict[str, Any] = first.hello or {}
    return _Place(hello.get("fs_type"), first.array_cache_bytes)
