"""Storing the verdict of an ended run together with its result.

Both are stored in one transaction, so a run with a result has its verdict. A criterion with `stop`
that the run fails cancels the queued runs of its campaign; until the verdict is stored, the
dispatcher does not admit them.
"""

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.campaigns.models import Campaign
from assay.db.database import reading, writing
from assay.messaging.changes import runs_changed
from assay.runs import lifecycle, stored_results
from assay.runs.models import Result, Run
from assay.scheduling.reservations import dispatch, take_turn
from assay.verdicts.announcing import announce_judged
from assay.verdicts.judging import CRITERIA_RULES, Row
from assay.verdicts.models import Verdict
from assay.verdicts.queries import document, rows_of


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
