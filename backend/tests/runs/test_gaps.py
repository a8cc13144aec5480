"""Gaps and wrong data, which are reported several times while they grow."""

from typing import Any

import pytest
from assay.kinds.registry import KINDS
from assay.kinds.run_record import RunRecord
from assay.runs import results
from assay.runs.recording.ingest import ingest
from assay.tables.runs import Notice
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from sqlalchemy.orm import Session
from testing.seeds import seed_run
from testing.spools import Spool


def gap(until_ns: int, **differs: Any) -> dict[str, Any]:
    return {
        "participant_id": 1,
        "level": "info",
        "code": "gap",
        "message": f"until {until_ns}",
        "detail": {
            "trial": 1,
            "attempt": 1,
            "what": "suspended",
            "from_ns": 5,
            "until_ns": until_ns,
            "disturbances": 1,
        }
        | differs,
    }


def test_the_last_report_of_each_gap_is_listed(api: TestClient, database: Engine) -> None:
    resumed = {"level": "info", "code": "resumed", "message": "resumed", "detail": {"trials": 1}}
    with Session(database) as session, session.begin():
        run, _, _ = seed_run(session)
        other = gap(7) | {"participant_id": 2}
        reports = [gap(10), resumed, gap(20), resumed, other]
        reports += [gap(30, from_ns=25), gap(12, attempt=2), gap(13, trial=2), gap(40, from_ns=25)]
        session.add_all(Notice(run_id=run.id, **one) for one in reports)
        run_id = run.id
    listed = [one["message"] for one in api.get(f"/runs/{run_id}").json()["notices"]]
    assert sorted(listed) == sorted(
        ["resumed", "resumed", "until 20", "until 7", "until 40", "until 12", "until 13"]
    )


def wrong_data(trial: int, attempt: int, stale: int, **more: Any) -> dict[str, Any]:
    return more | {
        "code": "verification_failed",
        "message": f"{stale} stale",
        "trial": trial,
        "attempt": attempt,
        "corrupt": 1,
        "stale": stale,
        "misplaced": 2,
        "first_offset_bytes": 512,
    }


def test_wrong_data_of_an_attempt_without_a_result_is_known(
    api: TestClient, database: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[RunRecord] = []
    monkeypatch.setattr(KINDS["matrix"], "judge", judged.append)
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session, operation="read")
        position, run_id = trials[0].position, run.id
        spool = Spool().hello().trial(position).sample(position, bytes=10, ops=1)
        spool.add("notice", **wrong_data(position, 1, stale=5))
        spool.add("notice", **wrong_data(position, 1, stale=9))
        ingest(session, participant.id, 1, 0, spool.hello(segment=2).data)
        session.refresh(run)
        results.judge(session, run)
    (attempt,) = judged[0].trials[0].deciding
    assert attempt
    assert (attempt.status, attempt.verify_errors) == ("interrupted", 1 + 9 + 2)
    monkeypatch.undo()
    listed = [one["message"] for one in api.get(f"/runs/{run_id}").json()["notices"]]
    assert listed == ["9 stale"]


def test_what_a_read_back_finds_does_not_hide_what_the_trial_read(
    api: TestClient, database: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[RunRecord] = []
    monkeypatch.setattr(KINDS["matrix"], "judge", judged.append)
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session, operation="read")
        position, run_id = trials[0].position, run.id
        spool = Spool().hello().trial(position).sample(position, bytes=10, ops=1)
        spool.add("notice", **wrong_data(position, 1, stale=5))
        spool.add("notice", **wrong_data(position, 1, stale=9))
        spool.add("notice", **wrong_data(position, 1, stale=20, read_back=True))
        ingest(session, participant.id, 1, 0, spool.hello(segment=2).data)
        session.refresh(run)
        results.judge(session, run)
    (attempt,) = judged[0].trials[0].deciding
    assert attempt
    assert attempt.verify_errors == 1 + 9 + 2
    monkeypatch.undo()
    listed = [one["message"] for one in api.get(f"/runs/{run_id}").json()["notices"]]
    assert sorted(listed) == ["20 stale", "9 stale"]
