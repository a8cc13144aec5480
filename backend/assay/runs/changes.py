"""A change of runs: their revisions, and the notification of their campaigns."""

from collections.abc import Mapping

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from assay.base.messaging.changes import announce
from assay.tables.database import among
from assay.tables.runs import Run


def runs_changed(session: Session, campaigns: Mapping[int, int]) -> None:
    """Raise the revisions of runs, and notify their campaigns' subscribers after the commit.

    `campaigns` has the campaign's id for each run's. No campaign is locked: its revision is the
    sum of its runs'.
    """
    if not campaigns:
        return
    chosen = among(session, Run.id, campaigns)
    if len(campaigns) > 1:
        session.execute(select(Run.id).where(chosen).order_by(Run.id).with_for_update())
    session.execute(
        update(Run)
        .where(chosen)
        .values(revision=Run.revision + 1)
        .execution_options(synchronize_session=False)
    )
    announce(*(f"campaign:{one}" for one in sorted(set(campaigns.values()))), after=session)
