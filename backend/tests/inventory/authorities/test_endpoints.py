"""Host authorities: patterns, revoked keys, and hosts that are trusted by them."""

from typing import Any

import asyncssh
import pytest
from testing.api import Appliance, fields, on_sqlite, problem

CA = asyncssh.generate_private_key("ssh-ed25519")
LINE = CA.export_public_key().decode().strip()


def body(**more: Any) -> dict[str, Any]:
    return {"name": "fleet", "public_key": LINE, "patterns": ["*.example", "!old.example"], **more}


def test_an_authority_is_stored_changed_and_deleted(appliance: Appliance) -> None:
    made = appliance.admin.post("/host-authorities", body())
    assert made.status_code == 201, made.text
    shown = made.json()
    assert (shown["public_key"], shown["fingerprint"]) == (LINE, CA.get_fingerprint())
    path = f"/host-authorities/{shown['id']}"
    assert made.headers["location"] == f"/api/v1{path}"
    assert appliance.viewer.get(path).json() == shown
    assert appliance.viewer.get("/host-authorities").json()["items"] == [shown]
    changed = appliance.admin.patch(path, {"patterns": ["10.0.0.*"]}, if_match=shown["etag"])
    assert changed.json()["patterns"] == ["10.0.0.*"]
    stale = appliance.admin.patch(path, {"name": "other"}, if_match=shown["etag"])
    found = problem(stale, 412, "precondition_failed")
    assert found["changed_by"], "the audit log has it"
    assert appliance.admin.delete(path).status_code == 204
    problem(appliance.admin.get(path), 404, "not_found")


def test_names_are_unique(appliance: Appliance) -> None:
    first = appliance.admin.post("/host-authorities", body()).json()
    found = problem(appliance.admin.post("/host-authorities", body()), 409, "name_taken")
    assert found["existing_id"] == first["id"]


@on_sqlite
@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"public_key": "garbage"}, "public_key"),
        ({"public_key": CA.export_private_key().decode()}, "public_key"),
        ({"patterns": []}, "patterns"),
        ({"patterns": "*.example"}, "patterns"),
        ({"patterns": ["a b"]}, "patterns.0"),
        ({"patterns": ["ok", "a,b"]}, "patterns.1"),
        ({"patterns": ["x" * 256]}, "patterns.0"),
        ({"patterns": ["x"] * 101}, "patterns"),
        ({"revoked_keys": ["garbage"]}, "revoked_keys.0"),
        ({"revoked_keys": [LINE] * 1001}, "revoked_keys"),
        ({"name": " "}, "name"),
        ({"pattern": ["x"]}, "pattern"),
    ],
)
def test_a_mistake_is_named(appliance: Appliance, change: dict[str, Any], field: str) -> None:
    answer = appliance.admin.post("/host-authorities", body(**change))
    assert fields(problem(answer, 422, "invalid")) == [field]


@on_sqlite
@pytest.mark.parametrize("field", ["name", "patterns", "revoked_keys"])
def test_null_is_no_value(appliance: Appliance, field: str) -> None:
    made = appliance.admin.post("/host-authorities", body()).json()
    answer = appliance.admin.patch(f"/host-authorities/{made['id']}", {field: None})
    assert fields(problem(answer, 422, "invalid")) == [field]


def test_a_matching_host_shows_its_authority_until_a_key_is_approved(appliance: Appliance) -> None:
    appliance.admin.post("/host-authorities", body())
    credential = appliance.credential()
    for name, trusted in (("web-1.example", "fleet"), ("old.example", None), ("10.0.0.7", None)):
        host = {"name": name, "address": name, "user": "assay", "credential_id": credential}
        made = appliance.operator.post("/hosts", host)
        assert made.json()["host_authority"] == trusted, name
    approved = appliance.host(
        "approved", connection="ssh", address="web-2.example", approved_key=LINE
    )
    assert appliance.viewer.get(f"/hosts/{approved}").json()["host_authority"] is None


def test_targets_need_no_known_key_where_an_authority_is_trusted(appliance: Appliance) -> None:
    appliance.admin.post("/host-authorities", body())
    host = {"name": "web-1", "user": "assay", "credential_id": appliance.credential()}
    targets = [{"path": "/mnt/a"}]
    made = appliance.operator.post(
        "/hosts", {**host, "address": "web-1.example", "targets": targets}
    )
    assert made.status_code == 202
    refused = appliance.operator.post(
        "/hosts", {**host, "name": "web-2", "address": "old.example", "targets": targets}
    )
    assert fields(problem(refused, 422, "invalid")) == ["fingerprint"]
