"""Storing the verdict of an ended run together with its result.

Both are stored in one transaction, so a run with a result has its verdict. A criterion with `stop`
that the run fails cancels the queued runs of its campaign; until the verdict is stored, the
dispatcher does not admit them.

Webhooks are told about verdicts and the end of campaigns. A campaign counts as ended once the
results of all its runs are stored, so a receiver that asks for them gets what the event says.
"""

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import exists, or_, select
from sqlalchemy.orm import Session

from assay.base.webhook_events import (
    MOST_CRITERIA,
    MOST_FAILURES,
    CampaignEnded,
    CampaignIdentity,
    EndedCampaign,
    EventVerdict,
    FailedRun,
    JudgedCriterion,
    JudgedRun,
    ProfileIdentity,
    RunCounts,
    RunFailure,
    RunJudged,
    links,
)
from assay.inventory.hosts.schemas import Failure
from assay.inventory.labels import labels_of
from assay.runs import lifecycle, stored_results
from assay.runs.campaigns.lifecycle import derive
from assay.runs.changes import runs_changed
from assay.runs.lifecycle import CANCELLED, DONE, FAILED, FINAL
from assay.runs.scheduling.reservations import dispatch, take_turn
from assay.runs.verdicts import queries
from assay.runs.verdicts.judging import CRITERIA_RULES, GRAVITY, Row
from assay.runs.verdicts.queries import document, rows_of
from assay.runs.verdicts.schemas import VerdictSummary
from assay.tables import outbox
from assay.tables.campaigns import Campaign
from assay.tables.database import reading, writing
from assay.tables.labels import CampaignLabel
from assay.tables.runs import Result, Run
from assay.tables.verdicts import Verdict


def announce_judged(session: Session, run: Run, rows: Sequence[Row]) -> None:
    """Store the events of a run whose verdict was just stored: its own, and its campaign's end.

    The caller has locked the campaign's row. A deleted campaign has no events.
    """
    campaign = session.get_one(Campaign, run.campaign_id)
    if campaign.deleted_at is not None:
        return
    if rows:
        outbox.put(session, "run.judged.v1", lambda: _judged(session, campaign, run, rows))
    unstored = or_(Run.state.not_in(FINAL), Run.rules.is_(None))
    if not session.scalar(select(exists().where(Run.campaign_id == campaign.id, unstored))):
        outbox.put(session, "campaign.ended.v1", lambda: _ended(session, campaign))


def _judged(session: Session, campaign: Campaign, run: Run, rows: Sequence[Row]) -> RunJudged:
    gravest_first = sorted(rows, key=lambda row: (GRAVITY.index(row.outcome), row.number))
    return RunJudged(
        campaign=CampaignIdentity(id=campaign.id, name=campaign.name, reference=campaign.reference),
        run=JudgedRun(
            id=run.id, title=run.title, kind=run.kind, state=run.state, failure=_failure(run)
        ),
        verdict=_verdict(queries.summaries(session, [run])[run.id]),
        criteria=[
            JudgedCriterion(
                criterion=row.criterion,
                outcome=row.outcome,
                dimension=row.dimension,
                measured=row.measured,
                limit=row.limit,
            )
            for row in gravest_first[:MOST_CRITERIA]
        ],
        links=links(f"runs/{run.id}", f"runs/{run.id}"),
    )


