"""Queries for runs, their trials and attempts, in a constant number of statements."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, or_, select
from sqlalchemy.orm import Session, joinedload, load_only

from assay.analysis.histogram import Latency, lower
from assay.analysis.statuses import DISTURBED
from assay.base.errors import NotFound
from assay.base.filters import has_words
from assay.base.states import ACTIVE, DONE, LOST
from assay.inventory.labels import ON_CAMPAIGN, in_label
from assay.kinds.registry import trial_parameters
from assay.runs import live
from assay.runs.attempts import latency, status_of
from assay.runs.conditions import conditions, over_run
from assay.runs.filters import RunFilter
from assay.runs.gaps import without_superseded
from assay.runs.lifecycle import lost_among
from assay.runs.participants import of_runs
from assay.runs.recording.increment import PROGRESS
from assay.runs.schemas import (
    AttemptOut,
    HostRef,
    LatestResult,
    NoticeOut,
    ParticipantOut,
    ReadBackPlace,
    RunOut,
    RunParticipant,
    RunSummary,
    TargetRef,
    TrialOut,
    TrialRow,
)
from assay.runs.stored_results import ListedOutcome, outcomes, sparklines
from assay.runs.verdicts import queries as verdicts
from assay.runs.verdicts.judging import Outcome
from assay.runs.verdicts.outcomes import runs_with_outcome
from assay.tables.campaigns import Campaign, deleted
from assay.tables.database import among
from assay.tables.hosts import Inventory
from assay.tables.labels import RunLabel
from assay.tables.runs import Attempt, Notice, Participant, Run, Trial
from assay.tables.targets import Target


def find(session: Session, run_id: int) -> Run:
    """Return the run; raises NotFound also for that of a deleted campaign."""
    run = session.scalar(select(Run).where(Run.id == run_id, shown()))
    if run is None:
        raise NotFound("run", run_id)
    return run


def shown() -> ColumnElement[bool]:
    """Return SQL for whether a run's campaign is not deleted."""
    return Run.campaign_id.not_in(deleted())


def listed(
    session: Session,
    where: RunFilter,
    *,
    campaign_id: int | None = None,
    states: Sequence[str] = (),
    verdicts_of: Sequence[Outcome] = (),
    launched: Sequence[ColumnElement[bool]] = (),
    words: str = "",
) -> Select[Run]:
    """Return the runs that match all of the given filters, also those of deleted campaigns.

    `launched` are conditions on the time of the launch. Raises Invalid.
    """
    found = select(Run).where(*where.of_run(), *launched)
    if campaign_id is not None:
        found = found.where(Run.campaign_id == campaign_id)
    if states:
        found = found.where(Run.state.in_(states))
    if verdicts_of:
        found = found.where(Run.id.in_(runs_with_outcome(verdicts_of)))
    if of_campaign := where.of_campaign(session):
        found = found.where(Run.campaign_id.in_(select(Campaign.id).where(*of_campaign)))
    if words:
        found = found.join(Campaign, Campaign.id == Run.campaign_id)
        found = found.where(has_words(words, Run.title, Campaign.name, beside=annotated))
    return found


def annotated(word: str) -> ColumnElement[bool]:
    """Return SQL for whether a word is in a run's label, or its campaign's label or reference."""
    campaigns = select(Campaign.id).where(ON_CAMPAIGN(word))
    return or_(in_label(RunLabel, Run.id, word), Run.campaign_id.in_(campaigns))


def summaries(session: Session, runs: Sequence[Run]) -> list[RunSummary]:
    """Return runs as lists and live pages show them, in the given order."""
    participants = of_runs(session, [run.id for run in runs])
    lost = lost_among(session, runs)
    answers, judged = outcomes(session, runs), verdicts.summaries(session, runs)
    names = campaign_names(session, runs)
    return [
        RunSummary.model_validate(
            _summary(session, run, participants[run.id], lost, answers.get(run.id, ListedOutcome()))
            | {"campaign_name": names[run.campaign_id], "verdict": judged.get(run.id)}
        )
        for run in runs
    ]


def one(session: Session, run_id: int) -> RunOut:
    """Return a run with its conditions, participants and notices."""
    run = find(session, run_id)
    participants = of_runs(session, [run_id])[run_id]
    notices = session.scalars(
        select(Notice).where(Notice.run_id == run_id).order_by(Notice.at, Notice.id)
    )
    answer = outcomes(session, [run]).get(run_id, ListedOutcome())
    return RunOut.model_validate(
        _summary(session, run, participants, lost_among(session, [run]), answer)
        | {
            "campaign_name": campaign_names(session, [run])[run.campaign_id],
            "parameters": run.parameters,
            "watch_ms": run.parameters.get("watch_ms"),
            "participants": [_participant(run, participant) for participant in participants],
            "read_back_by": _read_back_by(session, run.read_back_target_id),
            "raw_removed_at": run.raw_removed_at,
            "samples_removed_at": run.samples_removed_at,
            "notices": [
                NoticeOut.model_validate(notice, from_attributes=True)
                for notice in without_superseded(notices)
            ],
            "verdict": verdicts.summaries(session, [run]).get(run_id),
            "conditions": conditions(run, participants, _inventories(session, participants)),
        }
    )


