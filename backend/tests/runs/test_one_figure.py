"""A cell has one figure, and every page, list, verdict, report and download shows it."""

from typing import Any

import pytest
from assay.db.database import writing
from assay.recording.ingest import ingest
from assay.runs.stored_results import store
from testing.api import Appliance
from testing.seeds import seed_run
from testing.spools import SECOND, Spool

MB = 10**6
RATES = {
    "65536x1": (264.0, 168.0),
    "65536x2": (128.0, 322.0),
    "262144x1": (257.5, 262.5),
    "262144x2": (134.0, 294.0),
}
"""MB/s of the repeats of each cell, whose means are 216, 225, 260 and 214."""


def measured() -> tuple[int, int, int]:
    """Store an ended run with these rates; return its id, its campaign's and its array's."""
    with writing() as session:
        run, participant, trials = seed_run(
            session, blocks=(65536, 262144), threads=(1, 2), repeats=2, cache="direct"
        )
        spool = Spool().hello()
        for trial in trials:
            add_trial(spool, trial.position, round(RATES[trial.cell][trial.repeat] * MB))
        ingest(session, participant.id, 1, 0, spool.end().data)
        run.state, run.started_at, run.ended_at = "done", run.created_at, run.created_at
        session.flush()
        store(session, run)
        assert participant.array_id is not None
        return run.id, run.campaign_id, participant.array_id


def add_trial(spool: Spool, position: int, rate: int) -> None:
    """Add a trial of two seconds at this many bytes per second, durable at its end."""
    spool.trial(position, total_bytes=2 * rate)
    for number in range(20):
        spool.sample(
            position,
            end_ns=(number + 1) * SECOND // 10,
            dt_ns=SECOND // 10,
            ops=1,
            bytes=rate // 10,
            lat_sum_ns=1000,
            lat_max_ns=2000,
        )
    spool.result(position, ops=20, bytes=2 * rate, app_ns=2 * SECOND, durable_ns=2 * SECOND)


def test_every_page_shows_the_mean_of_the_best_cell(appliance: Appliance) -> None:
    run_id, campaign_id, array_id = measured()

    def got(path: str, **query: Any) -> Any:
        answer = appliance.viewer.get(path, **query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    result = got(f"/runs/{run_id}/result")
    figure, advice = result["headline"]["figure"], result["advice"]["durable"]
    (best,) = (cell for cell in result["cells"] if cell["durable"]["best"])
    criteria = [{"criterion": "durable.mean >= 1 MB/s"}]
    judged = appliance.viewer.post(
        f"/campaigns/{campaign_id}/verdicts", {"criteria": criteria}
    ).json()
    against, _, _ = measured()
    compared = got("/compare", runs=f"{run_id},{against}")["outcome"]["answer"]
    shown = {
        "cell": best["durable"]["mean_bytes_per_s"],
        "result": result["best_bytes_per_s"],
        "headline": figure["bytes_per_s"],
        "recommendation": advice["bytes_per_s"],
        "reason": advice["reason"]["best_bytes_per_s"],
        "run": got(f"/runs/{run_id}")["best_bytes_per_s"],
        "runs": got("/runs")["items"][-1]["best_bytes_per_s"],
        "campaign": got(f"/campaigns/{campaign_id}")["runs"][0]["best_bytes_per_s"],
        "overview": got("/overview")["latest"][-1]["best_bytes_per_s"],
        "history": got(f"/arrays/{array_id}/history")["points"][0]["bytes_per_s"],
        "verdict": judged["runs"][0]["rows"][0]["measured"],
        "comparison": compared["a"]["best"]["bytes_per_s"],
    }
    assert shown == dict.fromkeys(shown, pytest.approx(260 * MB))
    assert compared["best"]["ratio"] == pytest.approx(1)
    for path in (f"/runs/{run_id}/result.md", f"/campaigns/{campaign_id}/report.html"):
        assert "260 MB/s durable with one writer" in appliance.viewer.get(path).text
