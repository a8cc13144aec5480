import pytest
from assay.runs import stored_results
from assay.runs.recording.ingest import ingest
from assay.tables.runs import Result, Run, StoredFigure
from fastapi.testclient import TestClient
from sqlalchemy import Engine, delete, select, update
from sqlalchemy.orm import Session
from testing.seeds import seed_run
from testing.spools import SECOND, Spool

KIB = 1024


def store_run(
    database: Engine,
    durable_ns: int,
    operation: str = "write",
    kernel: str = "6.12",
    **hello: object,
) -> int:
    """A run of two cells with three repeats; its durable rate is 10 MB in about `durable_ns`."""
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(
            session, (64 * KIB, 256 * KIB), repeats=3, operation=operation
        )
        spool = Spool().hello(kernel=kernel, **hello)
        for trial in trials:
            spread = 1 + trial.repeat / 100
            spool.trial(trial.position).sample(trial.position, bytes=10**7, ops=10, dt_ns=SECOND)
            spool.result(
                trial.position,
                app_ns=int(SECOND * spread),
                durable_ns=None if operation == "read" else int(durable_ns * spread),
            )
        ingest(session, participant.id, 1, 0, spool.end().data)
        return run.id


def test_two_runs_are_compared_at_their_best_and_by_cell(api: TestClient, database: Engine) -> None:
    a, b = store_run(database, SECOND), store_run(database, 2 * SECOND, kernel="6.13")
    found = api.get(f"/compare?runs={a},{b}").json()
    assert [run["id"] for run in found["runs"]] == [a, b]
    assert found["runs"][0]["result"]["run_id"] == a
    assert [run["campaign_name"] for run in found["runs"]] == ["Campaign", "Campaign"]
    answer = found["outcome"]["answer"]
    assert (answer["rate"], answer["a"]["run_id"], answer["b"]["run_id"]) == ("durable", a, b)
    assert (answer["best"]["code"], round(answer["best"]["ratio"], 3)) == ("faster", 2)
    assert (answer["cells"]["common"], answer["cells"]["faster"]) == (2, 2)
    cells = found["outcome"]["ratio"]["cells"]
    assert [round(cell["durable"], 3) for cell in cells] == [2, 2]
    assert [round(cell["application"], 3) for cell in cells] == [1, 1]
    assert all(cell["significant"] for cell in cells)
    assert all(cell["application_p"] > 0.05 for cell in cells)
    assert (
        found["outcome"]["scale"]["min_bytes_per_s"] < found["outcome"]["scale"]["max_bytes_per_s"]
    )


def test_only_conditions_that_differ_are_listed(api: TestClient, database: Engine) -> None:
    a, b = store_run(database, SECOND), store_run(database, SECOND, kernel="6.13")
    found = {
        d["name"]: d["values"] for d in api.get(f"/compare?runs={a},{b}").json()["differences"]
    }
    assert found == {
        "host": ["host-1", "host-2"],
        "array": ["array-1", "array-2"],
        "kernel": ["6.12", "6.13"],
    }


def test_sizes_that_differ_are_in_bytes(api: TestClient, database: Engine) -> None:
    a = store_run(database, SECOND, alignment_bytes=512)
    b = store_run(database, SECOND, alignment_bytes=4096)
    found = api.get(f"/compare?runs={a},{b}").json()["differences"]
    assert {one["name"]: one["values"] for one in found}["alignment_bytes"] == [512, 4096]


def test_a_write_and_a_read_run_are_compared_by_application_rate(
    api: TestClient, database: Engine
) -> None:
    a, b = store_run(database, 2 * SECOND), store_run(database, SECOND, operation="read")
    found = api.get(f"/compare?runs={a},{b}").json()
    assert found["outcome"]["ratio"]["rate"] == "application"
    assert found["outcome"]["answer"]["best"]["code"] == "no_difference"
    assert all(cell["durable"] is None for cell in found["outcome"]["ratio"]["cells"])


def test_a_read_among_the_runs_makes_the_application_rate_lead(
    api: TestClient, database: Engine
) -> None:
    a, b = store_run(database, SECOND), store_run(database, 2 * SECOND)
    c = store_run(database, SECOND, operation="read")
    found = api.get(f"/compare?runs={a},{b},{c}").json()
    assert found["outcome"]["ratio"]["rate"] == "application"
    answer = found["outcome"]["answer"]
    assert (answer["rate"], answer["best"]["code"]) == ("application", "no_difference")
    assert found["outcome"]["scale"] == found["outcome"]["scales"]["application"]


@pytest.mark.parametrize("runs", ["", "1", "1,1", "1,x", "1,-2", "1,²", "9" * 30 + ",1", "1," * 40])
def test_fewer_than_two_ids_name_the_field(api: TestClient, runs: str) -> None:
    answer = api.get("/compare", params={"runs": runs})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "runs"


def test_an_unknown_run_is_named(api: TestClient, database: Engine) -> None:
    known = store_run(database, SECOND)
    answer = api.get(f"/compare?runs={known},99")
    assert answer.status_code == 404 and "99" in answer.json()["detail"]


def test_runs_under_different_rules_are_not_compared(api: TestClient, database: Engine) -> None:
    a, b = store_run(database, SECOND), store_run(database, SECOND)
    with Session(database) as session, session.begin():
        for run in session.scalars(select(Run)):
            stored_results.store(session, run)
        session.execute(delete(StoredFigure).where(StoredFigure.run_id == a))
        session.execute(update(Result).where(Result.run_id == a).values(rules="0"))
        older = session.scalars(select(Result).where(Result.run_id == a)).one()
        older.body = older.body | {"edition": "0"}
        session.get_one(Run, a).rules = "0"
    answer = api.get(f"/compare?runs={a},{b}")
    assert (answer.status_code, answer.json()["code"]) == (409, "mixed_rules")
    assert f"run {a} by version 0" in answer.json()["detail"]
    assert f"Run `assay rebuild {a}` on the installation" in answer.json()["remedy"]


def test_every_run_is_compared_with_the_first(api: TestClient, database: Engine) -> None:
    a, b, c = (store_run(database, factor * SECOND) for factor in (2, 1, 4))
    found = api.get(f"/compare?runs={a},{b},{c}").json()
    pairs = [one["answer"] for one in (found["outcome"], *found["others"])]
    assert [(one["a"]["run_id"], one["b"]["run_id"]) for one in pairs] == [(a, b), (a, c)]
    assert [round(one["best"]["ratio"], 3) for one in pairs] == [0.5, 2]
    # another base is another order
    turned = api.get(f"/compare?runs={b},{a},{c}").json()
    answers = [one["answer"] for one in (turned["outcome"], *turned["others"])]
    assert [round(one["best"]["ratio"], 3) for one in answers] == [2, 4]
    assert api.get(f"/compare?runs={a},{b}").json()["others"] == []
