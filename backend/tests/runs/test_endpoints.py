import csv
import io
import json
from datetime import timedelta

import pytest
from assay.base.worded import plain
from assay.kinds.headline import sentences
from assay.runs import lifecycle
from assay.runs.lifecycle import explain
from assay.runs.recording.ingest import ingest
from assay.tables.database import now
from assay.tables.runs import Notice, Run
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from sqlalchemy.orm import Session
from testing.seeds import seed_run
from testing.spools import SECOND, Spool

KIB = 1024


@pytest.fixture
def finished(database: Engine) -> tuple[Run, Spool]:
    """A run with two blocks, one and two writers and two repeats; 256 KiB is faster."""
    with Session(database, expire_on_commit=False) as session, session.begin():
        run, participant, trials = seed_run(session, (64 * KIB, 256 * KIB), (1, 2), repeats=2)
        spool = Spool().hello()
        for trial in trials:
            app_ns = (
                SECOND * (1 if trial.parameters["block"] == 256 * KIB else 2) + 1000 * trial.repeat
            )
            size = 2 * 10**7
            spool.trial(trial.position, total_bytes=size)
            spool.sample(trial.position, bytes=size, ops=10, dt_ns=app_ns, lat_max_ns=9000)
            spool.result(
                trial.position,
                bytes=size,
                app_ns=app_ns,
                durable_ns=2 * app_ns,
                dev_app_bytes=10**5,
                dev_durable_bytes=size,
            )
        ingest(session, participant.id, 1, 0, spool.end().data)
        run.state, run.started_at, run.ended_at = "done", now(), now()
    return run, spool


def test_a_matrix_has_every_cell_evaluated(api: TestClient, finished: tuple[Run, Spool]) -> None:
    found = api.get(f"/runs/{finished[0].id}/result").json()
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
    assert cell["served_by"]["application"]["source"] == "page_cache"
    assert cell["served_by"]["durable"]["source"] == "device"
    assert cell["latency"]["max_ns"] == 9000
    assert found["best"]["durable"] == {"block": 256 * KIB, "threads": 1}
    assert found["advice"]["durable"]["settings"]["writeBufferSizeKB"] == 256
    assert sentences(found["headline"])[0] == (
        "10.0 MB/s durable with one writer and 256 KiB blocks; more threads don't help."
    )
    assert [w["code"] for w in found["warnings"]] == ["served_by_page_cache"]
    assert found["edition"]


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("cancelled", "The run was canceled"),
        ("failed", "The run failed"),
        ("running", "The run's host is unreachable"),
    ],
)
def test_the_result_of_an_incomplete_run_shows_the_measured_trials(
    api: TestClient, database: Engine, state: str, why: str
) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session, repeats=3)
        ingest(session, participant.id, 1, 0, Spool().hello().whole_trial(trials[0].position).data)
        nothing, *_ = seed_run(session, repeats=3)
        run.state = nothing.state = state
        if state == "running":
            run.unreachable_since = nothing.unreachable_since = now() - timedelta(hours=1)
        ids = run.id, nothing.id
    messages = [
        plain(api.get(f"/runs/{one}/result").json()["warnings"][0]["message"]) for one in ids
    ]
    assert messages == [
        f"{why}: the result rests on 1 of the 3 planned trials.",
        f"{why}: none of the planned trials was completed.",
    ]


def test_a_run_cancelled_after_its_last_trial_is_complete(
    api: TestClient, database: Engine
) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session)
        ingest(session, participant.id, 1, 0, Spool().hello().whole_trial(trials[0].position).data)
        run.state, run_id = "cancelled", run.id
    warnings = api.get(f"/runs/{run_id}/result").json()["warnings"]
    assert "cut_short" not in [warning["code"] for warning in warnings]


DISTURBED = {"late_ns": 9 * SECOND, "cpu_wait_ns": 0, "paused_ns": 9 * SECOND, "slept_ns": 0}
DISTURBED |= {"wall_jump_ns": 0, "cpu_lost_ns": 0, "throttled_ns": None}


