"""Campaigns of records: the senders and the one receiver of a run, and what is refused."""

import re
from typing import Any

import pytest
from assay.tables.database import reading
from assay.tables.runs import Run, Trial
from sqlalchemy import select
from testing.api import Appliance, on_sqlite

pytestmark = pytest.mark.usefixtures("worker")

TEST = {"kind": "records", "title": "Records", "repeats": 2, "warm_up_ms": 1000, "window_ms": 9000}


def senders(appliance: Appliance, number: int = 3) -> list[dict[str, int]]:
    return [{"host_id": appliance.host(f"web-{place}")} for place in range(number)]


def plan(appliance: Appliance, sources: Any, *sinks: Any, **test: Any) -> dict[str, Any]:
    known = len(appliance.viewer.get("/profiles").json()["items"])
    body = {"name": f"Records {known}", "body": {"tests": [TEST | test]}}
    made = appliance.operator.post("/profiles", body)
    assert made.status_code == 201, made.text
    return {"profile_id": made.json()["id"], "sources": sources, "sinks": list(sinks)}


def target(appliance: Appliance, host: str = "log") -> dict[str, int]:
    return {"target_id": appliance.target(appliance.host(host), "/mnt/log")}


def errors(appliance: Appliance, asked: dict[str, Any]) -> list[dict[str, Any]]:
    refused = appliance.operator.post("/campaigns", asked)
    assert refused.status_code == 422, refused.text
    return refused.json()["errors"]


@on_sqlite
def test_three_senders_and_one_receiver_are_one_run(appliance: Appliance) -> None:
    asked = plan(appliance, senders(appliance), target(appliance))
    made = appliance.operator.post("/campaigns", asked)
    assert made.status_code == 201, made.text
    (run,) = made.json()["runs"]
    assert [one["role"] for one in run["participants"]] == ["sender"] * 3 + ["receiver"]
    with reading() as session:
        parameters = session.get_one(Run, run["id"]).parameters
        trials = session.scalars(select(Trial).where(Trial.run_id == run["id"])).all()
    assert (parameters["senders"], parameters["medium"]) == (3, "disk")
    assert [one.parameters["record_bytes"] for one in trials].count(1024) == 2
    assert len(trials) == 6


@on_sqlite
def test_a_scale_out_has_a_run_for_each_number_of_senders(appliance: Appliance) -> None:
    asked = plan(appliance, senders(appliance), target(appliance)) | {"scale_out": True}
    runs = appliance.operator.post("/campaigns", asked).json()["runs"]
    assert [len(one["participants"]) for one in runs] == [2, 3, 4]


@on_sqlite
def test_the_control_goes_to_the_memory_of_the_targets_host(appliance: Appliance) -> None:
    asked = plan(appliance, senders(appliance, 1), target(appliance), sink="memory")
    estimate = appliance.viewer.post("/campaigns/estimate", asked).json()
    assert estimate["problems"] == []
    receiver = estimate["runs"][-1]
    assert (receiver["target_id"], receiver["bytes_written"]) == (None, 0)


@on_sqlite
def test_the_file_of_paced_records_is_estimated_exactly(appliance: Appliance) -> None:
    given = {"rate_records_per_s": 1000, "record_bytes": [100, 1000]}
    asked = plan(appliance, senders(appliance), target(appliance), **given)
    receiver = appliance.viewer.post("/campaigns/estimate", asked).json()["runs"][-1]
    assert receiver["peak_bytes"] == 3 * 1000 * 1000 * 10
    assert receiver["bytes_written"] == 2 * 3 * 1000 * (100 + 1000) * 10


@on_sqlite
@pytest.mark.parametrize("pace", [{}, {"rate_records_per_s": 10**6}])
def test_records_that_do_not_fit_are_refused_whether_a_rate_limits_them_or_not(
    appliance: Appliance, pace: dict[str, int]
) -> None:
    large = {"record_bytes": [2**20], "window_ms": 3_600_000}
    asked = plan(appliance, senders(appliance), target(appliance), **large, **pace)
    (error,) = errors(appliance, asked)
    assert error["field"] == "profile.tests.0.window_ms"
    first = "Use" if pace else "Launch the profile Calibration first, use"
    assert error["remedy"].startswith(f"{first} a shorter window or a ")
    needed = re.search(r" needs [0-9.]+ .B([^;]*); ", error["message"])
    assumed = "" if pace else " at an assumed 1.00 GB/s, for nothing was measured there"
    assert needed and needed[1] == assumed, error["message"]


