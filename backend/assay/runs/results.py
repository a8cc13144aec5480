"""The result of a run, computed by its kind from plain data."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.analysis.statuses import DISTURBED
from assay.kinds.kind import (
    AttemptRecord,
    BaseResult,
    CutShort,
    RunRecord,
    Site,
    TrialRecord,
)
from assay.kinds.registry import KINDS
from assay.runs.attempts import DISTURBED_MOST, deciding, disturbance, latency
from assay.runs.lifecycle import CANCELLED, FAILED, lost_among
from assay.runs.models import Attempt, Participant, Run, Trial
from assay.samples import intervals

_CUT_SHORT: dict[str, CutShort] = {CANCELLED: "cancelled", FAILED: "failed"}
"""Why a run in such a state did not measure all that was planned."""


def judge(session: Session, run: Run) -> BaseResult:
    """Return a run's result in its current state, by the current rules."""
    site = _site(session, run.id)
    trials = session.scalars(
        select(Trial).where(Trial.run_id == run.id).order_by(Trial.position)
    ).all()
    attempts: dict[int, list[Attempt]] = {}
    for attempt in session.scalars(
        select(Attempt).join(Trial).where(Trial.run_id == run.id).order_by(Attempt.number)
    ):
        attempts.setdefault(attempt.trial_id, []).append(attempt)
    courses = intervals.of_run(session, run.id)
    lost = bool(lost_among(session, [run]))
    return KINDS[run.kind].judge(
        RunRecord(
            id=run.id,
            parameters=run.parameters,
            trials=[_trial(trial, attempts.get(trial.id, []), courses) for trial in trials],
            site=site,
            cut_short="lost" if lost else _CUT_SHORT.get(run.state),
        )
    )


def _trial(
    trial: Trial, attempts: list[Attempt], courses: dict[int, intervals.Intervals]
) -> TrialRecord:
    """Return a trial with its deciding attempt: the last that counts, or else the last."""
    attempt = deciding(attempts)
    disturbed = sum(one.status in DISTURBED for one in attempts)
    return TrialRecord(
        id=trial.id,
        repeat=trial.repeat,
        cell=trial.cell,
        parameters=trial.parameters,
        attempts=len(attempts),
        again=attempt is not None and attempt.status in DISTURBED and disturbed < DISTURBED_MOST,
        deciding=attempt
        and AttemptRecord(
            status=attempt.status,
            reason=attempt.reason,
            bytes=attempt.bytes,
            ops=attempt.ops,
            app_ns=attempt.app_ns,
            durable_ns=attempt.durable_ns,
            result=attempt.result,
            disturbance=disturbance(attempt),
            latency=latency(attempt),
            course=courses.get(attempt.id),
        ),
    )


def _site(session: Session, run_id: int) -> Site:
    first = session.scalars(
        select(Participant)
        .where(Participant.run_id == run_id)
        .order_by(Participant.position)
        .limit(1)
    ).first()
    if first is None:
        return Site(None, None, None)
    hello: dict[str, Any] = first.hello or {}
    return Site(hello.get("fs_type"), first.array_name, first.array_cache_bytes)
