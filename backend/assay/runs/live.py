"""The current activity of a run, from stored data."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.analysis import flags
from assay.analysis.flags import Flag
from assay.analysis.statuses import DISTURBED
from assay.db.clock import now
from assay.kinds.registry import trial_parameters
from assay.runs.attempts import RUNNING, disturbance
from assay.runs.lifecycle import ACTIVE
from assay.runs.models import Attempt, Participant, Run, Trial
from assay.runs.schemas import CurrentTrial
from assay.samples import raw
from assay.samples.rollup import columns_of

RATE_SAMPLES = 3
"""Samples that the live rate is taken over."""


def current(
    session: Session, run: Run, participants: Sequence[Participant]
) -> tuple[CurrentTrial | None, float]:
    """Return the current trial and its completed share (0 to 1).

    Its rate is null while the host is unreachable, because the last one is no longer current.
    """
    trial_id = participants[0].current_trial_id if participants else None
    if run.state not in ACTIVE or trial_id is None:
        return None, 0.0
    found = session.execute(
        select(Attempt, Trial)
        .join(Trial, Trial.id == Attempt.trial_id)
        .where(
            Attempt.trial_id == trial_id,
            Attempt.participant_id == participants[0].id,
            Attempt.status == RUNNING,
        )
    ).first()
    if found is None:
        return None, 0.0
    attempt, trial = found
    shown = CurrentTrial(
        trial_id=trial.id,
        attempt=attempt.number,
        disturbed=_disturbed(session, trial, attempt),
        cell=trial.cell,
        parameters=trial_parameters(run.kind, trial.parameters),
        repeat=trial.repeat,
        started_at=attempt.started_at,
        bytes=attempt.bytes,
        total_bytes=attempt.total_bytes,
        rate_bytes_per_s=None if run.unreachable_since else _rate(session, trial, attempt),
    )
    share = attempt.bytes / attempt.total_bytes if attempt.total_bytes else 0.0
    return shown, min(share, 1.0)


def eta_s(session: Session, run: Run, share: float) -> float | None:
    """Return the remaining seconds if the remaining trials take as long as the previous ones.

    `share` is the completed share of the current trial. Null before the first result, and while the
    host is unreachable.
    """
    done = run.trials_done + share
    if run.state not in ACTIVE or run.started_at is None or run.unreachable_since or not done:
        return None
    elapsed = (now(session) - run.started_at).total_seconds()
    return round(max(0.0, elapsed * (run.trials_total - done) / done), 1)


def _disturbed(session: Session, trial: Trial, attempt: Attempt) -> Flag | None:
    """Return why the attempt repeats a suspended or starved one, if it does."""
    if attempt.number == 1:
        return None
    before = session.scalars(
        select(Attempt).where(
            Attempt.trial_id == trial.id,
            Attempt.participant_id == attempt.participant_id,
            Attempt.number == attempt.number - 1,
            Attempt.status.in_(DISTURBED),
        )
    ).first()
    return flags.of_disturbance(before.status, disturbance(before)) if before else None


def _rate(session: Session, trial: Trial, attempt: Attempt) -> float | None:
    recent = raw.last_samples(
        session, attempt.participant_id, trial.position, attempt.number, RATE_SAMPLES
    )
    columns = columns_of(recent)
    duration_ns = sum(value or 0 for value in columns["dt_ns"])
    moved = sum(value or 0 for value in columns["bytes"])
    return moved * 10**9 / duration_ns if duration_ns else None