@on_sqlite
def test_a_measured_rate_that_makes_records_too_large_is_said(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rate(*_: object) -> float:
        return 2.5e8

    monkeypatch.setattr("assay.runs.campaigns.places._best_bytes_per_s", rate)
    long = {"record_bytes": [2**20], "window_ms": 3_600_000}
    asked = plan(appliance, senders(appliance), target(appliance), **long)
    (error,) = errors(appliance, asked)
    assert " 900 GB at 250 MB/s, the highest rate that was measured there; " in error["message"]
    assert error["remedy"].startswith("Use a shorter window")


@on_sqlite
def test_records_without_a_rate_have_the_warning_of_a_sustained_test(
    appliance: Appliance,
) -> None:
    ends = senders(appliance), target(appliance)
    small = {"record_bytes": [100], "window_ms": 1000}
    estimate = appliance.viewer.post("/campaigns/estimate", plan(appliance, *ends, **small)).json()
    (said,) = [w["message"] for w in estimate["warnings"] if w["code"] == "length_unknown"]
    assert said == (
        "Records on log /mnt/log: the test writes for a time without pacing. The space is "
        "estimated at an assumed 1.00 GB/s, for nothing was measured there. If the storage is "
        "faster, a trial that reaches the target's reserved space fails; a rate bounds the size."
    )
    assert estimate["runs"][-1]["peak_bytes"] == 2 * 10**9  # a second of warm-up
    paced = plan(appliance, *ends, **small, rate_records_per_s=100)
    estimate = appliance.viewer.post("/campaigns/estimate", paced).json()
    assert "length_unknown" not in [one["code"] for one in estimate["warnings"]]


@on_sqlite
def test_a_sender_is_the_memory_of_a_host(appliance: Appliance) -> None:
    sources = [*senders(appliance, 1), target(appliance, "other")]
    (error,) = errors(appliance, plan(appliance, sources, target(appliance)))
    assert error["field"] == "sources.1"
    assert "Select the host other" in error["remedy"]


@on_sqlite
@pytest.mark.parametrize(
    "unfit", [{"acknowledge": "synced"}, {"sync_ms": 1000}, {"sync_bytes": 10**6}]
)
def test_memory_is_not_synced(appliance: Appliance, unfit: dict[str, Any]) -> None:
    asked = plan(appliance, senders(appliance, 1), {"host_id": appliance.host("log")}, **unfit)
    (error,) = errors(appliance, asked)
    assert error["field"] == f"profile.tests.0.{next(iter(unfit))}"


@on_sqlite
def test_all_records_go_to_one_sink(appliance: Appliance) -> None:
    sinks = target(appliance), target(appliance, "other")
    (error,) = errors(appliance, plan(appliance, senders(appliance, 2), *sinks))
    assert error["field"] == "sinks"


@on_sqlite
def test_more_senders_than_a_receiver_takes_are_refused(appliance: Appliance) -> None:
    asked = plan(appliance, senders(appliance, 33), target(appliance))
    (error,) = errors(appliance, asked)
    assert (error["field"], "at most 32" in error["remedy"]) == ("sources", True)


@on_sqlite
def test_a_sender_on_the_sinks_host_has_a_warning(appliance: Appliance) -> None:
    sources = [*senders(appliance, 1), {"host_id": appliance.host("log")}]
    sink = {"target_id": appliance.target(sources[1]["host_id"], "/mnt/log")}
    estimate = appliance.viewer.post("/campaigns/estimate", plan(appliance, sources, sink)).json()
    assert "transfer_on_one_host" in [one["code"] for one in estimate["warnings"]]
    assert estimate["problems"] == []


@on_sqlite
@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("record_bytes", {"record_bytes": [0]}),
        ("record_bytes", {"record_bytes": [2**20 + 1]}),
        ("record_bytes", {"record_bytes": [10, 10]}),
        ("sync_ms", {"sync_ms": 5, "sync_bytes": 5}),
        ("sync_bytes", {"sync_bytes": 5, "acknowledge": "synced"}),
        ("last_port", {"port": 9000, "last_port": 8000}),
        ("sink_address", {"sink_address": "0.0.0.0"}),
        ("sink_address", {"sink_address": "192.0.2.1", "family": "ipv6"}),
        ("in_flight_batches", {"in_flight_batches": 0}),
    ],
)
def test_values_that_no_trial_can_have_are_refused(
    appliance: Appliance, field: str, values: dict[str, Any]
) -> None:
    body = {"name": "Unfit", "body": {"tests": [TEST | values]}}
    refused = appliance.operator.post("/profiles", body)
    assert refused.status_code == 422, refused.text
    assert {field} == {one["field"].split(".")[3] for one in refused.json()["errors"]}


@on_sqlite
@pytest.mark.parametrize(
    "criterion", ["records.rate >= 1000000 /s", "records.lost <= 0", "records.payload > 1 GB/s"]
)
def test_criteria_limit_records(appliance: Appliance, criterion: str) -> None:
    asked = plan(appliance, senders(appliance, 1), target(appliance))
    made = appliance.operator.post("/campaigns", asked | {"criteria": [{"criterion": criterion}]})
    assert made.status_code == 201, made.text


@on_sqlite
def test_a_criterion_that_no_test_can_give_is_refused(appliance: Appliance) -> None:
    asked = plan(appliance, senders(appliance, 1), target(appliance), acknowledge="none")
    (error,) = errors(appliance, asked | {"criteria": [{"criterion": "records.lost <= 0"}]})
    assert "not acknowledged" in str(error)
