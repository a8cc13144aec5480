"""The current activity of a run, from stored data."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.analysis import flags
from assay.analysis.flags import Flag
from assay.analysis.statuses import DISTURBED
from assay.kinds.registry import KINDS, trial_parameters
from assay.runs.attempts import RUNNING, disturbance
from assay.runs.lifecycle import ACTIVE
from assay.runs.samples import raw
from assay.runs.samples.blocks import columns_of
from assay.runs.schemas import CurrentPart, CurrentTrial
from assay.tables.clock import now
from assay.tables.runs import Attempt, Participant, Run, Trial

RATE_SAMPLES = 3
"""Number of samples over which the live rate is computed."""


def current(
    session: Session, run: Run, participants: Sequence[Participant]
) -> tuple[CurrentTrial | None, float]:
    """Return the current trial and its completed share (0 to 1).

    Of several participants' it is the earliest: those that have ended theirs wait for the others.
    Bytes and rate are those of the participants with the role that scores the trial, by default the
    first one's: written and read bytes do not add up. The rate is null while a host is out of
    reach: what was measured last is not what happens now.
    """
    under_way = {one.current_trial_id for one in participants} - {None}
    if run.state not in ACTIVE or not under_way:
        return None, 0.0
    trial = session.scalars(
        select(Trial).where(Trial.id.in_(under_way)).order_by(Trial.position).limit(1)
    ).one()
    newest: dict[int, Attempt] = {}
    for attempt in session.scalars(
        select(Attempt).where(Attempt.trial_id == trial.id).order_by(Attempt.number)
    ):
        newest[attempt.participant_id] = attempt
    number = max((attempt.number for attempt in newest.values()), default=0)
    attempts = [attempt for attempt in newest.values() if attempt.number == number]
    if not any(attempt.status == RUNNING for attempt in attempts):
        return None, 0.0
    away = run.unreachable_since is not None
    parts: list[CurrentPart] = []
    for one in participants:
        attempt = newest.get(one.id)
        part = _part(one, attempt, number)
        if part.state == "running" and attempt and not away:
            part.rate_bytes_per_s = _rate(session, trial, attempt)
        parts.append(part)
    role = KINDS[run.kind].scored_role(trial.parameters) or participants[0].role
    alike = [part for one, part in zip(participants, parts, strict=True) if one.role == role]
    rates = [part.rate_bytes_per_s for part in alike if part.rate_bytes_per_s is not None]
    totals = [part.total_bytes for part in alike if part.total_bytes]
    starts = [attempt.started_at for attempt in attempts if attempt.started_at]
    shown = CurrentTrial(
        trial_id=trial.id,
        attempt=number,
        disturbed=_disturbed(session, trial, number),
        cell=trial.cell,
        parameters=trial_parameters(run.kind, trial.parameters),
        repeat=trial.repeat,
        started_at=min(starts, default=None),
        bytes=sum(part.bytes for part in alike),
        total_bytes=sum(totals) or None,
        rate_bytes_per_s=sum(rates) if rates else None,
        participants=parts,
    )
    share = shown.bytes / shown.total_bytes if shown.total_bytes else 0.0
    lasting = KINDS[run.kind].trial_ms(trial.parameters)
    if lasting:
        share = min(_elapsed_ns(session, trial, attempt) for attempt in attempts) / lasting / 1e6
    return shown, min(max(share, 0.0), 1.0)


def _part(participant: Participant, attempt: Attempt | None, number: int) -> CurrentPart:
    """Return a participant's part of attempt `number`, without its rate."""
    part = CurrentPart(
        participant_id=participant.id,
        state="waiting",
        bytes=0,
        total_bytes=None,
        rate_bytes_per_s=None,
    )
    if attempt is not None and attempt.number == number:
        running, ready = attempt.status == RUNNING, participant.ready == number
        part.state = "ended" if not running else "ready" if ready else "running"
        part.bytes = attempt.done_bytes + attempt.bytes
        part.total_bytes = attempt.total_bytes and attempt.done_bytes + attempt.total_bytes
    return part


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


def _disturbed(session: Session, trial: Trial, number: int) -> Flag | None:
    """Return why the previous attempt was suspended or starved, if this one repeats it."""
    if number == 1:
        return None
    before = session.scalars(
        select(Attempt).where(
            Attempt.trial_id == trial.id,
            Attempt.number == number - 1,
            Attempt.status.in_(DISTURBED),
        )
    ).first()
    return flags.of_disturbance(before.status, disturbance(before)) if before else None


def _elapsed_ns(session: Session, trial: Trial, attempt: Attempt) -> int:
    """Return the end of the newest sample or mark since the trial began, without interruptions."""
    participant_id, position = attempt.participant_id, trial.position
    return attempt.done_ns + raw.newest_end_ns(session, participant_id, position, attempt.number)


def _rate(session: Session, trial: Trial, attempt: Attempt) -> float | None:
    recent = raw.last_samples(
        session, attempt.participant_id, trial.position, attempt.number, RATE_SAMPLES
    )
    columns = columns_of(recent)
    duration_ns = sum(value or 0 for value in columns["dt_ns"])
    moved = sum(value or 0 for value in columns["bytes"])
    return moved * 10**9 / duration_ns if duration_ns else None
