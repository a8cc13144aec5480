"""Rows go in as they are, and take the place of others only when asked to."""

import pytest
from assay.db.bulk import read_rows, update_rows, write
from assay.recording.ingest import ingest
from assay.runs.models import Attempt
from assay.samples.models import rollups
from sqlalchemy import Engine, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from testing.databases import database
from testing.seeds import seed_run
from testing.spools import Spool

__all__ = ["database"]

REST = len(rollups.columns) - 3


def stored(session: Session) -> list[tuple[int | None, ...]]:
    return [tuple(row) for row in session.execute(select(rollups).order_by(rollups.c.bucket))]


def test_rows_of_any_integers_and_of_none_are_written_and_replaced(database: Engine) -> None:
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session)
        ingest(session, participant.id, 1, 0, Spool().hello().trial(trials[0].position).data)
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


def test_rows_are_read_by_their_keys_however_many(database: Engine) -> None:
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session)
        ingest(session, participant.id, 1, 0, Spool().hello().trial(trials[0].position).data)
        attempt = session.scalars(select(Attempt.id)).one()
        written = [(attempt, 1, bucket, *[bucket] * REST) for bucket in range(1500)]
        write(session, rollups, written)
        wanted = [(attempt, 1, bucket) for bucket in range(0, 24_000, 2)]
        assert sorted(map(tuple[int, ...], read_rows(session, rollups, wanted))) == written[::2]
        assert read_rows(session, rollups, []) == []


def test_only_the_named_columns_of_the_named_rows_change(database: Engine) -> None:
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session)
        spool = Spool().hello()
        for number in range(1, 4):
            spool.trial(trials[0].position, number)
        ingest(session, participant.id, 1, 0, spool.data)
        ids = session.scalars(select(Attempt.id).order_by(Attempt.id)).all()
        columns = ("id", "bytes", "lat_max_ns")
        update_rows(session, Attempt.__table__, columns, [])
        update_rows(
            session, Attempt.__table__, columns, [(ids[0], 2**63 - 1, None), (ids[2], 0, 7)]
        )
        session.expire_all()
        found = session.scalars(select(Attempt).order_by(Attempt.id))
        assert [(one.bytes, one.lat_max_ns, one.ops) for one in found] == [
            (2**63 - 1, None, 0),
            (0, None, 0),
            (0, 7, 0),
        ]
