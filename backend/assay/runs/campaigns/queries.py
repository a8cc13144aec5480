"""Queries for campaigns; lists that are filtered by state derive it in SQL.

The numbers of runs say which of them belong to which test of the campaign's profile.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, func, or_, select, true
from sqlalchemy.orm import Session

from assay.access import preconditions
from assay.base.errors import NotFound
from assay.base.etags import etag
from assay.base.filters import has_words
from assay.inventory.labels import ON_CAMPAIGN, labels_of, with_label
from assay.kinds.registry import KINDS
from assay.runs import lifecycle as runs
from assay.runs.campaigns.attention import needing_among, needing_attention
from assay.runs.campaigns.lifecycle import CampaignState, condition, derive
from assay.runs.campaigns.pairs import meshed, paired
from assay.runs.campaigns.schemas import EDITABLE, CampaignOut, ProfileOfCampaign
from assay.runs.filters import RunFilter
from assay.runs.queries import summaries
from assay.runs.schemas import RunSummary
from assay.runs.verdicts import queries as verdicts
from assay.runs.verdicts.judging import Outcome
from assay.runs.verdicts.outcomes import with_outcome
from assay.tables.campaigns import Campaign
from assay.tables.labels import CampaignLabel, RunLabel
from assay.tables.runs import Run


def find(session: Session, campaign_id: int, *, lock: bool = False) -> Campaign:
    """Return the campaign; raises NotFound also for a deleted one."""
    campaign = session.get(Campaign, campaign_id, with_for_update=lock or None)
    if campaign is None or campaign.deleted_at is not None:
        raise NotFound("campaign", campaign_id)
    return campaign


def one(session: Session, campaign_id: int) -> CampaignOut:
    """Return a campaign as an API type."""
    return shapes(session, [find(session, campaign_id)])[0]


def check_tag(session: Session, campaign: Campaign, if_match: str | None) -> None:
    """Raise PreconditionFailed if `if_match` is another tag than that of name, labels, reference.

    The caller has locked the campaign.
    """
    if if_match is None:
        return
    labels = labels_of(session, CampaignLabel, [campaign.id])[campaign.id]
    current = etag(campaign, EDITABLE, labels)
    preconditions.check(session, if_match, current, f"campaign {campaign.id}")


def listed(
    session: Session,
    where: RunFilter,
    *,
    states: Sequence[CampaignState] = (),
    verdicts_of: Sequence[Outcome] = (),
    launched: Sequence[ColumnElement[bool]] = (),
    words: str = "",
    needs_attention: bool | None = None,
) -> Select[Campaign]:
    """Return the campaigns that match all of the given filters; raises Invalid.

    One run of a campaign must match all filters of runs; `launched` are conditions on the time of
    the launch.
    """
    there = Campaign.deleted_at.is_(None)
    found = select(Campaign).where(there, *where.of_campaign(session), *launched)
    if of_run := where.of_run():
        found = found.where(Campaign.id.in_(select(Run.campaign_id).where(*of_run)))
    if states:
        derived = select(Run.campaign_id).group_by(Run.campaign_id).having(_derived().in_(states))
        found = found.where(Campaign.id.in_(derived))
    if verdicts_of:
        judged = (Campaign.id.in_(with_outcome(one)) for one in verdicts_of)
        found = found.where(or_(*judged))
    if words:
        found = found.where(has_words(words, Campaign.name, beside=ON_CAMPAIGN))
    if needs_attention is not None:
        needing = Campaign.id.in_(needing_attention())
        found = found.where(needing if needs_attention else ~needing)
    return found


def labeled(wanted: Sequence[str] | None) -> ColumnElement[bool]:
    """Return SQL for whether a campaign or a run of it has all wanted labels; raises Invalid."""
    return and_(
        true(),
        *(
            or_(
                Campaign.id.in_(with_label(CampaignLabel, one)),
                Campaign.id.in_(
                    select(Run.campaign_id).where(Run.id.in_(with_label(RunLabel, one)))
                ),
            )
            for one in wanted or ()
        ),
    )


def _derived() -> ColumnElement[CampaignState]:
    """Return `lifecycle.derive` in SQL, over the runs of a group; a test compares the two."""

    def some(condition: ColumnElement[bool]) -> ColumnElement[bool]:
        return func.sum(case((condition, 1), else_=0)) > 0

    def every(condition: ColumnElement[bool]) -> ColumnElement[bool]:
        return func.sum(case((condition, 0), else_=1)) == 0

    final = Run.state.in_(runs.FINAL)
    return case(
        (and_(every(final), some(Run.state == runs.FAILED)), "failed"),
        (and_(every(final), some(Run.state == runs.CANCELLED)), "cancelled"),
        (every(final), "done"),
        (every(Run.state == runs.QUEUED), "queued"),
        else_="running",
    )


def shapes(session: Session, campaigns: Sequence[Campaign]) -> list[CampaignOut]:
    """Return campaigns as API types."""
    ids = [campaign.id for campaign in campaigns]
    rows = session.scalars(
        select(Run).where(Run.campaign_id.in_(ids)).order_by(Run.campaign_id, Run.number)
    ).all()
    labels = labels_of(session, CampaignLabel, ids)
    unjudged = verdicts.outcomes_of_unjudged(session, rows)
    needing = needing_among(session, ids)
    by_campaign: defaultdict[int, list[RunSummary]] = defaultdict(list)
    for summary in summaries(session, rows):
        by_campaign[summary.campaign_id].append(summary)
    revisions: Counter[int] = Counter()
    for run in rows:
        revisions[run.campaign_id] += run.revision
    return [
        _shape(
            campaign,
            by_campaign[campaign.id],
            campaign.edits + revisions[campaign.id],
            unjudged.get(campaign.id, []),
            labels[campaign.id],
            needs_attention=campaign.id in needing,
        )
        for campaign in campaigns
    ]


def revision(session: Session, campaign_id: int) -> int | None:
    """Return how often it and its runs were changed, or None if there is no such campaign."""
    edits = select(Campaign.edits).where(Campaign.id == campaign_id, Campaign.deleted_at.is_(None))
    of_runs = select(func.sum(Run.revision)).where(Run.campaign_id == campaign_id)
    found = session.scalar(select(edits.scalar_subquery() + of_runs.scalar_subquery()))
    return None if found is None else int(found)


def _shape(
    campaign: Campaign,
    its_runs: list[RunSummary],
    revision: int,
    unjudged: list[Outcome],
    labels: dict[str, str],
    *,
    needs_attention: bool,
) -> CampaignOut:
    snapshot = campaign.profile_snapshot
    state = derive([run.state for run in its_runs])
    ended = [run.ended_at for run in its_runs if run.ended_at]
    over = all(run.state in runs.FINAL for run in its_runs)
    judged = [run.verdict for run in its_runs if run.verdict]
    return CampaignOut(
        id=campaign.id,
        name=campaign.name,
        profile=ProfileOfCampaign(
            id=campaign.profile_id,
            slug=snapshot["slug"],
            name=snapshot["name"],
            version=snapshot["version"],
        ),
        state=state,
        condition=condition((run.state, run.condition) for run in its_runs),
        created_at=campaign.created_at,
        created_by=campaign.created_by,
        labels=labels,
        reference=campaign.reference,
        origin=campaign.origin,
        schedule_id=campaign.schedule_id,
        started_at=min((run.started_at for run in its_runs if run.started_at), default=None),
        ended_at=max(ended, default=None) if over else None,
        cancel_requested=campaign.cancel_requested_at is not None,
        needs_attention=needs_attention,
        seen_at=campaign.seen_at,
        seen_by=campaign.seen_by,
        revision=revision,
        parameters=campaign.parameters,
        criteria=campaign.criteria,
        verdict=verdicts.combined(judged, unjudged) if over and (judged or unjudged) else None,
        runs=its_runs,
        etag=etag(campaign, EDITABLE, labels),
    )


def by_test(
    parameters: Mapping[str, Any], runs: Sequence[Run]
) -> Iterator[tuple[int, Sequence[Run]]]:
    """Yield the position of each test, from 1 on, with its runs; `runs` are all, by their numbers.

    `parameters` are those of the campaign.
    """
    begin, test = 0, 1
    while begin < len(runs):
        end = begin + _runs_of_one_test(parameters, runs[begin].kind)
        yield test, runs[begin:end]
        begin, test = end, test + 1


def is_mesh(parameters: Mapping[str, Any]) -> bool:
    """Return whether the campaign's transfers are those of a mesh."""
    return parameters.get("arrangement") == "mesh"


def _runs_of_one_test(parameters: Mapping[str, Any], kind: str) -> int:
    scaled = bool(parameters.get("scale_out"))
    if KINDS[kind].transfers:
        sources, sinks = parameters["sources"], parameters["sinks"]
        if is_mesh(parameters):
            return len(meshed(len(sources)))
        return len(paired(len(sources), len(sinks))) if scaled else 1
    targets = len(parameters["target_ids"])
    return targets if scaled or not parameters.get("together") else 1
