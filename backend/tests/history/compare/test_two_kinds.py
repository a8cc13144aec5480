"""Differences between runs of different kinds, and their parameters in plain values."""

from testing.api import Appliance, on_sqlite

PATH = {"kind": "path", "title": "Path", "legs": ["memory"], "length": 10**9}
RECORDS = {"kind": "records", "title": "Records", "repeats": 2}


@on_sqlite
def test_parameters_of_one_kind_alone_are_no_difference_to_another(appliance: Appliance) -> None:
    source, sink = appliance.host(), appliance.host(name="web-2")
    tests = [PATH, PATH | {"title": "Small", "block": [65_536]}, RECORDS]
    plan = {
        "profile_id": appliance.operator.post(
            "/profiles", {"name": "Transfers", "body": {"tests": tests}}
        ).json()["id"],
        "sources": [{"host_id": source}],
        "sinks": [{"host_id": sink}],
    }
    runs = appliance.operator.post("/campaigns", plan).json()["runs"]
    path, small, records = (run["id"] for run in runs)

    def differences(*runs: int) -> dict[str, list[object]]:
        found = appliance.viewer.get("/compare", runs=",".join(map(str, runs))).json()
        return {one["name"]: one["values"] for one in found["differences"]}

    assert differences(path, small) == {"block": [[1_048_576], [65_536]]}
    mixed = differences(path, records)
    assert mixed["kind"] == ["path", "records"]
    assert mixed["repeats"] == [3, 2]
    assert "block" not in mixed and "record_bytes" not in mixed
