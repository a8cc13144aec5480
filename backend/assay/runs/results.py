"""The result of a run, computed by its kind from plain data."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from assay.analysis.marks import Marks
from assay.analysis.statuses import DISTURBED, of_trial
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
from assay.runs.participants import clock_uncertainty_ns
from assay.samples import intervals, marks

_CUT_SHORT: dict[str, CutShort] = {CANCELLED: "cancelled", FAILED: "failed"}
"""Why a run in this state did not measure all planned trials."""


def judge(session: Session, run: Run) -> BaseResult:
    """Return a run's result in its current state, by the current rules."""
    sites = _sites(session, run.id)
    trials = session.scalars(
        select(Trial).where(Trial.run_id == run.id).order_by(Trial.position)
    ).all()
    attempts: dict[int, list[Attempt]] = {}
    for attempt in session.scalars(
        select(Attempt).join(Trial).where(Trial.run_id == run.id).order_by(Attempt.number)
    ):
        attempts.setdefault(attempt.trial_id, []).append(attempt)
    several = len(sites) > 1
    courses = intervals.of_run(session, run.id, every=several)
    marked = marks.of_run(session, run.id)
    lost = bool(lost_among(session, [run]))
    return KINDS[run.kind].judge(
        RunRecord(
            id=run.id,
            parameters=run.parameters,
            trials=[
                _trial(trial, attempts.get(trial.id, []), sites, courses, marked)
                for trial in trials
            ],
            sites=sites,
            cut_short="lost" if lost else _CUT_SHORT.get(run.state),
        )
    )


def _trial(
    trial: Trial,
    attempts: list[Attempt],
    sites: Sequence[Site],
    courses: dict[int, intervals.Intervals],
    marked: dict[int, Marks],
) -> TrialRecord:
    """Return a trial with its deciding attempts."""
    decide = deciding(attempts, [site.participant_id for site in sites])
    last = of_trial([one.status if one else "waiting" for one in decide])
    disturbed = {one.number for one in attempts if one.status in DISTURBED}
    return TrialRecord(
        id=trial.id,
        repeat=trial.repeat,
        cell=trial.cell,
        parameters=trial.parameters,
        attempts=len({one.number for one in attempts}),
        again=last in DISTURBED and len(disturbed) < DISTURBED_MOST,
        deciding=[
            attempt and _attempt(attempt, courses.get(attempt.id), marked.get(attempt.id))
            for attempt in decide
        ],
    )


def _attempt(
    attempt: Attempt, course: intervals.Intervals | None, marked: Marks | None
) -> AttemptRecord:
    return AttemptRecord(
        status=attempt.status,
        reason=attempt.reason,
        bytes=attempt.bytes,
        ops=attempt.ops,
        app_ns=attempt.app_ns,
        durable_ns=attempt.durable_ns,
        result=attempt.result,
        disturbance=disturbance(attempt),
        latency=latency(attempt),
        course=course,
        marks=marked,
    )


def _sites(session: Session, run_id: int) -> list[Site]:
    participants = session.scalars(
        select(Participant)
        .where(Participant.run_id == run_id)
        .order_by(Participant.position)
        .options(joinedload(Participant.host), joinedload(Participant.target))
    )
    return [_site(participant) for participant in participants]


def _site(participant: Participant) -> Site:
    hello: dict[str, Any] = participant.hello or {}
    target = participant.target
    return Site(
        participant_id=participant.id,
        host=participant.host.name,
        path=target.path if target else None,
        boot_id=hello.get("boot_id"),
        fs_type=hello.get("fs_type"),
        array_name=participant.array_name,
        array_cache_bytes=participant.array_cache_bytes,
        clock_uncertainty_ns=clock_uncertainty_ns(participant),
    )