def test_a_suspended_trial_is_repeated_and_after_three_times_inconclusive(
    api: TestClient, database: Engine
) -> None:
    with Session(database) as session, session.begin():
        run, participant, (trial, *_) = seed_run(session)
        run_id, position, participant_id = run.id, trial.position, participant.id
    spool = Spool().hello()
    stored = 0
    for attempt in (1, 2, 3):
        spool.trial(position, attempt).sample(position, attempt, bytes=10**7, ops=10)
        with Session(database) as session, session.begin():
            stored = ingest(session, participant_id, 1, stored, spool.data[stored:]).offset
        found = api.get(f"/runs/{run_id}").json()
        assert (found["current"]["attempt"], found["trials_done"]) == (attempt, 0)
        before = found["current"]["disturbed"]
        assert (before and before["code"]) == (None if attempt == 1 else "suspended")
        suspended = {"status": "suspended", "durable_ns": None, "disturbance": DISTURBED}
        spool.result(position, attempt, **suspended)
    with Session(database) as session, session.begin():
        ingest(session, participant_id, 1, stored, spool.data[stored:])
    assert api.get(f"/runs/{run_id}").json()["trials_done"] == 1
    cell = api.get(f"/runs/{run_id}/result").json()["cells"][0]
    assert (cell["state"], cell["durable"], cell["application"]) == ("inconclusive", None, None)
    assert "It was tried 3 times." in plain(cell["flags"][0]["evidence"])
    assert cell["trials"][0]["attempts"] == 3


