"""Waivers: a person accepts a criterion that a run did not pass, until a date."""

from datetime import datetime

from sqlalchemy.orm import Session

from assay.accounts.audit import record
from assay.accounts.identity import Identity
from assay.db.clock import now
from assay.http.errors import Conflict, Invalid
from assay.http.field_errors import FieldError
from assay.messaging.changes import runs_changed
from assay.runs.models import Run
from assay.verdicts.models import Verdict, Waiver
from assay.verdicts.schemas import WaiverIn


class NothingToWaive(Conflict):
    """The run has no such verdict, or passed the criterion."""

    code, title = "nothing_to_waive", "There is nothing to waive"


def waive(session: Session, run: Run, body: WaiverIn, who: Identity) -> Waiver:
    """Store a waiver; raises NothingToWaive, or Invalid for an expiry in the past."""
    row = session.get(Verdict, (run.id, body.number))
    if row is None:
        raise NothingToWaive(
            f"Run {run.id} has no stored verdict on criterion {body.number}. "
            "If the run has just ended, try again in a few seconds."
        )
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
    record(
        session,
        who,
        "verdict.waived",
        f"run {run.id} {run.title}",
        criterion=row.criterion,
        reason=body.reason,
        expires_at=body.expires_at.isoformat(),
    )
    runs_changed(session, {run.id: run.campaign_id})
    return waiver


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
