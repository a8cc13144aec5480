"""Outcomes of verdicts in SQL, for the filters of lists."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, ScalarSelect, Select, and_, case, exists, func, or_, select
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from assay.runs.lifecycle import FINAL
from assay.runs.verdicts.judging import Outcome
from assay.tables.campaigns import Campaign
from assay.tables.clock import moment
from assay.tables.database import json_length
from assay.tables.runs import Run
from assay.tables.verdicts import CampaignWaiver, Verdict, Waiver


def with_outcome(outcome: Outcome, among_these: Select[int] | None = None) -> Select[int]:
    """Select the ids of ended campaigns with this verdict, of all or `among_these`.

    It is `queries.combined` in SQL; a test compares the two.
    """
    chosen = (
        select(
            Run.campaign_id,
            json_length(Campaign.criteria).label("criteria"),
            Verdict.number,
            effective().label("effective"),
            Verdict.rules,
            Verdict.criteria_rules,
        )
        .select_from(Run)
        .join(Campaign, Campaign.id == Run.campaign_id)
        .join(Verdict, Verdict.run_id == Run.id, isouter=True)
        .where(json_length(Campaign.criteria) > 0)
    )
    if among_these is not None:
        chosen = chosen.where(Run.campaign_id.in_(among_these))
    rows = chosen.subquery()

    def some(condition: ColumnElement[bool]) -> ColumnElement[bool]:
        return func.sum(case((condition, 1), else_=0)) > 0

    mixed = _mixed_rules(rows.c)
    waived = _waived_unjudged(rows.c.campaign_id)
    missing = func.count(rows.c.number.distinct()) + waived < rows.c.criteria
    derived = case(
        (some(rows.c.effective == "fail"), "fail"),
        (or_(some(rows.c.effective == "inconclusive"), mixed, missing), "inconclusive"),
        (or_(some(rows.c.effective == "waived"), waived > 0), "waived"),
        else_="pass",
    )
    unended = select(Run.campaign_id).where(or_(Run.state.not_in(FINAL), Run.rules.is_(None)))
    return (
        select(rows.c.campaign_id)
        .where(rows.c.campaign_id.not_in(unended))
        .group_by(rows.c.campaign_id, rows.c.criteria)
        .having(derived == outcome)
    )


def runs_with_outcome(outcomes: Sequence[Outcome]) -> Select[int]:
    """Select the ids of runs whose stored verdict is one of these.

    It is the outcome of `queries.summaries` in SQL; a test compares the two.
    """
    rows = (
        select(
            Verdict.run_id,
            effective().label("effective"),
            Verdict.rules,
            Verdict.criteria_rules,
        )
        .join(Run, Run.id == Verdict.run_id)
        .where(Run.rules.is_not(None))
        .subquery()
    )

    def some(outcome: Outcome) -> ColumnElement[bool]:
        return func.sum(case((rows.c.effective == outcome, 1), else_=0)) > 0

    derived = case(
        (some("fail"), "fail"),
        (or_(some("inconclusive"), _mixed_rules(rows.c)), "inconclusive"),
        (some("waived"), "waived"),
        else_="pass",
    )
    return select(rows.c.run_id).group_by(rows.c.run_id).having(derived.in_(outcomes))


def _mixed_rules(rows: ReadOnlyColumnCollection[str, Any]) -> ColumnElement[bool]:
    """Return SQL for whether the rows of a group follow different rules."""
    return or_(
        func.min(rows.rules) != func.max(rows.rules),
        func.min(rows.criteria_rules) != func.max(rows.criteria_rules),
    )


def effective() -> ColumnElement[Outcome]:
    """Return SQL for a row's outcome with its waivers."""
    waived = exists().where(
        Waiver.run_id == Verdict.run_id,
        Waiver.number == Verdict.number,
        Waiver.expires_at > moment(),
    )
    return case((and_(Verdict.outcome != "pass", waived), "waived"), else_=Verdict.outcome)


def _waived_unjudged(campaign_id: ColumnElement[int]) -> ScalarSelect[int]:
    """Return SQL for the number of criteria that no run of a campaign was judged by, and waived."""
    judged = (
        select(Verdict.number)
        .join(Run, Run.id == Verdict.run_id)
        .where(Run.campaign_id == CampaignWaiver.campaign_id)
    )
    return (
        select(func.count(CampaignWaiver.number.distinct()))
        .where(
            CampaignWaiver.campaign_id == campaign_id,
            CampaignWaiver.expires_at > moment(),
            CampaignWaiver.number.not_in(judged),
        )
        .scalar_subquery()
    )