def test_a_matrix_shows_the_cost_of_test_data(api: TestClient, database: Engine) -> None:
    with Session(database, expire_on_commit=False) as session, session.begin():
        run, participant, (trial, *_) = seed_run(session)
        spool = Spool().hello().trial(trial.position)
        spool.sample(trial.position, bytes=10**7, ops=10, dt_ns=SECOND)
        spool.result(trial.position, data_ns=SECOND // 8)
        run_id = run.id
        ingest(session, participant.id, 1, 0, spool.data)
    (cell, *_) = api.get(f"/runs/{run_id}/result").json()["cells"]
    assert [found["data_share"] for found in cell["trials"]] == [0.125]


def test_a_matrix_can_be_downloaded_as_csv(api: TestClient, finished: tuple[Run, Spool]) -> None:
    answer = api.get(f"/runs/{finished[0].id}/result.csv")
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(rows) == 4
    assert rows[3]["block_bytes"] == str(256 * KIB)
    assert rows[3]["cell_application_served_by"] == "page_cache"
    assert rows[3]["cell_flags"] == ""
    assert float(rows[3]["cell_durable_mean_bytes_per_s"]) == pytest.approx(10**7, rel=1e-3)


def test_the_downloaded_event_log_is_unmodified(
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
    assert sentences(found["headline"])[0].startswith("10.0 MB/s durable")
    assert found["best_bytes_per_s"] == pytest.approx(10**7, rel=1e-3)
    assert (found["current"], found["eta_s"]) == (None, None)
    assert found["conditions"]["fs_type"] == "ext4"
    assert found["conditions"]["open_mode"] == "rw"
    (participant,) = found["participants"]
    assert (participant["probe"], participant["host"]["name"]) == ("0.1.0", "host-1")
    assert [n["message"] for n in found["notices"]] == ["<i>swept</i>"]
    assert found["created_at"].endswith("Z")


def test_a_running_trial_shows_bytes_rate_and_remaining_time(
    api: TestClient, database: Engine
) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session, repeats=2)
        run.started_at = now()
        trial, position = trials[0].id, trials[0].position
        spool = Spool().hello().trial(position)
        spool.sample(position, bytes=10**6, ops=1, dt_ns=SECOND // 10)
        spool.sample(position, bytes=4 * 10**6, ops=1, dt_ns=SECOND // 10)
        ingest(session, participant.id, 1, 0, spool.data)
        run_id = run.id
    found = api.get(f"/runs/{run_id}").json()
    assert found["current"]["trial_id"] == trial
    assert found["current"]["bytes"] == 5 * 10**6
    assert found["current"]["total_bytes"] == 10**7
    assert found["current"]["rate_bytes_per_s"] == 25 * 10**6
    assert found["eta_s"] is not None and found["headline"] is None
    assert api.get(f"/runs/{run_id}/result").json()["cells"][0]["state"] == "running"


def test_a_run_with_an_unreachable_host_shows_no_rate(api: TestClient, database: Engine) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session, repeats=2)
        run.started_at = run.unreachable_since = now()
        explain(run, "host_key_changed", "The host key changed (retrying).")
        spool = Spool().hello().trial(trials[0].position)
        spool.sample(trials[0].position, bytes=10**6, ops=1, dt_ns=SECOND // 10)
        ingest(session, participant.id, 1, 0, spool.data)
        run_id = run.id
    found = api.get(f"/runs/{run_id}").json()
    assert found["current"]["bytes"] == 10**6
    assert (found["current"]["rate_bytes_per_s"], found["eta_s"]) == (None, None)
    assert found["state_code"] == "host_key_changed"
    assert found["state_reason"] == "The host key changed (retrying)."


def test_the_reason_of_a_queued_run_is_what_it_waits_for(api: TestClient, database: Engine) -> None:
    what = "another test holds this target: run by-hand on host box"
    with Session(database) as session, session.begin():
        run, _, _ = seed_run(session)
        run.state = lifecycle.QUEUED
        run.waits_for = {"kind": "target_busy", "what": what, "since": now().isoformat()}
        run_id, campaign_id = run.id, run.campaign_id
    assert api.get(f"/runs/{run_id}").json()["state_reason"] == what
    (listed,) = api.get(f"/runs?campaign_id={campaign_id}").json()["items"]
    assert listed["state_reason"] == listed["waits_for"]["what"] == what


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
    host = by_campaign[0]["participants"][0]["host"]["id"]
    assert [r["id"] for r in api.get(f"/runs?host_id={host}").json()["items"]] == [ids[1]]
    assert api.get("/runs?target_id=999").json()["items"] == []


def test_trials_are_listed_in_order_and_shown_with_their_attempts(
    api: TestClient, database: Engine
) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session, repeats=2)
        trial, position = trials[0].id, trials[0].position
        spool = Spool().hello().trial(position).hello(2).whole_trial(position, 2)
        ingest(session, participant.id, 1, 0, spool.data)
        run_id = run.id
    rows = api.get(f"/runs/{run_id}/trials").json()["items"]
    assert [(row["status"], row["attempts"]) for row in rows] == [("complete", 2), ("waiting", 0)]
    shown = api.get(f"/trials/{trial}").json()
    assert [a["status"] for a in shown["attempts"]] == ["interrupted", "complete"]
    assert shown["attempts"][0]["percentiles"] is None
    assert shown["attempts"][1]["percentiles"]["max_ns"] == 9000
    assert shown["attempts"][1]["durable_bytes_per_s"] == 5 * 10**6
    assert (shown["cell"], shown["parameters"]["block"]) == ("65536x1", 65536)
    json.dumps(shown, allow_nan=False)


@pytest.mark.parametrize("path", ["/runs/9", "/runs/9/result", "/runs/9/events", "/runs/9/trials"])
def test_unknown_ids_are_not_found(api: TestClient, path: str) -> None:
    answer = api.get(path)
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"


def test_every_endpoint_needs_a_login(api: TestClient, finished: tuple[Run, Spool]) -> None:
    del api.headers["Authorization"]
    for path in ("", "/1", "/1/result", "/1/events", "/1/trials"):
        assert api.get(f"/runs{path}").status_code == 401


def test_a_trial_of_55_ms_is_flagged_and_gives_no_headline(
    api: TestClient, database: Engine
) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session)
        spool = (
            Spool()
            .hello()
            .trial(trials[0].position)
            .sample(trials[0].position, bytes=10**7, ops=10)
        )
        spool.result(trials[0].position, app_ns=54 * 10**6, durable_ns=55 * 10**6)
        ingest(session, participant.id, 1, 0, spool.end().data)
        run.state, run.started_at, run.ended_at = "done", now(), now()
        run_id = run.id
    found = api.get(f"/runs/{run_id}/result").json()
    (cell,) = found["cells"]
    for flags in (cell["flags"], cell["trials"][0]["flags"]):
        assert [(flag["code"], flag["rates"]) for flag in flags] == [
            ("too_short", ["application", "durable"])
        ]
        assert flags[0]["figures"]["sufficient_file_size_bytes"] == 280 * 10**6
    assert (
        sentences(found["headline"])[0]
        == "No result: the trial was too short. Files of 280 MB would suffice."
    )
    assert found["best"] == {"durable": None, "application": None}
    assert found["advice"] == {"durable": None, "application": None}
    assert api.get(f"/runs/{run_id}").json()["best_bytes_per_s"] is None
    csv_text = api.get(f"/runs/{run_id}/result.csv").text
    assert next(csv.DictReader(io.StringIO(csv_text)))["cell_flags"] == "too_short"
