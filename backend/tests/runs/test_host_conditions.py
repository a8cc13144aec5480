"""Conditions of a host that may change during a run: stored, compared and downloaded."""

import csv
import io
from typing import Any

from assay.runs.recording.ingest import ingest
from assay.tables.database import now, writing
from testing.api import Appliance
from testing.seeds import seed_run
from testing.spools import Spool

SENSOR = {"source": "device", "device": "vda", "sensor": "drivetemp"}


def measured(spool: Spool) -> int:
    """An ended run with this spool; its id."""
    with writing() as session:
        run, participant, trials = seed_run(session)
        position = trials[0].position
        lines = spool.data.replace(b'"trial":0', f'"trial":{position}'.encode())
        ingest(session, participant.id, 1, 0, lines)
        run.state, run.started_at, run.ended_at = "done", now(), now()
        return run.id


def ended(start: dict[str, Any], end: dict[str, Any]) -> int:
    spool = Spool().hello().conditions("start", **start).whole_trial(0)
    return measured(spool.conditions("end", **end).end())


def shown(appliance: Appliance, run_id: int) -> dict[str, Any]:
    return appliance.viewer.get(f"/runs/{run_id}").json()


def test_a_setting_that_applied_to_the_whole_run_is_a_condition(appliance: Appliance) -> None:
    run = shown(appliance, ended({}, {}))
    assert run["conditions"]["governor"] == "performance"
    assert run["conditions"]["dirty_limit"] == "20 % of available memory (vm.dirty_ratio)"
    assert run["conditions"]["dirty_expire"] == "30 s (vm.dirty_expire_centisecs = 3000)"
    assert run["participants"][0]["conditions"]["start"]["vm"]["dirty_background_ratio"] == 10


def test_a_setting_that_changed_during_the_run_has_both_values(appliance: Appliance) -> None:
    after = {"vm": {"dirty_ratio": 0, "dirty_bytes": 268_435_456}}
    run = shown(appliance, ended({}, after))
    assert run["conditions"]["dirty_limit"] == (
        "20 % of available memory (vm.dirty_ratio) at the start, "
        "268 435 456 bytes (vm.dirty_bytes) at the end"
    )


def test_an_unreadable_setting_is_unknown_and_not_zero(appliance: Appliance) -> None:
    unknown: dict[str, Any] = {
        "governors": [],
        "vm": {"dirty_ratio": None, "dirty_expire_centisecs": None},
        "unreadable": [{"what": "governor", "reason": "no CPU has one"}],
    }
    found = shown(appliance, ended(unknown, unknown))["conditions"]
    assert found["governor"] is None
    assert found["dirty_limit"] is None
    assert found["dirty_expire"] is None


def test_an_older_spool_has_no_such_conditions(appliance: Appliance) -> None:
    run = shown(appliance, measured(Spool().hello().whole_trial(0).end()))
    assert run["participants"][0]["conditions"] == {"start": None, "end": None}
    assert run["conditions"]["dirty_limit"] is None


def test_a_run_in_segments_has_its_first_start_and_its_last_end(appliance: Appliance) -> None:
    spool = Spool().hello().conditions("start", vm={"dirty_ratio": 40}).trial(0)
    spool.conditions("end", vm={"dirty_ratio": 41}).end()
    spool.hello(segment=2).conditions("start", vm={"dirty_ratio": 42})
    over = shown(appliance, measured(spool))["participants"][0]["conditions"]
    assert over["start"]["vm"]["dirty_ratio"] == 40
    assert over["end"] is None, "the first segment's end is not the run's"


def test_different_settings_of_two_runs_are_a_difference(appliance: Appliance) -> None:
    runs = [ended({}, {}), ended(*[{"governors": [{"name": "powersave", "cpus": 2}]}] * 2)]
    compared = appliance.viewer.get("/compare", runs=f"{runs[0]},{runs[1]}").json()
    differences = {one["name"]: one["values"] for one in compared["differences"]}
    assert differences["governor"] == ["performance", "powersave"]
    assert "dirty_limit" not in differences


def test_csv_has_each_condition_at_start_and_end(appliance: Appliance) -> None:
    def at(millidegrees: int) -> dict[str, Any]:
        return {"temperatures": [SENSOR | {"millidegrees_c": millidegrees}]}

    why = {"what": "health of vda", "reason": "SMART data needs root"}
    run_id = ended(at(34_500) | {"unreadable": [why]}, at(51_000) | {"unreadable": [why]})
    text = appliance.viewer.get(f"/runs/{run_id}/conditions.csv").text
    rows = {row["condition"]: row for row in csv.DictReader(io.StringIO(text))}
    heat = rows["temperature of vda (drivetemp)"]
    assert (heat["unit"], heat["start"], heat["end"]) == ("degrees_c", "34.5", "51.0")
    assert rows["vm.dirty_bytes"]["start"] == "0"
    assert rows["health of vda"]["start"] == ""
    assert rows["health of vda"]["not_readable_because"] == "SMART data needs root"
