import csv
import io
import json

import pytest
from assay.database import now
from assay.runs.ingest import ingest
from assay.runs.models import Notice, Run
from fastapi.testclient import TestClient
from seeds import seed_run
from spools import SECOND, Spool
from sqlalchemy import Engine
from sqlalchemy.orm import Session

KIB = 1024


@pytest.fixture
def finished(database: Engine) -> tuple[Run, Spool]:
    """A run of two blocks, one and two writers and two repeats, the block of 256 KiB faster."""
    with Session(database, expire_on_commit=False) as session, session.begin():
        run, participant, trials = seed_run(session, (64 * KIB, 256 * KIB), (1, 2), repeats=2)
        spool = Spool().hello()
        for trial in trials:
            app_ns = SECOND // (2 if trial.block == 256 * KIB else 1) + 1000 * trial.repeat
            spool.trial(trial.id)
            spool.sample(trial.id, bytes=10**7, ops=10, dt_ns=app_ns, lat_max_ns=9000)
            spool.result(trial.id, app_ns=app_ns, durable_ns=2 * app_ns, dev_app=10**5)
        ingest(session, participant.id, 1, 0, spool.end().data)
        run.state, run.started_at, run.ended_at = "done", now(), now()
    return run, spool


def test_a_matrix_has_every_cell_judged(api: TestClient, finished: tuple[Run, Spool]) -> None:
    found = api.get(f"/runs/{finished[0].id}/matrix").json()
    assert found["axes"] == {"block": [64 * KIB, 256 * KIB], "threads": [1, 2]}
    assert found["rates"] == ["durable", "application"]
    assert [(c["block"], c["threads"], c["state"]) for c in found["cells"]] == [
        (64 * KIB, 1, "done"),
        (64 * KIB, 2, "done"),
        (256 * KIB, 1, "done"),
        (256 * KIB, 2, "done"),
    ]
    cell = found["cells"][2]
    assert cell["durable"]["mean"] == pytest.approx(10**7, rel=1e-3)
    assert cell["durable"]["n"] == 2 and len(cell["trials"]) == 2
    assert cell["marks"]["application"]["mark"] == "cache"
    assert cell["marks"]["durable"]["mark"] == "honest"
    assert cell["latency"]["max"] == 9000
    assert found["best"]["durable"] == {"block": 256 * KIB, "threads": 1}
    assert found["advice"]["durable"]["settings"]["writeBufferSizeKB"] == 256
    assert found["headline"] == (
        "10.0 MB/s durable with one writer and 256 KiB blocks; more threads don't help"
    )
    assert [w["code"] for w in found["warnings"]] == ["cache_served"]
    assert found["edition"]


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("cancelled", "The run was cancelled"),
        ("failed", "The run failed"),
        ("lost", "The run's host is out of reach"),
    ],
)
def test_the_result_of_a_run_cut_short_says_on_how_much_it_rests(
    api: TestClient, database: Engine, state: str, why: str
) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session, repeats=3)
        ingest(session, participant.id, 1, 0, Spool().hello().whole_trial(trials[0].id).data)
        nothing, *_ = seed_run(session, repeats=3)
        run.state = nothing.state = state
        ids = run.id, nothing.id
    messages = [api.get(f"/runs/{one}/matrix").json()["warnings"][0]["message"] for one in ids]
    assert messages == [
        f"{why}: the result rests on 1 of the 3 planned trials.",
        f"{why}: none of the planned trials was measured.",
    ]


def test_a_run_that_was_cancelled_after_its_last_trial_lacks_nothing(
    api: TestClient, database: Engine
) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session)
        ingest(session, participant.id, 1, 0, Spool().hello().whole_trial(trials[0].id).data)
        run.state, run_id = "cancelled", run.id
    warnings = api.get(f"/runs/{run_id}/matrix").json()["warnings"]
    assert "cut_short" not in [warning["code"] for warning in warnings]


def test_a_matrix_is_had_as_csv(api: TestClient, finished: tuple[Run, Spool]) -> None:
    answer = api.get(f"/runs/{finished[0].id}/matrix?format=csv")
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(rows) == 4
    assert rows[3]["block"] == str(256 * KIB)
    assert rows[3]["application_mark"] == "cache"
    assert float(rows[3]["durable_mean_bps"]) == pytest.approx(10**7, rel=1e-3)


def test_the_event_log_comes_out_as_it_went_in(
    api: TestClient, finished: tuple[Run, Spool]
) -> None:
    answer = api.get(f"/runs/{finished[0].id}/events")
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert answer.content == finished[1].data


