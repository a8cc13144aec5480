"""Differences of parameters that a run does not use."""

from assay.tables.database import writing
from assay.tables.runs import Run
from testing.api import Appliance, on_sqlite

TEST = {"kind": "sustained", "title": "Long write", "length": 10**9}


@on_sqlite
def test_a_parameter_that_no_run_uses_is_no_difference(appliance: Appliance) -> None:
    target = appliance.target(appliance.host())
    tests = [
        TEST | {"gap_ns": number * 10**6, "pace": "burst", "title": f"Gap {number}"}
        for number in (1, 2, 3)
    ]
    body = {"name": "Gaps", "body": {"tests": tests}}
    plan = {
        "profile_id": appliance.operator.post("/profiles", body).json()["id"],
        "target_ids": [target],
    }
    a, b, bursts = (run["id"] for run in appliance.operator.post("/campaigns", plan).json()["runs"])

    with writing() as session:  # today a profile with an unused gap is refused
        for run_id in (a, b):
            run = session.get_one(Run, run_id)
            run.parameters = {**run.parameters, "pace": "none"}

    def differences(*runs: int) -> dict[str, list[object]]:
        found = appliance.viewer.get("/compare", runs=",".join(map(str, runs))).json()
        return {one["name"]: one["values"] for one in found["differences"]}

    assert differences(a, b) == {}
    assert differences(a, bursts)["gap_ns"] == [None, 3 * 10**6]
