"""Queries for trials and their attempts."""

from collections import defaultdict

from sqlalchemy import select
from sqlalchemy.orm import Session, load_only

from assay.analysis.histogram import Latency, lower
from assay.analysis.statuses import DISTURBED
from assay.http.errors import NotFound
from assay.kinds.registry import trial_parameters
from assay.runs.attempts import latency, status_of
from assay.runs.models import Attempt, Participant, Run, Trial
from assay.runs.queries import find, shown
from assay.runs.schemas import AttemptOut, TrialOut, TrialRow

_SHARES = {"p50_ns": 0.5, "p90_ns": 0.9, "p99_ns": 0.99, "p999_ns": 0.999}


def rows(session: Session, run_id: int) -> list[TrialRow]:
    """Return a run's trials in the order of measurement."""
    run = find(session, run_id)
    participants = session.scalars(select(Participant.id).where(Participant.run_id == run_id)).all()
    attempts: defaultdict[int, list[Attempt]] = defaultdict(list)
    for attempt in session.scalars(
        select(Attempt)
        .options(
            load_only(Attempt.trial_id, Attempt.participant_id, Attempt.number, Attempt.status)
        )
        .join(Trial)
        .where(Trial.run_id == run_id)
        .order_by(Attempt.number)
    ):
        attempts[attempt.trial_id].append(attempt)
    return [
        TrialRow(
            id=trial.id,
            position=trial.position,
            repeat=trial.repeat,
            cell=trial.cell,
            parameters=trial_parameters(run.kind, trial.parameters),
            status=status_of(attempts[trial.id], participants),
            attempts=len({attempt.number for attempt in attempts[trial.id]}),
        )
        for trial in session.scalars(
            select(Trial).where(Trial.run_id == run_id).order_by(Trial.position)
        )
    ]


def find_trial(session: Session, trial_id: int) -> Trial:
    """Return the trial; raises NotFound also for that of a deleted campaign."""
    row = session.scalar(select(Trial).join(Run).where(Trial.id == trial_id, shown()))
    if row is None:
        raise NotFound("trial", trial_id)
    return row


def one(session: Session, trial_id: int) -> TrialOut:
    """Return a trial with its attempts, or raise NotFound."""
    row = find_trial(session, trial_id)
    run = find(session, row.run_id)
    attempts = session.scalars(
        select(Attempt)
        .join(Participant, Participant.id == Attempt.participant_id)
        .where(Attempt.trial_id == trial_id)
        .order_by(Attempt.number, Participant.position)
    )
    return TrialOut(
        id=row.id,
        run_id=row.run_id,
        position=row.position,
        repeat=row.repeat,
        cell=row.cell,
        parameters=trial_parameters(run.kind, row.parameters),
        attempts=[_attempt(attempt) for attempt in attempts],
    )


def _attempt(attempt: Attempt) -> AttemptOut:
    return AttemptOut(
        participant_id=attempt.participant_id,
        number=attempt.number,
        status=attempt.status,
        reason=attempt.reason,
        started_at=attempt.started_at,
        app_ns=attempt.app_ns,
        durable_ns=attempt.durable_ns,
        application_bytes_per_s=None
        if attempt.status in DISTURBED
        else _bytes_per_s(attempt.bytes, attempt.app_ns),
        durable_bytes_per_s=_bytes_per_s(attempt.bytes, attempt.durable_ns),
        bytes=attempt.bytes,
        ops=attempt.ops,
        sample_count=attempt.sample_count,
        lat_max_ns=attempt.lat_max_ns,
        percentiles=_percentiles(latency(attempt)),
        histogram=[(lower(step), count) for step, count in attempt.histogram]
        if attempt.histogram is not None
        else None,
        result=attempt.result,
    )


def _bytes_per_s(size: int, duration_ns: int | None) -> float | None:
    """Return bytes per second; null if the duration is zero or unknown."""
    return size * 10**9 / duration_ns if duration_ns else None


def _percentiles(of_all: Latency | None) -> dict[str, int] | None:
    if of_all is None or not of_all.count:
        return None
    read = {name: of_all.percentile(q) for name, q in _SHARES.items()}
    read |= {"max_ns": of_all.greatest_ns, "mean_ns": of_all.mean_ns}
    return {name: round(value or 0) for name, value in read.items()}
