"""Waivers: a person accepts a criterion that was not passed, until a date.

A row of a run's verdict is waived for that run. A criterion by which no run was judged has no row:
it is waived for the campaign.
"""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.access.audit import record
from assay.base.errors import Conflict, Invalid
from assay.base.field_errors import FieldError
from assay.base.identity import Identity
from assay.runs.changes import runs_changed
from assay.runs.verdicts.queries import unjudged
from assay.runs.verdicts.schemas import WaiverIn
from assay.tables.campaigns import Campaign
from assay.tables.clock import now
from assay.tables.runs import Run
from assay.tables.verdicts import CampaignWaiver, Verdict, Waiver


class NothingToWaive(Conflict):
    """There is no such verdict, or the criterion was passed."""

    code, title = "nothing_to_waive", "There is nothing to waive"


def waive(session: Session, run: Run, body: WaiverIn, who: Identity) -> Waiver:
    """Store a waiver; raises NothingToWaive, or Invalid for an expiry in the past."""
    row = session.get(Verdict, (run.id, body.number))
    if row is None:
        raise _unjudged(session, run, body.number)
    if row.outcome == "pass":
        raise NothingToWaive(f"Run {run.id} passed {row.criterion}.")
    _check_expiry(body.expires_at, now(session))
    waiver = Waiver(
        run_id=run.id,
        number=body.number,
        actor=who.actor,
        reason=body.reason,
        expires_at=body.expires_at,
    )
    session.add(waiver)
    session.flush()
    _record(session, who, f"run {run.id} {run.title}", row.criterion, body)
    runs_changed(session, {run.id: run.campaign_id})
    return waiver


def waive_unjudged(
    session: Session, campaign: Campaign, body: WaiverIn, who: Identity
) -> CampaignWaiver:
    """Store the waiver of a criterion by which no run was judged.

    Raises NothingToWaive, or Invalid for an expiry in the past.
    """
    runs = session.scalars(select(Run).where(Run.campaign_id == campaign.id)).all()
    numbers = unjudged(session, runs).get(campaign.id)
    if numbers is None:
        raise NothingToWaive(
            f"Campaign {campaign.id} has not ended.",
            "Waive the criterion when all runs have ended.",
        )
    if body.number >= len(campaign.criteria):
        raise NothingToWaive(
            f"Campaign {campaign.id} has no criterion {body.number}; it has "
            f"{len(campaign.criteria)}, counted from 0."
        )
    criterion: str = campaign.criteria[body.number]["criterion"]
    if body.number not in numbers:
        raise NothingToWaive(
            f"Runs of campaign {campaign.id} were judged by {criterion}.",
            "Waive it for each run that did not pass.",
        )
    _check_expiry(body.expires_at, now(session))
    waiver = CampaignWaiver(
        campaign_id=campaign.id,
        number=body.number,
        actor=who.actor,
        reason=body.reason,
        expires_at=body.expires_at,
    )
    session.add(waiver)
    session.flush()
    _record(session, who, f"campaign {campaign.id} {campaign.name}", criterion, body)
    runs_changed(session, {run.id: campaign.id for run in runs})
    return waiver


def _unjudged(session: Session, run: Run, number: int) -> NothingToWaive:
    """Return why a run has no stored verdict on a criterion, and what to do."""
    count = len(session.get_one(Campaign, run.campaign_id).criteria)
    if number >= count:
        return NothingToWaive(
            f"Campaign {run.campaign_id} of run {run.id} has no criterion {number}; it has "
            f"{count}, counted from 0."
        )
    if run.rules is None:
        return NothingToWaive(
            f"Run {run.id} has no stored verdict yet.",
            "If it has just ended, try again in a few seconds.",
        )
    return NothingToWaive(
        f"Run {run.id} was not judged by criterion {number}, because its test cannot give the "
        "metric.",
        "If no run was judged by it, waive it for the campaign.",
    )


def _record(session: Session, who: Identity, what: str, criterion: str, body: WaiverIn) -> None:
    record(
        session,
        who,
        "verdict.waived",
        what,
        criterion=criterion,
        reason=body.reason,
        expires_at=body.expires_at.isoformat(),
    )


def _check_expiry(expires_at: datetime, present: datetime) -> None:
    if expires_at <= present:
        raise Invalid(
            [
                FieldError(
                    "expires_at",
                    "is in the past",
                    "Give a time in the future.",
                    expires_at.isoformat(),
                )
            ]
        )
