"""Reading samples: from the coarsest roll-up that still fills the picture."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.errors import NotFound
from assay.runs.attempts import deciding
from assay.runs.models import Attempt, Participant, Run, Trial
from assay.samples.columns import NAMES
from assay.samples.models import ROLLUP_FACTOR, ROLLUP_LEVELS, rollups, samples
from assay.samples.rollup import Bucket, of_sample
from assay.samples.schemas import SamplesOut
from assay.samples.series import columns, thin

FRESH_LIMIT = 2000
"""Most samples that a live page is sent at once; it takes the rest from a snapshot."""

_FRESH = ("end_ns", "dt_ns", "bytes", "ops", "lat_max_ns", "oldest_ns")


@dataclass(frozen=True)
class Fresh:
    """New samples of one trial: [end_ns, dt_ns, bytes, ops, lat_max_ns, oldest_ns] each."""

    run_id: int
    trial_id: int
    points: list[list[int]]


def series(session: Session, trial_id: int, points: int, number: int | None = None) -> SamplesOut:
    """A trial's time series in at most `points` points.

    Of attempt `number`, else of the one that decides the trial. Raises NotFound.
    """
    attempt, sample_ms = _attempt(session, trial_id, number)
    level = _level(attempt.sample_count, points)
    buckets = thin(_buckets(session, attempt.id, level), points)
    return SamplesOut(
        trial_id=trial_id,
        attempt=attempt.number,
        sample_ns=sample_ms * 10**6,
        count=attempt.sample_count,
        level=level,
        columns=columns(buckets),
    )


def rates(session: Session, trial_id: int, points: int) -> list[float]:
    """The throughput of a trial in bytes per second, in at most `points` points."""
    return [value or 0 for value in series(session, trial_id, points).columns.rate_mean]


def samples_since(session: Session, run_id: int, after: int | None) -> tuple[list[Fresh], int]:
    """Samples stored since event `after` (a `seq`), by trial, and the `seq` to go on from.

    Without `after`, nothing but where to begin: a live page has taken its snapshot. They are of
    the run's first participant.
    """
    found = session.execute(
        select(Participant.id, Participant.next_seq)
        .where(Participant.run_id == run_id)
        .order_by(Participant.position)
        .limit(1)
    ).first()
    if found is None:
        return [], after or 0
    newest = found.next_seq - 1
    if after is None or after >= newest:
        return [], newest
    rows = session.execute(
        select(Attempt.trial_id, *(samples.c[name] for name in _FRESH))
        .join(Attempt, Attempt.id == samples.c.attempt_id)
        .where(samples.c.participant_id == found.id, samples.c.seq > after)
        .order_by(samples.c.seq.desc())
        .limit(FRESH_LIMIT)
    ).all()
    by_trial: dict[int, list[list[int]]] = {}
    for row in reversed(rows):
        trial_id, *values = tuple(row)
        by_trial.setdefault(trial_id, []).append(values)
    fresh = [Fresh(run_id, trial_id, points) for trial_id, points in by_trial.items()]
    return fresh, newest


def _attempt(session: Session, trial_id: int, number: int | None) -> tuple[Attempt, int]:
    attempts = session.scalars(
        select(Attempt).where(Attempt.trial_id == trial_id).order_by(Attempt.number)
    ).all()
    chosen = (
        deciding(attempts)
        if number is None
        else next((a for a in attempts if a.number == number), None)
    )
    if chosen is None:
        raise NotFound("attempt at trial", trial_id)
    parameters = session.scalars(
        select(Run.parameters).join(Trial, Trial.run_id == Run.id).where(Trial.id == trial_id)
    ).one()
    return chosen, int(parameters.get("sample_ms", 1000))


def _level(count: int, points: int) -> int:
    """The coarsest level that still has half the points, so that few rows are read."""
    fitting = [lv for lv in ROLLUP_LEVELS if 2 * (count // ROLLUP_FACTOR**lv) >= points]
    return max(fitting, default=0)


def _buckets(session: Session, attempt_id: int, level: int) -> list[Bucket]:
    if level == 0:
        raw = (
            select(*(samples.c[name] for name in NAMES))
            .where(samples.c.attempt_id == attempt_id)
            .order_by(samples.c.number)
        )
        return [of_sample(tuple(row)) for row in session.execute(raw)]
    rolled = (
        select(
            rollups.c.count,
            rollups.c.rate_min,
            rollups.c.rate_max,
            *(rollups.c[name] for name in NAMES),
        )
        .where(rollups.c.attempt_id == attempt_id, rollups.c.level == level)
        .order_by(rollups.c.bucket)
    )
    rows = [tuple(row) for row in session.execute(rolled)]
    return [Bucket(count, slow, fast, tuple(values)) for count, slow, fast, *values in rows]
