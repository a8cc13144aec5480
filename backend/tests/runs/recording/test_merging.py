"""Small raw chunks become large ones without loss, while the log grows and after its end."""

import pytest
from assay.runs.recording import merging
from assay.runs.recording.ingest import ingest
from assay.runs.recording.merging import merge_next
from assay.runs.recording.record import rebuild_blocks
from assay.runs.samples import stored
from assay.runs.samples.raw import raw_log, samples_since
from assay.tables.runs import Attempt, RawChunk
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session
from testing.seeds import seed_run
from testing.spools import Spool


def test_chunks_are_merged_when_large_enough_and_at_the_end(
    database: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "MERGED_BYTES", 4000)
    with Session(database) as session, session.begin():
        run, participant, (trial,) = seed_run(session)
        spool = Spool().hello().trial(trial.position)
        for number in range(60):
            spool.sample(trial.position, end_ns=number + 1, bytes=number)

        def store(chunk: int = 300) -> None:
            data = spool.data
            for end in [*range(participant.offset + chunk, len(data), chunk), len(data)]:
                offset = participant.offset
                ingest(session, participant.id, 1, offset, data[offset:end])

        def chunks() -> int:
            return session.scalars(select(func.count()).select_from(RawChunk)).one()

        def log() -> bytes:
            return b"".join(data for _, data in raw_log(session, participant.id))

        store()
        before = chunks()
        fresh = [list(one.values) for one in samples_since(session, participant.id, 5000, 2000)]
        while merge_next(session):
            assert log() == spool.data
        assert 0 < participant.merged < participant.offset
        assert chunks() < before / 2
        again = [list(one.values) for one in samples_since(session, participant.id, 5000, 2000)]
        assert again == fresh
        spool.result(trial.position, ops=0, bytes=sum(range(60))).end()
        store()
        attempt = session.scalars(select(Attempt)).one()
        shown = [row["bytes"] for row in stored.rows(session, attempt)]
        assert shown == list(range(60))
        assert log() == spool.data
        run.state = "done"
        while merge_next(session):
            pass
        assert participant.merged == participant.offset
        assert log() == spool.data
        assert b"".join(data for _, data in raw_log(session, participant.id, 777)) == log()[777:]
        assert rebuild_blocks(session, run.id) == 60