def _ended(session: Session, campaign: Campaign) -> CampaignEnded:
    asked = select(Run).where(Run.campaign_id == campaign.id).order_by(Run.number)
    runs = session.scalars(asked).all()
    failed = [(run, failure) for run in runs if (failure := _failure(run))]
    numbers = Counter(run.state for run in runs)
    judged = list(queries.summaries(session, runs).values())
    unjudged = queries.outcomes_of_unjudged(session, runs).get(campaign.id, [])
    verdict = queries.combined(judged, unjudged) if judged or unjudged else None
    snapshot = campaign.profile_snapshot
    return CampaignEnded(
        campaign=EndedCampaign(
            id=campaign.id,
            name=campaign.name,
            reference=campaign.reference,
            state=derive(list(numbers)),
            labels=labels_of(session, CampaignLabel, [campaign.id])[campaign.id],
            created_by=campaign.created_by,
            created_at=campaign.created_at,
            ended_at=max(run.ended_at for run in runs if run.ended_at),
        ),
        profile=ProfileIdentity(slug=snapshot["slug"], version=snapshot["version"]),
        runs=RunCounts(done=numbers[DONE], failed=numbers[FAILED], cancelled=numbers[CANCELLED]),
        failures=[
            FailedRun(id=run.id, title=run.title, code=failure.code, reason=failure.reason)
            for run, failure in failed[:MOST_FAILURES]
        ],
        verdict=verdict and _verdict(verdict),
        links=links(f"campaigns/{campaign.id}", f"campaigns/{campaign.id}"),
    )


def _failure(run: Run) -> RunFailure | None:
    if run.error is None:
        return None
    failure = Failure.model_validate(run.error)
    return RunFailure(code=failure.code, reason=failure.cause)


def _verdict(summary: VerdictSummary) -> EventVerdict:
    return EventVerdict(
        outcome=summary.outcome,
        passed=summary.passed,
        failed=summary.failed,
        inconclusive=summary.inconclusive,
        waived=summary.waived,
    )


def store_ended(run_id: int) -> None:
    """Store result and verdict of an ended run, unless it has them or has been deleted.

    The run is judged on a snapshot, because that takes too long to block writers.
    """
    with reading() as session:
        found = session.get(Run, run_id)
        if found is None:
            return
        judged = stored_results.evaluate(session, found)
        campaign = session.get_one(Campaign, found.campaign_id)
        rows, stops = _rows(campaign, found, judged), campaign.stops
    with writing() as session:
        if stops:
            take_turn(session)
        # also so that of the last two runs one sees that it is the last
        session.get(Campaign, found.campaign_id, with_for_update=True)
        run = session.get(Run, run_id, with_for_update=True)
        if run is None or run.rules is not None:
            return
        stored_results.add(session, run, judged)
        _add(session, run, rows)
        changed = {run.id: run.campaign_id} if rows else {}
        if stops:
            changed |= _stop(session, run, rows)
        announce_judged(session, run, rows)
        runs_changed(session, changed)
        if stops:
            dispatch(session)  # the campaign's other runs waited for this verdict


def store_rebuilt(session: Session, run: Run) -> Result:
    """Store the result of a rebuilt run as its next build; a verdict that it has is kept."""
    first = run.rules is None
    result = stored_results.store(session, run)
    if first:
        rows = _rows(session.get_one(Campaign, run.campaign_id), run, result)
        _add(session, run, rows)
        announce_judged(session, run, rows)
    return result


def _rows(campaign: Campaign, run: Run, judged: Result) -> list[Row]:
    return rows_of(run, stored_results.body(run, judged), campaign.criteria)


def _add(session: Session, run: Run, rows: list[Row]) -> None:
    session.add_all(
        Verdict(
            run_id=run.id,
            number=row.number,
            rules=run.rules,
            build=run.build,
            criteria_rules=CRITERIA_RULES,
            criterion=row.criterion,
            outcome=row.outcome,
            detail=document(row),
        )
        for row in rows
    )
    session.flush()


def _stop(session: Session, run: Run, rows: list[Row]) -> dict[int, int]:
    """Cancel the campaign's queued runs if a criterion with `stop` failed; return them."""
    criteria = session.get_one(Campaign, run.campaign_id).criteria
    failed = [row for row in rows if row.outcome == "fail" and criteria[row.number]["stop"]]
    if not failed:
        return {}
    queued = session.scalars(
        select(Run)
        .where(Run.campaign_id == run.campaign_id, Run.state == lifecycle.QUEUED)
        .order_by(Run.id)
        .with_for_update()
    ).all()
    for other in queued:
        reason = f"Run {run.id} failed {failed[0].criterion}, which stops the campaign."
        lifecycle.enter(other, lifecycle.CANCELLED, reason=reason)
    session.flush()
    return {other.id: other.campaign_id for other in queued}
