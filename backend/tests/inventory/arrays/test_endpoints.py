"""Arrays."""

from assay.tables.database import now, writing
from assay.tables.runs import Run
from sqlalchemy import update
from testing.api import Appliance, fields, problem

VAULT = {
    "name": "vault 'x' $(id)",
    "vendor": "Acme",
    "model": "S24",
    "serial": "AC-1",
    "firmware": "7.1",
    "raid": "RAID 6, 10+2",
    "cache_bytes": 64_000_000_000,
    "shared": True,
}


def test_an_array_is_added_changed_and_deleted(appliance: Appliance) -> None:
    made = appliance.operator.post("/arrays", VAULT).json()
    none = {"targets": 0, "labels": {}, "reference": None, "managed_by": None}
    none["etag"] = made["etag"]
    assert made == {"id": made["id"], **VAULT, **none}
    path = f"/arrays/{made['id']}"
    changed = appliance.operator.patch(path, {"firmware": "7.2", "cache_bytes": None}).json()
    assert changed == {
        **made,
        "firmware": "7.2",
        "cache_bytes": None,
        "etag": changed["etag"],
    }
    assert appliance.operator.patch(path, {"shared": False}).json()["shared"] is False
    for field in ("name", "shared"):
        answer = appliance.operator.patch(path, {field: None})
        assert fields(problem(answer, 422, "invalid")) == [field]
    assert appliance.operator.delete(path).status_code == 204
    problem(appliance.operator.patch(path, {"firmware": "8"}), 404, "not_found")


def test_an_array_is_not_shared_unless_it_is_declared(appliance: Appliance) -> None:
    assert appliance.operator.post("/arrays", {"name": "shelf"}).json()["shared"] is False


def test_names_are_unique(appliance: Appliance) -> None:
    appliance.operator.post("/arrays", VAULT)
    document = problem(appliance.operator.post("/arrays", VAULT), 409, "name_taken")
    assert fields(document) == ["name"]


def test_an_array_with_targets_cannot_be_deleted(appliance: Appliance) -> None:
    array = appliance.operator.post("/arrays", VAULT).json()["id"]
    target = appliance.target(appliance.host())
    changed = appliance.operator.patch(f"/targets/{target}", {"array_id": array}).json()
    assert changed["array"]["name"] == VAULT["name"]
    assert appliance.viewer.get("/arrays").json()["items"][0]["targets"] == 1
    document = problem(appliance.operator.delete(f"/arrays/{array}"), 409, "array_in_use")
    assert "web-1:/mnt/a" in document["detail"]


def test_an_array_with_only_deleted_targets_can_be_deleted_and_results_stay(
    appliance: Appliance,
) -> None:
    array = appliance.operator.post("/arrays", VAULT).json()["id"]
    target = appliance.target(appliance.host())
    appliance.operator.patch(f"/targets/{target}", {"array_id": array})
    plan = {"profile_id": appliance.profile(), "target_ids": [target]}
    campaign = appliance.operator.post("/campaigns", plan).json()["id"]
    with writing() as session:
        session.execute(update(Run).values(state="done", ended_at=now()))
    assert appliance.operator.delete(f"/targets/{target}").status_code == 204
    assert appliance.viewer.get("/arrays").json()["items"][0]["targets"] == 0
    assert appliance.operator.delete(f"/arrays/{array}").status_code == 204
    assert appliance.viewer.get(f"/campaigns/{campaign}").json()["runs"][0]["state"] == "done"


def test_sizes_that_overflow_are_rejected(appliance: Appliance) -> None:
    for size in (-1, 2**63, 10**30):
        answer = appliance.operator.post("/arrays", {**VAULT, "cache_bytes": size})
        assert fields(problem(answer, 422, "invalid")) == ["cache_bytes"]


def test_an_array_is_shown_by_its_id(appliance: Appliance) -> None:
    made = appliance.operator.post("/arrays", {"name": "vault"}).json()
    assert appliance.viewer.get(f"/arrays/{made['id']}").json() == made
    problem(appliance.viewer.get("/arrays/99"), 404, "not_found")
