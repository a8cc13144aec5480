"""Results are stored once per version of the rules; lists read them in few statements."""

import pytest
from assay.runs import stored_results
from assay.runs.campaigns import queries as campaigns
from assay.runs.queries import latest
from assay.runs.recording.record import IncompleteLogError, NotEndedError, rebuild
from assay.runs.verdicts.stored import store_ended
from assay.tables.campaigns import Campaign
from assay.tables.runs import Participant, RawChunk, Result, Run, StoredFigure
from assay.tables.samples import SampleBlock
from fastapi.testclient import TestClient
from sqlalchemy import Engine, delete, event, insert, select, update
from sqlalchemy.orm import Session
from testing.seeds import seed_ended_run, seed_run

RUNS = 2500


def test_the_result_of_an_ended_run_is_stored_once_and_read_by_every_page(
    api: TestClient, database: Engine
) -> None:
    with Session(database) as session, session.begin():
        run_id = seed_ended_run(session).id
        seed_run(session)
    judged = api.get(f"/runs/{run_id}/result").json()
    listed = api.get(f"/runs/{run_id}").json()
    assert stored_results.due() == run_id
    store_ended(run_id)
    assert stored_results.due() is None
    store_ended(run_id)
    assert api.get(f"/runs/{run_id}/result").json() == judged
    assert api.get(f"/runs/{run_id}").json() == listed
    with Session(database) as session, session.begin():
        (stored,) = session.scalars(select(Result))
        session.execute(update(StoredFigure).where(StoredFigure.headline).values(value=77.0))
        stored.body = stored.body | {"best_bytes_per_s": 77.0}
        stored.sparkline = [7.0]
    assert api.get(f"/runs/{run_id}/result").json()["best_bytes_per_s"] == 77
    assert api.get(f"/runs/{run_id}").json()["best_bytes_per_s"] == 77
    with Session(database) as session:
        (shown,) = latest(session, limit=2)
    assert (shown.best_bytes_per_s, shown.sparkline_bytes_per_s) == (77, [7.0])


def test_runs_without_a_result_are_processed_in_order(database: Engine) -> None:
    with Session(database) as session, session.begin():
        first, second = seed_ended_run(session).id, seed_ended_run(session).id
        seed_run(session)
    assert [stored_results.due(after) for after in (0, first, second)] == [first, second, first]


def test_the_result_of_a_deleted_run_is_not_stored(database: Engine) -> None:
    with Session(database) as session, session.begin():
        run_id = seed_ended_run(session).id
        session.execute(delete(Run))
    store_ended(run_id)
    with Session(database) as session:
        assert session.scalars(select(Result)).all() == []


def test_a_rebuilt_run_has_the_same_blocks_and_another_equal_result(database: Engine) -> None:
    with Session(database) as session, session.begin():
        run = seed_ended_run(session)
        stored_results.store(session, run)

        def blocks() -> list[tuple[object, ...]]:
            columns = (SampleBlock.attempt_id, SampleBlock.first, SampleBlock.samples)
            found = session.execute(select(*columns, SampleBlock.rollups).order_by(*columns[:2]))
            return [tuple(row) for row in found]

        before = blocks()
        session.execute(update(SampleBlock).values(samples=b"", rollups=b""))
        made = rebuild(session, run.id)
        assert blocks() == before
        first, second = session.scalars(select(Result).order_by(Result.build))
        assert (made.build, second.build, first.build) == (2, 2, 1)
        assert (second.rules, second.outcome, second.body, second.sparkline) == (
            first.rules,
            first.outcome,
            first.body,
            first.sparkline,
        )
        assert (run.rules, run.build) == (second.rules, 2)


def test_an_active_run_or_one_with_an_incomplete_log_is_not_rebuilt(database: Engine) -> None:
    with Session(database) as session, session.begin():
        run = seed_ended_run(session)
        stored_results.store(session, run)
        session.execute(delete(RawChunk))
        with pytest.raises(IncompleteLogError, match="incomplete: it ends at byte 0 of"):
            rebuild(session, run.id)
        assert session.scalars(select(SampleBlock.first)).all() == [0, 0, 0]
        active, _, _ = seed_run(session)
        with pytest.raises(NotEndedError, match=f"Run {active.id} is running"):
            rebuild(session, active.id)
        assert [result.build for result in session.scalars(select(Result))] == [1]


def test_a_campaign_of_many_ended_runs_is_read_in_few_statements(database: Engine) -> None:
    with Session(database) as session, session.begin():
        run = seed_ended_run(session)
        result = stored_results.store(session, run)
        figures = session.scalars(select(StoredFigure)).all()
        (best,) = [one.value for one in figures if one.headline]
        participant = session.scalars(select(Participant)).one()
        first = run.id
        many = range(first + 1, first + RUNS)

        def copies(row: object, **own: list[object]) -> list[dict[str, object]]:
            columns = type(row).__table__.columns  # type: ignore[attr-defined]
            same = {c.name: getattr(row, c.name) for c in columns if c.name not in ("id", *own)}
            return [
                same | {name: values[i] for name, values in own.items()} for i in range(len(many))
            ]

        ids: list[object] = list(many)
        session.execute(insert(Run), copies(run, id=ids, number=ids))
        session.execute(insert(Participant), copies(participant, run_id=ids))
        session.execute(insert(Result), copies(result, run_id=ids))
        for figure in figures:
            session.execute(insert(StoredFigure), copies(figure, run_id=ids))
    seen: list[str] = []

    def note(_c: object, _k: object, statement: str, *_: object) -> None:
        seen.append(statement)

    with Session(database) as session:
        campaign = session.scalars(select(Campaign)).one()
        event.listen(database, "before_cursor_execute", note)
        try:
            (found,) = campaigns.shapes(session, [campaign])
        finally:
            event.remove(database, "before_cursor_execute", note)
    assert len(found.runs) == RUNS
    assert {one.best_bytes_per_s for one in found.runs} == {best}
    assert len(seen) < 20
