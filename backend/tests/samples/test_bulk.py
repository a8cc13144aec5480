"""Rows go in as they are, and take the place of others only when asked to."""

import pytest
from assay.runs.ingest import ingest
from assay.runs.models import Attempt
from assay.samples.bulk import write
from assay.samples.models import rollups
from seeds import seed_run
from spools import Spool
from sqlalchemy import Engine, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

REST = len(rollups.columns) - 3


def stored(session: Session) -> list[tuple[int | None, ...]]:
    return [tuple(row) for row in session.execute(select(rollups).order_by(rollups.c.bucket))]


def test_rows_of_any_integers_and_of_none_are_written_and_replaced(database: Engine) -> None:
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session)
        ingest(session, participant.id, 1, 0, Spool().hello().trial(trials[0].id).data)
        attempt = session.scalars(select(Attempt.id)).one()
        nullable = [column.nullable for column in rollups.columns][3:]
        highest = tuple(None if may else 2**63 - 1 for may in nullable)
        old, new = ((attempt, 1, 0, *highest), (attempt, 1, 1, *[0] * REST))
        write(session, rollups, [])
        write(session, rollups, [old, new])
        assert stored(session) == [old, new]
        changed = (attempt, 1, 0, *[7] * REST)
        write(session, rollups, [changed], replace=True)
        assert stored(session) == [changed, new]
        with pytest.raises(IntegrityError), session.begin_nested():
            write(session, rollups, [changed])
