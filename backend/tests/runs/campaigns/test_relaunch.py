"""A campaign launched again, and saved as a profile."""

from typing import Any

import pytest
from testing.api import GB, Appliance, on_sqlite, problem

pytestmark = pytest.mark.usefixtures("worker")

WRITE: dict[str, Any] = {
    "kind": "matrix",
    "operation": "write",
    "title": "Write",
    "block": [65536],
    "threads": [1, 4],
    "file_size": 20_000_000,
    "repeats": 3,
}
READ = WRITE | {"operation": "read", "title": "Read"}
SUSTAINED = {"kind": "sustained", "title": "Long", "length": GB}
PATH = {"kind": "path", "title": "Path", "length": GB, "repeats": 2, "sink_cache": "page"}
RECORDS = {"kind": "records", "title": "Records"}
TOOL = {"kind": "tool", "title": "Copy", "tools": ["rsync-ssh"], "length": GB}
DURABLE = {"criterion": "durable.mean >= 1 GB/s", "stop": False}


def profile(appliance: Appliance, *tests: dict[str, Any], **body: Any) -> int:
    number = len(appliance.viewer.get("/profiles").json()["items"])
    made = appliance.operator.post(
        "/profiles", {"name": f"Own {number}", "body": {"tests": list(tests), **body}}
    )
    assert made.status_code == 201, made.text
    return made.json()["id"]


def targets(appliance: Appliance, number: int) -> list[int]:
    return [appliance.target(appliance.host(f"web-{n}"), f"/mnt/{n}") for n in range(number)]


def launched(appliance: Appliance, plan: dict[str, Any]) -> dict[str, Any]:
    made = appliance.operator.post("/campaigns", plan)
    assert made.status_code == 201, made.text
    return made.json()


def again(appliance: Appliance, campaign: dict[str, Any], run: int | None = None) -> dict[str, Any]:
    """Return the request that launches a campaign again, or one of its runs by its index."""
    chosen = {} if run is None else {"run_id": campaign["runs"][run]["id"]}
    found = appliance.viewer.get(f"/campaigns/{campaign['id']}/plan", **chosen)
    assert found.status_code == 200, found.text
    return found.json()


def seats(campaign: dict[str, Any]) -> list[Any]:
    return [
        (
            run["title"],
            run["trials_total"],
            [(p["role"], p["host"], p["target"]) for p in run["participants"]],
        )
        for run in campaign["runs"]
    ]


@pytest.mark.parametrize(
    ("tests", "transfers", "fields"),
    [
        ([WRITE, READ], False, {"overrides": {"repeats": 2, "block": [4096]}}),
        ([SUSTAINED], False, {"together": True, "overrides": {"length": "2 * ram / 1000"}}),
        ([SUSTAINED], False, {"scale_out": True, "criteria": [DURABLE | {"stop": True}]}),
        ([PATH], True, {"overrides": {"streams": [1, 2], "congestion_control": "cubic"}}),
        ([PATH], True, {"arrangement": "mesh"}),
        ([RECORDS], True, {"overrides": {"record_bytes": [100, 1000]}}),
        ([TOOL], True, {"overrides": {"files": [10]}}),
    ],
    ids=["matrix", "sustained", "scale-out", "path", "mesh", "records", "tool"],
)
def test_the_plan_of_a_campaign_launches_the_same_again(
    appliance: Appliance, tests: list[Any], transfers: bool, fields: dict[str, Any]
) -> None:
    one, other = targets(appliance, 2)
    where: dict[str, Any] = {"target_ids": [one, other]}
    if transfers:
        mesh = fields.get("arrangement") == "mesh"
        both = [{"target_id": one}, {"target_id": other}]
        where = {"sources": both if mesh else both[:1], "sinks": [] if mesh else both[1:]}
    if tests == [RECORDS]:  # they come from memory
        where["sources"] = [{"host_id": appliance.host("sender")}]
    asked = {"profile_id": profile(appliance, *tests), "name": "Before", **where, **fields}
    first = launched(appliance, asked)
    plan = again(appliance, first)
    for name, value in asked.items():
        assert plan[name] == value, name
    second = launched(appliance, plan)
    assert second["id"] != first["id"]
    assert second["name"] == "Before"
    assert second["parameters"] == first["parameters"]
    assert second["criteria"] == first["criteria"]
    assert seats(second) == seats(first)


