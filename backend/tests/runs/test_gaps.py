"""Gaps that are reported several times while they grow."""

from typing import Any

from assay.runs.models import Notice
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from sqlalchemy.orm import Session
from testing.seeds import seed_run


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
