"""The result of a run over two participants, from their spools to the API."""

import csv
import io
from typing import Any

import pytest
from assay.base.worded import plain
from assay.runs.recording.ingest import ingest
from assay.runs.results import sites_of
from assay.tables.hosts import Host
from assay.tables.runs import Participant
from fastapi.testclient import TestClient
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session
from testing.seeds import seed_run
from testing.spools import COUNTER, NOBODY_ELSE, SECOND, Spool

MB = 10**6


def measured(
    database: Engine, *results: dict[str, Any], boot_id: str = "", cache: str = "page"
) -> int:
    """A run of one trial whose participants had these results; its id.

    With `boot_id` all are on one machine.
    """
    with Session(database) as session, session.begin():
        run, first, (trial,) = seed_run(session)
        run.parameters = run.parameters | {"cache": cache}
        participants = [first]
        for position in range(1, len(results)):
            host = Host(name=f"beside-{position}", connection="ssh", state="ready")
            session.add(host)
            session.flush()
            target_id = first.target_id
            other = Participant(
                run_id=run.id,
                position=position,
                role="writer",
                host_id=host.id,
                target_id=target_id,
            )
            session.add(other)
            participants.append(other)
        session.flush()
        for number, (participant, result) in enumerate(zip(participants, results, strict=True)):
            spool = Spool().hello(boot_id=boot_id or f"boot-{number}").trial(trial.position)
            spool.add("ready", trial=trial.position, attempt=1)
            size, took = result.get("bytes", 10**7), result.get("app_ns", SECOND)
            samples = result.get("samples", [(size, took)])
            for at, (moved, took) in enumerate(samples, 1):
                spool.sample(trial.position, bytes=moved, ops=10, dt_ns=took, end_ns=at * took)
            own = {name: value for name, value in result.items() if name != "samples"}
            spool.result(trial.position, **own | {"ops": 10 * len(samples)}).end()
            ingest(session, participant.id, 1, 0, spool.data)
        run.state, run.ended_at = "done", run.created_at
        return run.id


def a_result(size: int, app_s: float, durable_s: float, delay_s: float = 0) -> dict[str, Any]:
    return {
        "bytes": size,
        "app_ns": round(app_s * SECOND),
        "durable_ns": round(durable_s * SECOND),
        "start_delay_ns": round(delay_s * SECOND),
        "dev_app_bytes": size,
        "dev_durable_bytes": size,
    }


def flags_of(api: TestClient, run_id: int) -> list[dict[str, Any]]:
    (cell,) = api.get(f"/runs/{run_id}/result").json()["cells"]
    return cell["flags"]


def test_a_trial_of_two_has_their_aggregate_and_shares(api: TestClient, database: Engine) -> None:
    run_id = measured(database, a_result(400 * MB, 4, 4), a_result(400 * MB, 8, 8))
    found = api.get(f"/runs/{run_id}/result").json()
    assert [one["host"] for one in found["participants"]] == ["host-1", "beside-1"]
    (cell,) = found["cells"]
    assert cell["application"]["mean"] == pytest.approx(150 * MB)
    assert cell["durable"]["mean"] == pytest.approx(100 * MB)
    shares = cell["shares"]["durable"]
    assert [one["share"] for one in shares["participants"]] == pytest.approx([2 / 3, 1 / 3])
    assert shares["fairness"] == pytest.approx(0.9)
    assert shares["slowest_participant_id"] == found["participants"][1]["id"]
    assert found["headline"]["participants"] == 2
    (row,) = csv.DictReader(io.StringIO(api.get(f"/runs/{run_id}/result.csv").text))
    assert float(row["cell_durable_fairness"]) == pytest.approx(0.9)


