"""Events about verdicts and the end of campaigns for webhooks.

A campaign counts as ended once the results of all its runs are stored, so a receiver that asks for
them gets what the event says.
"""

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import exists, or_, select
from sqlalchemy.orm import Session

from assay.campaigns.lifecycle import derive
from assay.campaigns.models import Campaign
from assay.labels.models import CampaignLabel
from assay.labels.queries import labels_of
from assay.runs.lifecycle import CANCELLED, DONE, FAILED, FINAL
from assay.runs.models import Run
from assay.verdicts import queries
from assay.verdicts.judging import GRAVITY, Row
from assay.verdicts.schemas import VerdictSummary
from assay.webhooks import outbox
from assay.webhooks.events import (
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
    error = run.error
    if error is None:
        return None
    return RunFailure(code=error["code"], reason=f"{error['title']}: {error['detail']}")


def _verdict(summary: VerdictSummary) -> EventVerdict:
    return EventVerdict(
        outcome=summary.outcome,
        passed=summary.passed,
        failed=summary.failed,
        inconclusive=summary.inconclusive,
        waived=summary.waived,
    )
