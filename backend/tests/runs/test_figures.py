"""Figures are stored with the result, filled in the background, and read by lists and the API."""

from typing import Any

import pytest
from assay.runs import stored_results
from assay.runs.queries import latest, summaries
from assay.runs.recording.record import rebuild
from assay.runs.verdicts.judging import CRITERIA_RULES
from assay.runs.verdicts.stored import store_ended
from assay.tables.runs import Result, Run, StoredFigure
from fastapi.testclient import TestClient
from sqlalchemy import Engine, delete, event, func, select, update
from sqlalchemy.orm import Session
from testing.seeds import seed_ended_run, seed_run


def rows(database: Engine) -> list[dict[str, Any]]:
    columns = StoredFigure.__table__.columns
    with Session(database) as session:
        found = session.execute(
            select(columns).order_by(StoredFigure.run_id, StoredFigure.metric, StoredFigure.cell)
        )
        return [dict(row) for row in found.mappings()]


@pytest.fixture
def run_id(database: Engine) -> int:
    with Session(database) as session, session.begin():
        seeded = seed_ended_run(session).id
    store_ended(seeded)
    return seeded


def forget(database: Engine, rules: str | None = None) -> None:
    """Leave stored results without figures, or with those that other rules read."""
    with Session(database) as session, session.begin():
        if rules is None:
            session.execute(delete(StoredFigure))
        session.execute(update(Run).values(figures_rules=rules))


def test_a_result_is_stored_with_its_figures(database: Engine, run_id: int) -> None:
    found = rows(database)
    with Session(database) as session:
        run = session.get_one(Run, run_id)
        assert run.figures_rules == CRITERIA_RULES
        assert {(row["rules"], row["build"]) for row in found} == {(run.rules, run.build)}
    (headline,) = [row for row in found if row["headline"]]
    assert (headline["metric"], headline["cell"], headline["leading"]) == ("durable.mean", "", True)
    assert headline["repeats"] == 3
    assert headline["value"] == pytest.approx(5 * 10**6, rel=1e-2)
    assert headline["trial_id"] is not None


def test_lists_and_pages_show_the_headlines_figure(
    api: TestClient, database: Engine, run_id: int
) -> None:
    with Session(database) as session, session.begin():
        session.execute(update(StoredFigure).where(StoredFigure.headline).values(value=77.0))
    assert api.get("/runs").json()["items"][0]["best_bytes_per_s"] == 77
    assert api.get(f"/runs/{run_id}").json()["best_bytes_per_s"] == 77
    with Session(database) as session:
        assert latest(session, limit=1)[0].best_bytes_per_s == 77


def test_figures_of_many_runs_are_read_in_one_statement(database: Engine) -> None:
    with Session(database) as session, session.begin():
        seeded = [seed_ended_run(session).id for _ in range(3)]
    for each in seeded:
        store_ended(each)
    seen: list[str] = []

    def note(_c: object, _k: object, statement: str, *_: object) -> None:
        seen.append(statement)

    event.listen(database, "before_cursor_execute", note)
    try:
        with Session(database) as session:
            found = summaries(session, session.scalars(select(Run)).all())
    finally:
        event.remove(database, "before_cursor_execute", note)
    assert all(one.best_bytes_per_s for one in found)
    assert sum("figures" in one for one in seen if "JOIN figures" in one) == 1


def test_figures_are_the_same_before_and_after_they_are_stored(
    api: TestClient, database: Engine
) -> None:
    with Session(database) as session, session.begin():
        seeded = seed_ended_run(session).id
    path = f"/runs/{seeded}/figures"
    before, shown = api.get(path).json(), api.get(f"/runs/{seeded}").json()
    store_ended(seeded)
    assert api.get(path).json() == before
    assert api.get(f"/runs/{seeded}").json()["best_bytes_per_s"] == shown["best_bytes_per_s"]
    forget(database)
    assert api.get(path).json() == before
    assert api.get(f"/runs/{seeded}").json()["best_bytes_per_s"] == shown["best_bytes_per_s"]