def test_entries_of_one_machine_are_known_as_one(database: Engine) -> None:
    """By the machine's id and that of its boot: a clone has the first, a container the second."""
    run_id = measured(database, *[a_result(400 * MB, 4, 4)] * 4, boot_id="")
    machines, boots = ("m1", "m1", "m1", "m2"), ("b1", "b1", "b2", "b1")
    with Session(database) as session, session.begin():
        participants = session.scalars(
            select(Participant).where(Participant.run_id == run_id).order_by(Participant.position)
        ).all()
        for one, machine, boot in zip(participants, machines, boots, strict=True):
            session.get_one(Host, one.host_id).machine_id = machine
            one.hello = {**(one.hello or {}), "boot_id": boot}
    with Session(database) as session:
        found = sites_of(session, run_id)
    assert [site.host for site in found] == ["host-1", "beside-1", "beside-2", "beside-3"]
    assert [site.machine for site in found] == ["host-1", "host-1", "beside-2", "beside-3"]


def test_a_window_under_half_of_the_longest_attempt_is_flagged(
    api: TestClient, database: Engine
) -> None:
    run_id = measured(database, a_result(400 * MB, 2, 2), a_result(400 * MB, 8, 8))
    found = api.get(f"/runs/{run_id}/result").json()
    (flag,) = [one for one in found["cells"][0]["flags"] if one["code"] == "short_overlap"]
    assert flag["rates"] == ["application"]
    assert (flag["figures"]["window_ns"], flag["figures"]["longest_ns"]) == (2e9, 8e9)
    assert "short_overlap" in [warning["code"] for warning in found["warnings"]]
    assert found["headline"]["figure"]["rate"] == "durable"


def test_if_one_participant_failed_the_trial_failed_and_has_no_rate(
    api: TestClient, database: Engine
) -> None:
    failed = a_result(400 * MB, 4, 4) | {
        "status": "failed",
        "reason": "io",
        "durable_ns": None,
        "sync": "none",
    }
    run_id = measured(database, a_result(400 * MB, 4, 4), failed)
    (cell,) = api.get(f"/runs/{run_id}/result").json()["cells"]
    (trial,) = cell["trials"]
    assert (cell["state"], trial["status"], trial["reason"]) == ("failed", "failed", "io")
    assert trial["durable_bytes_per_s"] is None
    assert [one["status"] for one in trial["participants"]] == ["complete", "failed"]
    rows = api.get(f"/runs/{run_id}/trials").json()["items"]
    assert [row["status"] for row in rows] == ["failed"]


def test_flags_and_evidence_name_the_participant(api: TestClient, database: Engine) -> None:
    short = a_result(40 * MB, 0.4, 0.4)
    run_id = measured(database, a_result(40 * MB, 1.2, 1.2), short)
    (cell,) = api.get(f"/runs/{run_id}/result").json()["cells"]
    (flag,) = [one for one in cell["flags"] if one["code"] == "too_short"]
    assert "beside-1 /mnt/a: " in plain(flag["evidence"])


def test_a_change_of_one_participants_throughput_is_among_its_figures(
    api: TestClient, database: Engine
) -> None:
    fills = a_result(400 * MB, 40, 40) | {
        "samples": [((15 if at < 20 else 5) * MB, SECOND) for at in range(40)]
    }
    steady = a_result(400 * MB, 40, 40) | {"samples": [(10 * MB, SECOND)] * 40}
    (cell,) = api.get(f"/runs/{measured(database, steady, fills)}/result").json()["cells"]
    first, second = cell["trials"][0]["participants"]
    assert first["levels"] is None
    assert [one["bytes_per_s"] for one in second["levels"]] == [15 * MB, 5 * MB]
    assert [one["duration_ns"] for one in second["levels"]] == [20 * SECOND, 20 * SECOND]


def test_a_window_under_a_second_is_too_short_for_the_application_rate(
    api: TestClient, database: Engine
) -> None:
    run_id = measured(
        database, a_result(40 * MB, 1.2, 1.2), a_result(40 * MB, 1.0, 1.0, delay_s=0.4)
    )
    (flag,) = flags_of(api, run_id)
    assert (flag["code"], flag["rates"]) == ("too_short", ["application"])
    assert flag["figures"]["measured_ns"] == pytest.approx(0.8e9)
    assert flag["figures"]["sufficient_file_size_bytes"] == 60 * MB


