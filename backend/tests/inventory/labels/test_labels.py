"""Labels and external references: limits, replacement, freezing at the launch, filters."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from assay.inventory.labels import put_labels
from assay.runs.scheduling import capacity
from assay.tables.database import reading, writing
from assay.tables.labels import CampaignLabel, HostLabel, RunLabel
from httpx import Response
from sqlalchemy import func, insert, select, text
from testing.api import Appliance, fields, on_sqlite, problem
from testing.seeds import seed_run

LABELS = {"rack": "b7", "site/room": "fra = 2", "note": "grün, 'x'"}


@pytest.fixture
def target(appliance: Appliance) -> int:
    with writing() as session:
        capacity.announce(session, "worker:1", 1000)
    return appliance.target(appliance.host())


def _array(appliance: Appliance, **body: Any) -> int:
    return appliance.operator.post("/arrays", {"name": "vault", **body}).json()["id"]


def _launch(appliance: Appliance, target: int, **body: Any) -> dict[str, Any]:
    test = {"kind": "matrix", "operation": "write", "title": "Write", "file_size": 1000}
    test |= {"block": [65536], "threads": [1]}
    plan = {"profile_id": appliance.profile(), "target_ids": [target], "tests": [test], **body}
    answer = appliance.operator.post("/campaigns", plan)
    assert answer.status_code == 201, answer.text
    return answer.json()


def _objects(appliance: Appliance, target: int) -> dict[str, str]:
    """Return the path of an object of each kind, by the path of its list."""
    host = appliance.viewer.get(f"/targets/{target}").json()["host_id"]
    campaign = _launch(appliance, target)["id"]
    return {
        "/hosts": f"/hosts/{host}",
        "/targets": f"/targets/{target}",
        "/arrays": f"/arrays/{_array(appliance)}",
        "/campaigns": f"/campaigns/{campaign}",
    }


def test_labels_and_reference_of_each_object_are_replaced_and_found(
    appliance: Appliance, target: int
) -> None:
    for listed, path in _objects(appliance, target).items():
        before = appliance.viewer.get(path).json()
        assert (before["labels"], before["reference"]) == ({}, None), path
        body = {"labels": LABELS, "reference": " CHG-3310 "}
        changed = appliance.operator.patch(path, body).json()
        assert (changed["labels"], changed["reference"]) == (LABELS, "CHG-3310"), path
        assert list(changed["labels"]) == sorted(LABELS)
        assert appliance.viewer.get(path).json() == changed
        other = appliance.operator.patch(path, {"name": "other"}).json()
        assert other["labels"] == LABELS, "an omitted field is unchanged"
        for query in (["rack=b7"], ["rack"], ["rack", "site/room=fra = 2"]):
            found = appliance.viewer.get(listed, label=query).json()["items"]
            assert [one["id"] for one in found] == [changed["id"]], (listed, query)
        for query in (["rack=b8"], ["row"], ["rack=b7", "rack=b8"], ["rack=B7"]):
            assert appliance.viewer.get(listed, label=query).json()["items"] == [], query
        replaced = appliance.operator.patch(path, {"labels": {"rack": "b8"}, "reference": None})
        assert replaced.json()["labels"] == {"rack": "b8"}
        assert replaced.json()["reference"] is None
        assert appliance.operator.patch(path, {"labels": {}}).json()["labels"] == {}


def test_labels_can_be_given_at_creation(appliance: Appliance, target: int) -> None:
    given = {"labels": LABELS, "reference": "PO-7"}
    host = appliance.admin.post("/hosts", {"name": "here", "connection": "local", **given})
    array = appliance.operator.post("/arrays", {"name": "vault", **given})
    for answer in (host, array):
        assert (answer.json()["labels"], answer.json()["reference"]) == (LABELS, "PO-7")
    campaign = _launch(appliance, target, **given)
    assert (campaign["labels"], campaign["reference"]) == (LABELS, "PO-7")
    assert "labels" not in campaign["parameters"]


Bad = tuple[Any, str]
BAD: dict[str, Bad] = {
    "a list": ([1], "must be a JSON object"),
    "null": (None, "must be a JSON object"),
    "text": ("rack=b7", "must be a JSON object"),
    "10,000 labels": ({f"k{n}": "v" for n in range(10_000)}, "10000 labels"),
    "33 labels": ({f"k{n}": "v" for n in range(33)}, "33 labels, but the maximum is 32"),
    "10,000 values": ({"rack": [str(n) for n in range(10_000)]}, "value of 'rack' must be text"),
    "a number": ({"rack": 7}, "value of 'rack' must be text"),
    "an empty value": ({"rack": ""}, "value of 'rack' must not be empty"),
    "a blank value": ({"rack": " "}, "value of 'rack' must not be empty"),
    "a long value": ({"rack": "x" * 201}, "200 or fewer characters"),
    "a line break": ({"rack": "a\nb"}, "line breaks"),
    "a NUL": ({"rack": "a\x00b"}, "control characters"),
    "an empty key": ({"": "x"}, "key ''"),
    "a space in a key": ({"a b": "x"}, "key 'a b' may contain only"),
    "an equals sign in a key": ({"a=b": "x"}, "key 'a=b' may contain only"),
    "a final dot in a key": ({"a.": "x"}, "key 'a.' may contain only"),
    "a long key": ({"k" * 64: "x"}, "63 or fewer characters"),
}


@on_sqlite
def test_bad_labels_are_rejected_with_the_reason(appliance: Appliance, target: int) -> None:
    path = f"/targets/{target}"
    for name, (labels, reason) in BAD.items():
        refused = problem(appliance.operator.patch(path, {"labels": labels}), 422, "invalid")
        assert fields(refused) == ["labels"], name
        assert reason in refused["detail"], name
        assert len(refused["detail"]) < 500, name
    assert appliance.viewer.get(path).json()["labels"] == {}


@on_sqlite
def test_a_bad_reference_is_rejected(appliance: Appliance, target: int) -> None:
    for reference in ("", " ", "x" * 201, "a\nb", "a\x00b", 7, ["x"]):
        answer = appliance.operator.patch(f"/targets/{target}", {"reference": reference})
        assert fields(problem(answer, 422, "invalid")) == ["reference"], reference


@on_sqlite
def test_a_filter_that_no_label_can_match_is_rejected(appliance: Appliance) -> None:
    for label in ("", "=b7", "a b=c", "rack=", "x" * 64, "rack=" + "x" * 201):
        for path in ("/hosts", "/targets", "/arrays", "/campaigns", "/runs"):
            refused = problem(appliance.viewer.get(path, label=label), 422, "invalid")
            assert fields(refused) == ["label"], (path, label)
            key = label.partition("=")[0] if label.startswith("rack") else "rack"
            expected = f"Write {key}=b7, or {key} alone for any value."
            assert refused["errors"][0]["remedy"] == expected


def test_the_largest_labels_are_stored(appliance: Appliance, target: int) -> None:
    labels = {f"{n:02}" + "k" * 61: "\u6f22" * 200 for n in range(32)}
    path = f"/targets/{target}"
    assert appliance.operator.patch(path, {"labels": labels}).json()["labels"] == labels


def test_a_run_keeps_the_labels_of_its_launch(appliance: Appliance, target: int) -> None:
    host = f"/hosts/{appliance.viewer.get(f'/targets/{target}').json()['host_id']}"
    array = _array(appliance, labels={"tier": "gold"}, reference="PO-7")
    appliance.operator.patch(host, {"labels": {"rack": "b7"}, "reference": "CMDB-1"})
    appliance.operator.patch(f"/targets/{target}", {"labels": {"rack": "a1"}, "array_id": array})
    campaign = _launch(appliance, target)
    run = campaign["runs"][0]["id"]
    appliance.operator.patch(host, {"labels": {"rack": "moved"}, "reference": None})
    appliance.operator.patch(f"/targets/{target}", {"labels": {}, "array_id": None})
    assert appliance.operator.delete(f"/arrays/{array}").status_code == 204
    (participant,) = appliance.viewer.get(f"/runs/{run}").json()["participants"]
    assert participant["labels"] == {
        "host": {"rack": "b7"},
        "target": {"rack": "a1"},
        "array": {"tier": "gold"},
    }
    assert participant["references"] == {"host": "CMDB-1", "array": "PO-7"}
    for label, found in (
        ("rack=b7", [run]),
        ("rack=a1", [run]),
        ("tier=gold", [run]),
        ("rack=moved", []),
    ):
        runs = appliance.viewer.get("/runs", label=label).json()["items"]
        assert [one["id"] for one in runs] == found, label
        campaigns = appliance.viewer.get("/campaigns", label=label).json()["items"]
        assert [one["id"] for one in campaigns] == ([campaign["id"]] if found else []), label


def test_a_run_is_found_by_the_labels_of_its_campaign(appliance: Appliance, target: int) -> None:
    plan = {"profile_id": appliance.profile(), "target_ids": [target]}
    made = appliance.operator.post("/campaigns", plan | {"labels": {"change": "firmware"}}).json()
    for label, found in (("change=firmware", 1), ("change", 1), ("change=disks", 0)):
        runs = appliance.viewer.get("/runs", label=label).json()["items"]
        assert [run["campaign_id"] for run in runs] == [made["id"]] * found


def test_a_target_that_is_registered_again_has_only_its_new_labels(
    appliance: Appliance, target: int
) -> None:
    appliance.operator.patch(f"/targets/{target}", {"labels": {"rack": "b7"}, "reference": "X"})
    host = appliance.viewer.get(f"/targets/{target}").json()["host_id"]
    campaign = _launch(appliance, target)["id"]
    appliance.operator.delete(f"/campaigns/{campaign}?cancel=true")
    with writing() as session:
        session.execute(text("UPDATE runs SET state = 'cancelled'"))
    assert appliance.operator.delete(f"/targets/{target}").status_code == 204
    assert appliance.target(host) == target
    again = appliance.viewer.get(f"/targets/{target}").json()
    assert (again["labels"], again["reference"]) == ({}, None)


def test_concurrent_changes_leave_one_set_of_labels(appliance: Appliance, target: int) -> None:
    paths = _objects(appliance, target).values()

    def change(path: str, value: int) -> Response:
        labels = {key: str(value) for key in ("a", "b", "c")}
        return appliance.operator.patch(path, {"labels": labels})

    for path in paths:
        tasks: list[Callable[[], Response]] = [lambda v=v, p=path: change(p, v) for v in range(8)]
        with ThreadPoolExecutor(4) as people:
            answers = list(people.map(lambda task: task(), tasks))
        assert {answer.status_code for answer in answers} == {200}
        labels = appliance.viewer.get(path).json()["labels"]
        assert len(labels) == 3
        assert len(set(labels.values())) == 1


def test_a_key_with_10000_values_is_looked_up_in_the_index(appliance: Appliance) -> None:
    with writing() as session:
        run, _, _ = seed_run(session)
        campaign_id, run_id = run.campaign_id, run.id
        rows = [{"owner_id": run_id, "key": "k", "value": str(n)} for n in range(10_000)]
        session.execute(insert(RunLabel), rows)
        put_labels(session, CampaignLabel, campaign_id, {"other": "x"})
    with writing() as session:
        session.execute(text("ANALYZE"))
    for value, found in (("7777", [campaign_id]), ("10000", [])):
        answer = appliance.viewer.get("/campaigns", label=f"k={value}").json()["items"]
        assert [one["id"] for one in answer] == found
    wanted = select(RunLabel.owner_id).where(RunLabel.key == "k", RunLabel.value == "7777")
    with reading() as session:
        compiled = wanted.compile(session.connection(), compile_kwargs={"literal_binds": True})
        explain = (
            "EXPLAIN" if session.get_bind().dialect.name == "postgresql" else "EXPLAIN QUERY PLAN"
        )
        plan = " ".join(str(row) for row in session.execute(text(f"{explain} {compiled}")))
    assert "ix_run_labels_key_value" in plan


def test_labels_are_deleted_with_their_object(appliance: Appliance) -> None:
    host = appliance.host()
    appliance.operator.patch(f"/hosts/{host}", {"labels": LABELS})
    assert appliance.operator.delete(f"/hosts/{host}").status_code == 204
    with reading() as session:
        assert session.scalars(select(func.count()).select_from(HostLabel)).one() == 0


def test_labels_are_in_the_audit_log(appliance: Appliance, target: int) -> None:
    appliance.operator.patch(f"/targets/{target}", {"labels": {"rack": "b7"}})
    newest = appliance.audit()[0]
    assert newest["action"] == "target.changed"
    assert newest["detail"] == {"labels": {"rack": "b7"}}