def test_a_finished_run_has_its_headline_conditions_and_notices(
    api: TestClient, database: Engine, finished: tuple[Run, Spool]
) -> None:
    run_id = finished[0].id
    with Session(database) as session, session.begin():
        session.add(Notice(run_id=run_id, level="info", code="swept", message="<i>swept</i>"))
    found = api.get(f"/runs/{run_id}").json()
    assert found["headline"].startswith("10.0 MB/s durable")
    assert found["best_bps"] == pytest.approx(10**7, rel=1e-3)
    assert (found["current"], found["eta_s"]) == (None, None)
    assert found["conditions"]["fs_type"] == "ext4"
    assert found["conditions"]["open_mode"] == "rw"
    assert found["probe"] == "0.1.0"
    assert found["participants"][0]["host"]["name"] == "host-1"
    assert [n["message"] for n in found["notices"]] == ["<i>swept</i>"]
    assert found["created_at"].endswith("Z")


def test_a_running_trial_shows_its_bytes_rate_and_what_is_left(
    api: TestClient, database: Engine
) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session, repeats=2)
        run.started_at = now()
        trial = trials[0].id
        spool = Spool().hello().trial(trial)
        spool.sample(trial, bytes=10**6, ops=1, dt_ns=SECOND // 10)
        spool.sample(trial, bytes=4 * 10**6, ops=1, dt_ns=SECOND // 10)
        ingest(session, participant.id, 1, 0, spool.data)
        run_id = run.id
    found = api.get(f"/runs/{run_id}").json()
    assert found["current"]["trial_id"] == trial
    assert found["current"]["bytes"] == 5 * 10**6
    assert found["current"]["total_bytes"] == 10**7
    assert found["current"]["rate_bps"] == 25 * 10**6
    assert found["eta_s"] is not None and found["headline"] is None
    assert api.get(f"/runs/{run_id}/matrix").json()["cells"][0]["state"] == "running"


def test_a_run_whose_host_is_out_of_reach_shows_no_rate_of_the_past(
    api: TestClient, database: Engine
) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session, repeats=2)
        run.started_at = run.unreachable_since = now()
        run.state_reason = "The host key changed (trying again)."
        spool = Spool().hello().trial(trials[0].id)
        spool.sample(trials[0].id, bytes=10**6, ops=1, dt_ns=SECOND // 10)
        ingest(session, participant.id, 1, 0, spool.data)
        run_id = run.id
    found = api.get(f"/runs/{run_id}").json()
    assert found["current"]["bytes"] == 10**6
    assert (found["current"]["rate_bps"], found["eta_s"]) == (None, None)
    assert found["state_reason"] == "The host key changed (trying again)."


def test_runs_are_listed_newest_first_by_cursor_and_filtered(
    api: TestClient, database: Engine
) -> None:
    with Session(database) as session, session.begin():
        runs = [seed_run(session)[0] for _ in range(3)]
        runs[0].state = "done"
        ids = [run.id for run in runs]
        campaign_id = runs[1].campaign_id
    first = api.get("/runs?limit=2").json()
    assert [run["id"] for run in first["items"]] == ids[:0:-1]
    rest = api.get(f"/runs?limit=2&cursor={first['next_cursor']}").json()
    assert [run["id"] for run in rest["items"]] == ids[:1] and rest["next_cursor"] is None
    assert [r["id"] for r in api.get("/runs?state=done").json()["items"]] == ids[:1]
    by_campaign = api.get(f"/runs?campaign_id={campaign_id}").json()["items"]
    assert [r["id"] for r in by_campaign] == [ids[1]]
    host = by_campaign[0]["host"]["id"]
    assert [r["id"] for r in api.get(f"/runs?host_id={host}").json()["items"]] == [ids[1]]
    assert api.get("/runs?target_id=999").json()["items"] == []


def test_trials_are_listed_in_order_and_shown_with_their_attempts(
    api: TestClient, database: Engine
) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session, repeats=2)
        trial = trials[0].id
        spool = Spool().hello().trial(trial).hello(2).whole_trial(trial, 2)
        ingest(session, participant.id, 1, 0, spool.data)
        run_id = run.id
    rows = api.get(f"/runs/{run_id}/trials").json()["items"]
    assert [(row["status"], row["attempts"]) for row in rows] == [("complete", 2), ("waiting", 0)]
    shown = api.get(f"/trials/{trial}").json()
    assert [a["status"] for a in shown["attempts"]] == ["interrupted", "complete"]
    assert shown["attempts"][0]["percentiles"] is None
    assert shown["attempts"][1]["percentiles"]["max"] == 9000
    assert shown["attempts"][1]["durable_bps"] == 5 * 10**6
    assert shown["parameters"]["block"] == 65536 and shown["parameters"]["cache"] == "page"
    json.dumps(shown, allow_nan=False)


@pytest.mark.parametrize("path", ["/runs/9", "/runs/9/matrix", "/runs/9/events", "/runs/9/trials"])
def test_what_does_not_exist_is_said_so(api: TestClient, path: str) -> None:
    answer = api.get(path)
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"


def test_without_a_login_nothing_is_shown(api: TestClient, finished: tuple[Run, Spool]) -> None:
    del api.headers["Authorization"]
    for path in ("", "/1", "/1/matrix", "/1/events", "/1/trials"):
        assert api.get(f"/runs{path}").status_code == 401