@on_sqlite
def test_a_run_is_launched_again_at_its_target_with_its_test(appliance: Appliance) -> None:
    one, other = targets(appliance, 2)
    asked = {
        "profile_id": profile(appliance, WRITE, READ, SUSTAINED),
        "target_ids": [one, other],
        "overrides": {"block": [4096], "streams": 2},
    }
    first = launched(appliance, asked)
    assert [run["title"] for run in first["runs"]] == ["Write"] * 2 + ["Read"] * 2 + ["Long"] * 2
    second = launched(appliance, again(appliance, first, 3))
    assert seats(second) == [seats(first)[3]]
    run_ids = [each["runs"][index]["id"] for each, index in ((first, 3), (second, 0))]
    before, after = (appliance.viewer.get(f"/runs/{one}").json()["parameters"] for one in run_ids)
    assert after == before
    assert after["block"] == [4096]


@on_sqlite
def test_runs_of_scale_outs_and_meshes_keep_their_places(appliance: Appliance) -> None:
    ids = targets(appliance, 3)
    scaled = {
        "profile_id": profile(appliance, SUSTAINED),
        "target_ids": ids,
        "scale_out": True,
    }
    first = launched(appliance, scaled)
    plan = again(appliance, first, 1)
    assert (plan["target_ids"], plan["together"], plan["scale_out"]) == (ids[:2], True, False)
    assert seats(launched(appliance, plan)) == [seats(first)[1]]
    ends = [{"target_id": one} for one in ids]
    mesh = {"profile_id": profile(appliance, PATH), "sources": ends, "arrangement": "mesh"}
    first = launched(appliance, mesh)
    for index, place in enumerate(seats(first)):
        plan = again(appliance, first, index)
        assert plan["arrangement"] == "together"
        assert seats(launched(appliance, plan)) == [place]


@on_sqlite
def test_all_tests_run_again_if_a_criterion_of_the_profile_needs_another(
    appliance: Appliance,
) -> None:
    (one,) = targets(appliance, 1)
    own = profile(appliance, WRITE, READ, criteria=[DURABLE])
    first = launched(appliance, {"profile_id": own, "target_ids": [one]})
    assert "tests" in again(appliance, first, 0)
    assert "tests" not in again(appliance, first, 1)  # a read has no durable rate
    assert len(launched(appliance, again(appliance, first, 1))["runs"]) == 2


@on_sqlite
def test_the_plan_is_of_an_existing_campaign_and_of_its_own_run(appliance: Appliance) -> None:
    (one,) = targets(appliance, 1)
    plan = {"profile_id": profile(appliance, WRITE), "target_ids": [one]}
    first, second = launched(appliance, plan), launched(appliance, plan)
    path = f"/campaigns/{first['id']}/plan"
    problem(appliance.viewer.get("/campaigns/999/plan"), 404, "not_found")
    foreign = second["runs"][0]["id"]
    problem(appliance.viewer.get(path, run_id=foreign), 404, "not_found")
    assert appliance.viewer.get(path, run_id=0).status_code == 422


@on_sqlite
def test_a_saved_profile_has_the_values_and_criteria_with_which_it_ran(
    appliance: Appliance,
) -> None:
    (one,) = targets(appliance, 1)
    extra = {"criterion": "app.mean >= 2 GB/s", "stop": True}
    own = profile(appliance, WRITE, READ, criteria=[DURABLE], watch_ms=120_000)
    first = launched(
        appliance,
        {
            "profile_id": own,
            "target_ids": [one],
            "overrides": {"block": [4096], "repeats": 7},
            "criteria": [extra],
        },
    )
    made = appliance.operator.post(f"/campaigns/{first['id']}/profile", {"name": "As it ran"})
    assert made.status_code == 201, made.text
    saved = made.json()
    assert (saved["name"], saved["version"], saved["builtin"]) == ("As it ran", 1, False)
    assert saved["body"]["watch_ms"] == 120_000
    assert saved["body"]["criteria"] == [DURABLE, extra]
    assert [test["block"] for test in saved["body"]["tests"]] == [[4096], [4096]]
    assert [test["repeats"] for test in saved["body"]["tests"]] == [7, 7]
    second = launched(appliance, {"profile_id": saved["id"], "target_ids": [one]})
    assert seats(second) == seats(first)
    taken = appliance.operator.post(f"/campaigns/{first['id']}/profile", {"name": "As it ran"})
    assert taken.status_code == 409


@on_sqlite
def test_a_run_is_saved_with_its_own_test_and_criteria(appliance: Appliance) -> None:
    (one,) = targets(appliance, 1)
    own = profile(appliance, WRITE, READ, criteria=[DURABLE])
    first = launched(appliance, {"profile_id": own, "target_ids": [one]})
    names = {}
    for run in first["runs"]:
        made = appliance.operator.post(
            f"/campaigns/{first['id']}/profile", {"name": run["title"], "run_id": run["id"]}
        ).json()
        names[run["title"]] = (
            [test["title"] for test in made["body"]["tests"]],
            made["body"]["criteria"],
        )
    assert names == {"Write": (["Write"], [DURABLE]), "Read": (["Read"], [])}
