"""Jump hosts: chains, cycles, and deletion while in use."""

from typing import Any

import pytest
from testing.api import Appliance, fields, on_both, on_sqlite, problem


def add(appliance: Appliance, name: str, jump: int | None = None, **more: Any) -> int:
    made = appliance.operator.post("/hosts", body(appliance, name, jump_host_id=jump, **more))
    assert made.status_code == 201, made.text
    return made.json()["id"]


def body(appliance: Appliance, name: str, **more: Any) -> dict[str, Any]:
    known = appliance.admin.get("/credentials").json()["items"]
    credential = known[0]["id"] if known else appliance.credential()
    reach = {"address": "10.0.0.7", "user": "assay", "credential_id": credential}
    return {"name": name, **reach, **more}


def test_a_host_shows_its_jump_host(appliance: Appliance) -> None:
    bastion = add(appliance, "Bastion 1")
    made = appliance.operator.post("/hosts", body(appliance, "inner", jump_host="bastion-1"))
    assert made.status_code == 201
    assert made.json()["jump_host_id"] == bastion
    assert made.json()["jump_host"] == {"id": bastion, "name": "Bastion 1"}
    listed = {host["name"]: host for host in appliance.viewer.get("/hosts").json()["items"]}
    assert listed["inner"]["jump_host"]["name"] == "Bastion 1"
    assert listed["Bastion 1"]["jump_host"] is None
    changed = appliance.operator.patch(f"/hosts/{made.json()['id']}", {"jump_host_id": None})
    assert changed.json()["jump_host"] is None
    assert changed.json()["etag"] != made.json()["etag"]


@on_both
def test_a_chain_has_at_most_three_jump_hosts(appliance: Appliance) -> None:
    a = add(appliance, "a")
    b = add(appliance, "b", a)
    c = add(appliance, "c", b)
    d = add(appliance, "d", c)
    refused = appliance.operator.post("/hosts", body(appliance, "e", jump_host_id=d))
    found = problem(refused, 422, "invalid")
    assert fields(found) == ["jump_host_id"]
    assert "chain of 4 jump hosts, and the maximum is 3" in found["detail"]
    first = add(appliance, "first")
    refused = appliance.operator.patch(f"/hosts/{a}", {"jump_host_id": first})
    assert "chain of 4" in problem(refused, 422, "invalid")["detail"], "d follows a"


@on_both
def test_a_cycle_is_rejected_with_its_hosts(appliance: Appliance) -> None:
    a = add(appliance, "a")
    b = add(appliance, "b", a)
    c = add(appliance, "c", b)
    for jump, way in ((c, "'c' → 'b' → 'a'"), (a, "'a'")):
        refused = appliance.operator.patch(f"/hosts/{a}", {"jump_host_id": jump})
        found = problem(refused, 422, "invalid")
        assert fields(found) == ["jump_host_id"]
        assert way in found["detail"]
    assert appliance.viewer.get(f"/hosts/{a}").json()["jump_host"] is None


@pytest.mark.parametrize("wrong", [99, "x", 0])
def test_an_unknown_jump_host_is_rejected(appliance: Appliance, wrong: Any) -> None:
    refused = appliance.operator.post("/hosts", body(appliance, "a", jump_host_id=wrong))
    assert fields(problem(refused, 422, "invalid")) == ["jump_host_id"]


@on_sqlite
def test_a_jump_host_is_given_once_and_is_reached_by_ssh(appliance: Appliance) -> None:
    here = appliance.host("this machine", connection="local")
    a = add(appliance, "a")
    for change, field in (
        ({"jump_host_id": here}, "jump_host_id"),
        ({"jump_host_id": a, "jump_host": "a"}, "jump_host"),
        ({"jump_host": "b"}, "jump_host"),
    ):
        refused = appliance.operator.post("/hosts", body(appliance, "b", **change))
        assert fields(problem(refused, 422, "invalid")) == [field]
    local = {"name": "here", "connection": "local", "jump_host_id": a}
    refused = appliance.admin.post("/hosts", local)
    assert fields(problem(refused, 422, "invalid")) == ["jump_host_id"]
    refused = appliance.admin.patch(f"/hosts/{here}", {"jump_host_id": a})
    assert fields(problem(refused, 422, "invalid")) == ["jump_host_id"]


@on_both
def test_a_jump_host_in_use_is_not_deleted(appliance: Appliance) -> None:
    bastion = add(appliance, "bastion")
    inner = add(appliance, "inner", bastion)
    refused = appliance.operator.delete(f"/hosts/{bastion}")
    found = problem(refused, 409, "jump_host_in_use")
    assert found["hosts"] == [{"id": inner, "name": "inner"}]
    assert "'inner'" in found["detail"]
    assert appliance.operator.delete(f"/hosts/{inner}").status_code == 204
    assert appliance.operator.delete(f"/hosts/{bastion}").status_code == 204
