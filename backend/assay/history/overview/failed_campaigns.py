"""The issues of campaigns that need attention, each with the cause of its first failure."""

from collections.abc import Mapping

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from assay.history.overview.schemas import Issue
from assay.inventory.hosts.schemas import Failure
from assay.runs.campaigns.attention import failures
from assay.runs.lifecycle import FAILED
from assay.runs.participants import of_runs
from assay.runs.places import places, titled
from assay.runs.queries import campaign_names
from assay.runs.verdicts import queries as verdicts
from assay.runs.verdicts import words
from assay.runs.verdicts.schemas import RunVerdict
from assay.tables.database import among
from assay.tables.runs import Run

MOST_CAMPAIGNS = 10


def issues(session: Session) -> list[Issue]:
    """Return an issue for each of the newest campaigns, and one for the others together."""
    chosen, total = _newest(session)
    runs = session.scalars(select(Run).where(among(session, Run.id, chosen))).all()
    names = campaign_names(session, runs)
    located = of_runs(session, list(chosen))
    judged = verdicts.of_runs(session, [run for run in runs if run.state != FAILED])
    found: list[Issue] = []
    for run in sorted(runs, key=lambda one: one.campaign_id, reverse=True):
        others = chosen[run.id] - 1
        told = _failed(titled(run.title, places(located[run.id])), run, judged)
        more = f" (and {others} more {'run' if others == 1 else 'runs'})" if others else ""
        found.append(
            Issue(
                kind="run_failed" if run.state == FAILED else "verdict_failed",
                message=f"Campaign {run.campaign_id}, {names[run.campaign_id]}: {told}{more}",
                link=f"/campaigns/{run.campaign_id}",
                campaign_id=run.campaign_id,
            )
        )
    if (hidden := total - len(found)) > 0:
        what = "campaign needs" if hidden == 1 else "campaigns need"
        found.append(
            Issue(
                kind="run_failed",
                message=f"{hidden} more failed {what} attention",
                link="/campaigns?needs_attention=true",
            )
        )
    return found


def _newest(session: Session) -> tuple[Mapping[int, int], int]:
    """Return the first failure of each of the newest campaigns, and the number of all campaigns.

    It is the id of a run, with the number of its campaign's failures; a run that failed comes
    before one that failed a criterion.
    """
    failed = failures().subquery()
    ended_failed = case((failed.c.failed, failed.c.run_id))
    rows = session.execute(
        select(
            func.coalesce(func.min(ended_failed), func.min(failed.c.run_id)),
            func.count(),
            func.count().over(),
        )
        .group_by(failed.c.campaign_id)
        .order_by(failed.c.campaign_id.desc())
        .limit(MOST_CAMPAIGNS)
    ).all()
    return {run_id: count for run_id, count, _ in rows}, rows[0][2] if rows else 0


def _failed(what: str, run: Run, judged: Mapping[int, RunVerdict]) -> str:
    """Return what failed, and why, on one line."""
    if run.state == FAILED:
        cause = Failure.model_validate(run.error).cause if run.error else run.state_reason
        told = f"{what} failed: {cause}" if cause else f"{what} failed"
    else:
        row = next(row for row in judged[run.id].rows if row.outcome == "fail")
        measured = words.measured(row.measured, row.dimension, row.criterion)
        told = f"{what} failed {row.criterion}: measured {measured}"
    return " ".join(told.split()).rstrip(".")