def campaign_names(session: Session, runs: Sequence[Run]) -> dict[int, str]:
    """Return the names of the runs' campaigns by id."""
    ids = {run.campaign_id for run in runs}
    found = session.execute(
        select(Campaign.id, Campaign.name).where(among(session, Campaign.id, ids))
    )
    return dict(map(tuple[int, str], found))


def _read_back_by(session: Session, target_id: int | None) -> ReadBackPlace | None:
    if target_id is None:
        return None
    target = session.get_one(Target, target_id, options=[joinedload(Target.host)])
    return ReadBackPlace(
        host=HostRef(id=target.host.id, name=target.host.name),
        target=TargetRef(id=target.id, path=target.path, name=target.name),
    )


def latest(session: Session, limit: int) -> list[LatestResult]:
    """Return the newest ended runs, each with the throughput of its best trial over time."""
    runs = session.scalars(
        select(Run)
        .options(joinedload(Run.campaign))
        .where(Run.state == DONE, shown())
        .order_by(Run.ended_at.desc(), Run.id.desc())
        .limit(limit)
    ).all()
    participants = of_runs(session, [run.id for run in runs])
    answers, pictures = outcomes(session, runs), sparklines(session, runs)
    judged = verdicts.summaries(session, runs)
    results: list[LatestResult] = []
    for run in runs:
        answer = answers[run.id]
        results.append(
            LatestResult(
                run_id=run.id,
                campaign_id=run.campaign_id,
                name=run.campaign.name,
                title=run.title,
                kind=run.kind,
                participants=[_part(run, participant) for participant in participants[run.id]],
                headline=answer.headline,
                headline_levels=answer.headline_levels,
                best_bytes_per_s=answer.best_bytes_per_s,
                sparkline_bytes_per_s=pictures[run.id],
                verdict=judged.get(run.id),
                ended_at=run.ended_at,
            )
        )
    return results


def _inventories(session: Session, participants: Sequence[Participant]) -> list[dict[str, Any]]:
    """Return the inventory of each participant's host at the start of the run; empty before.

    `probe` is the build that made it.
    """
    ids = [one.inventory_id for one in participants if one.inventory_id is not None]
    found = {
        inventory.id: inventory.body | {"probe": inventory.probe}
        for inventory in session.scalars(select(Inventory).where(Inventory.id.in_(ids)))
    }
    return [found.get(one.inventory_id or 0, {}) for one in participants]


def _summary(
    session: Session,
    run: Run,
    participants: Sequence[Participant],
    lost: Collection[int],
    answer: ListedOutcome,
) -> dict[str, Any]:
    current, share = live.current(session, run, participants)
    return {
        "id": run.id,
        "campaign_id": run.campaign_id,
        "number": run.number,
        "title": run.title,
        "kind": run.kind,
        "participants": [_part(run, participant) for participant in participants],
        "state": run.state,
        "condition": LOST if run.id in lost else None,
        "unreachable_since": run.unreachable_since,
        "state_code": run.state_code,
        "state_reason": run.state_reason or (run.waits_for or {}).get("what"),
        "waits_for": run.waits_for,
        "trials_total": run.trials_total,
        "trials_done": run.trials_done,
        "current": current,
        "eta_s": live.eta_s(session, run, share),
        "created_at": run.created_at,
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "error": run.error,
        "headline": answer.headline,
        "headline_levels": answer.headline_levels,
        "best_bytes_per_s": answer.best_bytes_per_s,
    }


def _host(participant: Participant) -> HostRef:
    return HostRef(id=participant.host.id, name=participant.host.name)


def _target(participant: Participant) -> TargetRef | None:
    target = participant.target
    return target and TargetRef(id=target.id, path=target.path, name=target.name)


def _part(run: Run, participant: Participant) -> RunParticipant:
    return RunParticipant(
        id=participant.id,
        role=participant.role,
        host=_host(participant),
        target=_target(participant),
        activity=(participant.hello or {}).get(PROGRESS) if run.state in ACTIVE else None,
    )


def _participant(run: Run, participant: Participant) -> ParticipantOut:
    return ParticipantOut.model_validate(
        dict(_part(run, participant))
        | {
            "inventory_id": participant.inventory_id,
            "probe": (participant.hello or {}).get("probe"),
            "hello": participant.hello,
            "conditions": over_run(participant),
            "bytes_read": participant.offset,
            "labels": participant.labels,
            "references": participant.external_references,
        }
    )


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


def one_trial(session: Session, trial_id: int) -> TrialOut:
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