@pytest.mark.parametrize("rules", [None, "0", "zzz"])
def test_a_stored_result_without_present_figures_gets_them_in_the_background(
    database: Engine, run_id: int, rules: str | None
) -> None:
    before = rows(database)
    assert stored_results.without_figures() is None
    forget(database, rules)
    assert stored_results.due() is None
    assert stored_results.without_figures() == run_id
    with Session(database) as session:
        assert latest(session, limit=1)[0].best_bytes_per_s is not None
    stored_results.fill(run_id)
    assert rows(database) == before
    assert stored_results.without_figures() is None


@pytest.mark.parametrize("broken", ["parameters", "result", "gone"])
def test_a_run_whose_figures_cannot_be_read_is_not_tried_again(
    database: Engine, run_id: int, broken: str
) -> None:
    forget(database)
    with Session(database) as session, session.begin():
        run = session.get_one(Run, run_id)
        stored = session.scalars(select(Result).where(Result.run_id == run_id)).one()
        if broken == "parameters":
            run.parameters = {"operation": "unknown"}
        elif broken == "result":
            stored.body = {"kind": run.kind}
        else:
            session.delete(stored)
    stored_results.fill(run_id)
    assert rows(database) == []
    assert stored_results.without_figures() is None


def test_runs_without_figures_are_processed_in_order(database: Engine) -> None:
    with Session(database) as session, session.begin():
        first, second = seed_ended_run(session).id, seed_ended_run(session).id
        seed_run(session)
    assert stored_results.without_figures() is None  # their results are due first
    store_ended(first)
    store_ended(second)
    forget(database)
    found = [stored_results.without_figures(after) for after in (0, first, second)]
    assert found == [first, second, first]


def test_a_rebuilt_result_replaces_the_figures(database: Engine, run_id: int) -> None:
    before = rows(database)
    with Session(database) as session, session.begin():
        rebuild(session, run_id)
    after = rows(database)
    assert {row["build"] for row in after} == {2}
    assert [row | {"build": 1} for row in after] == before


def test_figures_are_deleted_with_their_run(database: Engine, run_id: int) -> None:
    with Session(database) as session, session.begin():
        session.execute(delete(Run).where(Run.id == run_id))
        assert session.scalar(select(func.count()).select_from(StoredFigure)) == 0
        assert session.scalar(select(func.count()).select_from(Result)) == 0
    stored_results.fill(run_id)
    assert rows(database) == []


def test_the_api_selects_figures_by_metric_and_cell(api: TestClient, run_id: int) -> None:
    path = f"/runs/{run_id}/figures"
    every = api.get(path).json()["items"]
    assert {one["edition"] for one in every} == {
        api.get(f"/runs/{run_id}/result").json()["edition"]
    }
    means = api.get(path, params={"metric": ["app.mean", "app.min"]}).json()["items"]
    assert {one["metric"] for one in means} == {"app.mean", "app.min"}
    assert means == [one for one in every if one["metric"] in ("app.mean", "app.min")]
    assert means[0]["cell"] == {}
    cell = next(one["cell"] for one in every if one["cell"])
    named = f"block={cell['block']:.0f} B, threads={cell['threads']:.0f}"
    here = api.get(path, params={"cell": named}).json()["items"]
    assert here == [one for one in every if one["cell"] == cell]


@pytest.mark.parametrize(
    ("query", "field", "message", "remedy"),
    [
        ({"metric": "app.maen"}, "metric", "no metric of this run", "app.mean"),
        ({"metric": "records.rate"}, "metric", "no metric of this run", "app.mean"),
        ({"cell": "block=3 MB"}, "cell", "no cell of this run", "block="),
        ({"cell": "streams=3"}, "cell", "cell has no argument streams", "block, threads"),
        ({"cell": "block=3 s"}, "cell", "block is a size, not a duration", "MiB"),
        ({"cell": "block"}, "cell", "expected = after 'block'", "="),
    ],
)
def test_an_unknown_metric_or_cell_is_refused_by_name_and_remedy(
    api: TestClient, run_id: int, query: dict[str, str], field: str, message: str, remedy: str
) -> None:
    refused = api.get(f"/runs/{run_id}/figures", params=query)
    assert refused.status_code == 422
    (error,) = refused.json()["errors"]
    assert (error["field"], error["value"]) == (field, query[field])
    assert message in error["message"]
    assert remedy in error["remedy"]
