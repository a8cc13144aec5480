"""Bulk inserts and updates of named columns."""

from assay.runs.recording.ingest import ingest
from assay.tables.bulk import insert_rows, update_rows
from assay.tables.runs import Attempt, RawChunk
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session
from testing.databases import database
from testing.seeds import seed_run
from testing.spools import Spool

__all__ = ["database"]


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


def test_inserted_rows_have_their_bytes_and_the_defaults_of_other_columns(
    database: Engine,
) -> None:
    with Session(database) as session, session.begin():
        run, participant, _ = seed_run(session)
        columns = ("run_id", "participant_id", "start", "length", "data")
        contents = [bytes(range(256)), b"", b'\\x00",{}NULL']
        insert_rows(session, RawChunk.__table__, columns, [])
        insert_rows(
            session,
            RawChunk.__table__,
            columns,
            [(run.id, participant.id, start, 1, data) for start, data in enumerate(contents)],
        )
        found = session.scalars(select(RawChunk).order_by(RawChunk.start)).all()
        assert [one.data for one in found] == contents
        assert all(one.received_at is not None for one in found)
