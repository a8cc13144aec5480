from datetime import timedelta

import pytest
from assay.kinds.headline import sentences
from assay.runs import stored_results
from assay.runs.queries import latest, summaries
from assay.runs.recording.ingest import ingest
from assay.tables.database import now
from sqlalchemy import Engine, event
from sqlalchemy.orm import Session
from testing.seeds import seed_run
from testing.spools import Spool


def test_the_latest_results_come_newest_first_with_a_sparkline(database: Engine) -> None:
    with Session(database) as session, session.begin():
        for number in range(3):
            run, participant, trials = seed_run(session)
            spool = Spool().hello().whole_trial(trials[0].position).end()
            ingest(session, participant.id, 1, 0, spool.data)
            run.state, run.ended_at = "done", now() + timedelta(seconds=number)
        session.flush()
        found = latest(session, limit=2)
    assert [result.participants[0].host.name for result in found] == ["host-3", "host-2"]
    assert found[0].sparkline_bytes_per_s == [10**7] * 10
    assert found[0].headline is not None
    said = sentences(found[0].headline.model_dump())[0]
    assert said == "5.00 MB/s durable with one writer and 64 KiB blocks."


def test_an_ended_run_is_evaluated_once(database: Engine) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session)
        ingest(session, participant.id, 1, 0, Spool().hello().whole_trial(trials[0].position).data)
        run.state, run.ended_at = "done", now()
        session.flush()
        first = summaries(session, [run])
        stored_results.store(session, run)
        asked: list[str] = []
        event.listen(database, "before_cursor_execute", lambda *a: asked.append(a[2]))
        assert summaries(session, [run]) == first
        assert not any("histogram" in statement for statement in asked)
        assert first[0].best_bytes_per_s == pytest.approx(5 * 10**6)
