"""Filters of all lists: places and profiles by name, and several values of one filter."""

from typing import Any

import pytest
from testing.api import Appliance, fields, on_sqlite, problem
from testing.furnished import OPERATIONS, Furnished

GIVEN_BY_ID = {"campaign_id", "run_id"}
"""Many campaigns and runs may have the same name."""

NUMBERS = {"limit", "points", "attempt", "participant", "from", "to", "wait"}
"""What is a number, and no object."""

LISTS = [
    name
    for name, operation in OPERATIONS.items()
    if name.startswith("GET ") and operation.get("parameters") and "{" not in name
]


def parameters(operation: str) -> dict[str, dict[str, Any]]:
    """Return the schemas of an operation's query parameters, without null, by name."""
    found: dict[str, dict[str, Any]] = {}
    for one in OPERATIONS[operation]["parameters"]:
        if one["in"] == "query":
            schema = one["schema"]
            kinds = [kind for kind in schema.get("anyOf", [schema]) if kind.get("type") != "null"]
            found[one["name"]] = kinds[0]
    return found


def test_what_is_filtered_by_id_is_filtered_by_name() -> None:
    assert len(LISTS) > 20
    wrong: list[str] = []
    for operation in LISTS:
        known = parameters(operation)
        by_id = {name for name, schema in known.items() if schema.get("type") == "integer"}
        wrong += [
            f"{operation}: {name}"
            for name in by_id - NUMBERS - GIVEN_BY_ID
            if known.get(name.removesuffix("_id"), {}).get("type") != "string"
        ]
    assert not wrong, "\n".join(wrong)


@on_sqlite
def test_several_values_of_a_filter_find_what_any_of_them_finds(appliance: Appliance) -> None:
    furnished = Furnished(appliance)
    tried = 0
    for operation in LISTS:
        path = furnished.path(operation)
        for name, schema in parameters(operation).items():
            values = schema.get("items", {}).get("enum")
            if not values or path.startswith(("/views", "/runs/export")):
                continue
            each = [_ids(appliance, path, **{name: value}) for value in values]
            assert _ids(appliance, path, **{name: values}) == set().union(*each), (path, name)
            tried += 1
    assert tried > 10


def _ids(appliance: Appliance, path: str, **query: Any) -> set[int]:
    answer = appliance.admin.get(path, **query)
    assert answer.status_code == 200, answer.text
    return {one["id"] for one in answer.json()["items"]}


@on_sqlite
@pytest.mark.parametrize("path", ["/campaigns", "/runs"])
def test_a_schedules_campaigns_and_runs_are_found_by_its_name(
    appliance: Appliance, path: str
) -> None:
    furnished = Furnished(appliance)
    number = furnished.ids["schedule_id"]
    launched = appliance.operator.post(f"/schedules/{number}/run").json()
    wanted = {launched["id"]} if path == "/campaigns" else {run["id"] for run in launched["runs"]}
    assert wanted
    for schedule in ("own schedule", "own-schedule", number):
        assert _ids(appliance, path, schedule=schedule) == wanted
    answer = problem(appliance.viewer.get(path, schedule="own shedule"), 422, "invalid")
    assert fields(answer) == ["schedule"]
    assert "own schedule" in answer["errors"][0]["remedy"]