def test_the_suggested_file_size_suffices_for_the_fastest(
    api: TestClient, database: Engine
) -> None:
    run_id = measured(database, a_result(40 * MB, 0.8, 0.8), a_result(40 * MB, 0.4, 0.4))
    (flag,) = flags_of(api, run_id)
    assert flag["figures"]["sufficient_file_size_bytes"] == 150 * MB
    assert plain(flag["evidence"]).startswith("2 of 2 participants. beside-1 ")


@pytest.mark.parametrize(("slow_s", "rates"), [(70, 1), (40, 2)])
def test_a_change_of_level_in_the_window_says_nothing_of_a_durable_rate_beyond_it(
    api: TestClient, database: Engine, slow_s: int, rates: int
) -> None:
    """Both are direct, and one may take longer than the other."""
    falls, even = [40 * MB] * 20 + [10 * MB] * 20, [10 * MB] * 40
    fast, slow = (
        a_result(sum(moved), seconds, seconds)
        | {"samples": [(size, seconds * SECOND // 40) for size in moved]}
        for moved, seconds in ((falls, 40), (even, slow_s))
    )
    run_id = measured(database, fast, slow, cache="direct")
    (flag,) = (one for one in flags_of(api, run_id) if one["code"] == "cliff")
    assert flag["rates"] == ["durable", "application"][-rates:]


def a_busy_host(result: dict[str, Any], device: str, moved: int, others: int) -> dict[str, Any]:
    """A result whose device moved `moved` bytes while other processes moved `others`."""
    readings = {
        "own_read_bytes": 0,
        "own_write_bytes": result["bytes"],
        "dev_read_bytes": 0,
        "dev_write_bytes": moved,
        "quiet_ns": 200_000_000,
        "quiet_read_bytes": 0,
        "quiet_write_bytes": 0,
        "others_read_bytes": 0,
        "others_write_bytes": others,
        **NOBODY_ELSE,
        "sees_all": True,
        "busiest": None,
    }
    return result | {"contention": readings, "counter": COUNTER | {"names": [device]}}


def test_a_participant_on_another_disk_of_the_host_is_not_contention(
    api: TestClient, database: Engine
) -> None:
    """The disks moved a tenth more than the probes wrote: a journal."""
    both = a_result(400 * MB, 4, 4)
    run_id = measured(
        database,
        *(a_busy_host(both, disk, 440 * MB, 400 * MB) for disk in ("sda", "sdb")),
        boot_id="boot",
    )
    assert flags_of(api, run_id) == []


def test_io_of_others_on_a_shared_disk_is_counted_once(api: TestClient, database: Engine) -> None:
    """The first ended before half of what the second wrote; others moved 100 MB."""
    first = a_busy_host(a_result(400 * MB, 4, 4), "sda", 700 * MB, 300 * MB)
    second = a_busy_host(a_result(400 * MB, 8, 8), "sda", 900 * MB, 500 * MB)
    run_id = measured(database, first, second, boot_id="boot")
    assert "contended" in [flag["code"] for flag in flags_of(api, run_id)]
    (cell,) = api.get(f"/runs/{run_id}/result").json()["cells"]
    assert cell["trials"][0]["contention"]["others_bytes"] == 100 * MB


def test_the_series_of_each_participant_is_shown(api: TestClient, database: Engine) -> None:
    run_id = measured(database, a_result(400 * MB, 4, 4), a_result(400 * MB, 8, 8))
    participants = [one["id"] for one in api.get(f"/runs/{run_id}").json()["participants"]]
    trial_id = api.get(f"/runs/{run_id}/result").json()["cells"][0]["trials"][0]["id"]
    for participant_id, rate in zip(participants, (100 * MB, 50 * MB), strict=True):
        found = api.get(f"/trials/{trial_id}/samples?participant={participant_id}").json()
        assert found["participant_id"] == participant_id
        assert found["columns"]["rate_mean_bytes_per_s"] == [rate]
    assert api.get(f"/trials/{trial_id}/samples?participant=999").status_code == 404
