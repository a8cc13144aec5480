"""A sustained test that writes and reads one target at the same time, by a probe each."""

import csv
import io
import threading
from pathlib import Path
from typing import Any

import pytest
from assay.kinds.sustained.result import SustainedResult
from assay.runs.attempts import RUNNING
from assay.runs.results import judge
from assay.tables.database import reading
from assay.tables.runs import Run
from testing.api import Appliance
from testing.assertions import assert_nothing_stays
from testing.installation import BOTH, MB, Installation, wait_until
from testing.sshd import Sshd

WRITES, READS = 8 * MB, 4 * MB
PACED: dict[str, Any] = {
    "kind": "sustained",
    "operation": "both",
    "title": "Ingest and playout",
    "length": "3 s",
    "cache": "page",
    "block": [100_000],
    "file_mode": "ring",
    "file_size": 2 * MB,
    "mark_bytes": 200_000,
    "pace": "rate",
    "rate_bytes_per_s": [WRITES],
    "read_pace": "rate",
    "read_rate_bytes_per_s": READS,
    "sample_ms": 100,
}


def launched(
    installation: Installation, api: Appliance, host_id: int, folder: Path, **test: Any
) -> dict[str, Any]:
    """Launch the test; return its campaign."""
    target_id = installation.target(host_id, folder)
    assert installation.check(host_id).error is None
    criteria = [{"criterion": f"app.min >= {WRITES * 0.9 / MB} MB/s"}]
    criteria += [{"criterion": f"read.min >= {READS * 1.5 / MB} MB/s"}]
    body = {"name": "Both", "body": {"tests": [PACED | test], "criteria": criteria}}
    profile = api.operator.post("/profiles", body)
    assert profile.status_code == 201, profile.text
    asked = {"profile_id": profile.json()["id"], "target_ids": [target_id]}
    answer = api.operator.post("/campaigns", asked)
    assert answer.status_code == 201, answer.text
    return answer.json()


def result_of(run_id: int) -> SustainedResult:
    with reading() as session:
        found = judge(session, session.get_one(Run, run_id))
    assert isinstance(found, SustainedResult)
    return found


@BOTH
def test_each_direction_has_its_own_rate_marks_samples_and_verdict(
    installation: Installation, api: Appliance, sshd: Sshd, tmp_path: Path
) -> None:
    folder = tmp_path / "shared"
    campaign = launched(installation, api, installation.ssh_host(sshd), folder)
    run_id = campaign["runs"][0]["id"]
    warnings = {one["code"]: one["message"] for one in campaign["warnings"]}
    assert "writes at 8.00 MB/s and reads at 4.00 MB/s" in warnings["offered_rate"]
    installation.drive_to_the_end(run_id)
    assert (installation.run(run_id).state, installation.run(run_id).error) == ("done", None)
    writer, reader = installation.attempts(run_id)
    assert (writer.status, reader.status) == ("complete", "complete")
    assert writer.durable_ns is not None
    assert reader.durable_ns is None
    assert writer.bytes == pytest.approx(3 * WRITES, rel=0.05)
    assert reader.bytes == pytest.approx(3 * READS, rel=0.05)
    found = result_of(run_id)
    ingest, playout = found.cells
    assert (ingest.operation, playout.operation) == ("write", "read")
    assert ingest.application is not None
    assert playout.application is not None
    assert ingest.application.mean == pytest.approx(WRITES, rel=0.05)
    assert playout.application.mean == pytest.approx(READS, rel=0.05)
    assert (ingest.offered_bytes_per_s, playout.offered_bytes_per_s) == (WRITES, READS)
    assert playout.durable is None
    assert ingest.carry
    assert playout.carry
    (read_trial,) = playout.trials
    assert read_trial.verify_errors == 0
    assert read_trial.footprint_bytes == 4 * MB  # a ring of its own
    assert_nothing_stays(tmp_path, folder)

    verdict = api.operator.get(f"/runs/{run_id}/verdict").json()
    values = {row["criterion"].split(" ")[0]: row for row in verdict["rows"]}
    assert values["app.min"]["measured"] == pytest.approx(WRITES, rel=0.05)
    assert values["read.min"]["measured"] == pytest.approx(READS, rel=0.05)
    assert values["read.min"]["outcome"] != "pass"  # the rate of the writes would have

    for participant, rate in ((writer.participant_id, WRITES), (reader.participant_id, READS)):
        of_one = api.operator.get(f"/trials/{writer.trial_id}/marks", participant=participant)
        marks = of_one.json()["columns"]
        assert marks["end_bytes"][-1] == pytest.approx(3 * rate, rel=0.05)
    rows = csv.DictReader(io.StringIO(api.operator.get(f"/runs/{run_id}/result.csv").text))
    assert [row["direction"] for row in rows] == ["write", "read"]


def test_if_the_writer_dies_both_start_the_trial_anew(
    installation: Installation, api: Appliance, tmp_path: Path
) -> None:
    folder = tmp_path / "shared"
    campaign = launched(installation, api, installation.local_host(), folder)
    run_id = campaign["runs"][0]["id"]
    installation.drive_until(
        run_id, lambda: sum(one.mark_count for one in installation.attempts(run_id)) >= 10
    )
    installation.kill_probe(run_id)
    installation.drive_to_the_end(run_id, 60)
    assert (installation.run(run_id).state, installation.run(run_id).error) == ("done", None)
    found: dict[int, list[str]] = {}
    for attempt in installation.attempts(run_id):
        found.setdefault(attempt.number, []).append(attempt.status)
    assert sorted(found[1]) == ["interrupted", "stopped"]
    assert found[max(found)] == ["complete", "complete"]
    assert {attempt.done_bytes for attempt in installation.attempts(run_id)} == {0}
    ingest, playout = result_of(run_id).cells
    assert ingest.application
    assert playout.application
    assert_nothing_stays(tmp_path, folder)


def test_cancel_ends_both_and_removes_their_files(
    installation: Installation, api: Appliance, tmp_path: Path
) -> None:
    folder = tmp_path / "shared"
    campaign = launched(installation, api, installation.local_host(), folder, length="1 h")
    run_id = campaign["runs"][0]["id"]
    thread = threading.Thread(target=installation.drive_to_the_end, args=[run_id])
    thread.start()
    wait_until(
        lambda: (
            [a.status for a in installation.attempts(run_id) if a.mark_count] == [RUNNING, RUNNING]
        )
    )
    installation.cancel(run_id)
    thread.join(40)
    assert installation.run(run_id).state == "cancelled"
    assert {one.status for one in installation.attempts(run_id)} == {"stopped"}
    assert_nothing_stays(tmp_path, folder)
