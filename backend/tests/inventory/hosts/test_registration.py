"""Registration of a host in one call, up to its first check."""

from typing import Any

import asyncssh
import pytest
from assay.tables.database import reading
from assay.tables.hosts import Check
from sqlalchemy import select
from testing.api import Appliance, fields, on_sqlite, problem

KEY = asyncssh.generate_private_key("ssh-ed25519")
FINGERPRINT = KEY.get_fingerprint()
MISMATCH = {
    "code": "host_key_mismatch",
    "title": "The host shows another key than the given one",
    "detail": "10.0.0.7 port 22 shows SHA256:other",
    "remedy": "Verify the fingerprint.",
}
AWAY = {"code": "timeout", "title": "The host does not respond", "detail": "…", "remedy": "…"}
INLINE = {"name": "made along", "kind": "generated"}


@pytest.fixture
def body(appliance: Appliance) -> dict[str, Any]:
    return {
        "name": "web-1",
        "address": "10.0.0.7",
        "user": "assay",
        "credential_id": appliance.credential(),
        "fingerprint": FINGERPRINT,
    }


def names(appliance: Appliance, path: str) -> list[str]:
    return [one["name"] for one in appliance.admin.get(path).json()["items"]]


def test_a_known_key_is_kept_for_the_first_check_without_a_contact(
    appliance: Appliance, body: dict[str, Any]
) -> None:
    made = appliance.operator.post("/hosts", body)
    assert made.status_code == 201
    host = made.json()
    assert host["expected_keys"] == [{"type": None, "fingerprint": FINGERPRINT}]
    assert (host["state"], host["host_key"], host["check"]) == ("new", None, None)
    entry = next(one for one in appliance.audit() if one["action"] == "host.created")
    assert entry["detail"]["expected_keys"] == host["expected_keys"]


def test_the_response_waits_for_the_first_check(appliance: Appliance, body: dict[str, Any]) -> None:
    with appliance.answering({}, state="ready"):
        made = appliance.operator.post("/hosts?wait=20", body)
    assert made.status_code == 201
    assert made.headers["location"] == f"/api/v1/hosts/{made.json()['id']}"
    assert (made.json()["state"], made.json()["check"]["state"]) == ("ready", "ok")


def test_a_check_that_has_not_ended_is_202_with_the_place_to_look(
    appliance: Appliance, body: dict[str, Any]
) -> None:
    made = appliance.operator.post("/hosts?wait=0.05", body)
    assert made.status_code == 202
    assert made.headers["location"] == f"/api/v1/hosts/{made.json()['id']}"
    assert made.json()["check"]["state"] == "queued"


def test_targets_start_the_first_check(appliance: Appliance, body: dict[str, Any]) -> None:
    array = appliance.operator.post("/arrays", {"name": "vault"}).json()["id"]
    target = {"path": "/mnt/a", "array": "vault", "labels": {"rack": "b7"}}
    made = appliance.operator.post("/hosts", body | {"targets": [target]})
    assert made.status_code == 202
    with reading() as session:
        request = session.scalars(select(Check)).one().request
    (wanted,) = request["targets"]
    assert (wanted["host_id"], wanted["array_id"]) == (made.json()["id"], array)
    assert (wanted["path"], wanted["labels"]) == ("/mnt/a", {"rack": "b7"})


def test_an_unreachable_host_without_targets_stays(
    appliance: Appliance, body: dict[str, Any]
) -> None:
    with appliance.answering(error=AWAY, state="unreachable"):
        made = appliance.operator.post("/hosts?wait=20", body)
    assert (made.status_code, made.json()["state"]) == (201, "unreachable")
    assert made.json()["check"]["error"]["code"] == "timeout"


def test_after_a_mismatch_nothing_stays(appliance: Appliance, body: dict[str, Any]) -> None:
    del body["credential_id"]
    with appliance.answering(error=MISMATCH, state="key_unapproved"):
        refused = appliance.admin.post("/hosts?wait=20", body | {"new_credential": INLINE})
    found = problem(refused, 422, "host_key_mismatch")
    assert fields(found) == ["fingerprint"]
    assert "SHA256:other" in found["detail"]
    assert names(appliance, "/hosts") == []
    assert "made along" not in names(appliance, "/credentials")
    again = appliance.admin.post("/hosts", body | {"new_credential": INLINE})
    assert again.status_code == 201


def test_with_targets_an_unreachable_host_does_not_stay(
    appliance: Appliance, body: dict[str, Any]
) -> None:
    with appliance.answering(error=AWAY, state="unreachable"):
        refused = appliance.operator.post(
            "/hosts?wait=20", body | {"targets": [{"path": "/mnt/a"}]}
        )
    assert fields(problem(refused, 422, "timeout")) == ["address"]
    assert names(appliance, "/hosts") == []


def test_a_repeated_request_gets_the_same_response(
    appliance: Appliance, body: dict[str, Any]
) -> None:
    with appliance.answering({}, state="ready"):
        first, second = (appliance.operator.post("/hosts?wait=20", body, "one") for _ in "12")
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert names(appliance, "/hosts") == ["web-1"]


def test_only_an_administrator_creates_a_credential_along_with_a_host(
    appliance: Appliance, body: dict[str, Any]
) -> None:
    del body["credential_id"]
    problem(
        appliance.operator.post("/hosts", body | {"new_credential": INLINE}), 403, "not_allowed"
    )
    made = appliance.admin.post("/hosts", body | {"new_credential": INLINE})
    assert made.status_code == 201
    shown = appliance.admin.get(f"/credentials/{made.json()['credential_id']}").json()
    assert shown["name"] == "made along"
    assert shown["public_key"]


@on_sqlite
@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"fingerprint": "SHA256:short"}, "fingerprint"),
        ({"fingerprint": 7}, "fingerprint"),
        ({"known_hosts": "10.0.0.7 ssh-ed25519 AAAA"}, "known_hosts"),
        ({"fingerprint": None, "known_hosts": "other ssh-ed25519 AAAA"}, "known_hosts"),
        ({"fingerprint": None, "known_hosts": "x" * 500_001}, "known_hosts"),
        ({"fingerprint": None, "targets": [{"path": "/mnt/a"}]}, "fingerprint"),
        ({"targets": [{"path": "mnt"}]}, "targets.0.path"),
        ({"targets": [{"path": "/a"}, {"path": "/b"}, {"path": "/a/"}]}, "targets.2.path"),
        ({"targets": [{"path": "/a", "arrays": "x"}]}, "targets.0.arrays"),
        ({"targets": [{"path": "/a", "array": "x"}]}, "targets.0.array"),
        ({"targets": [{"path": "/a", "array_id": 99}]}, "targets.0.array_id"),
        ({"targets": [{"path": f"/{n}"} for n in range(51)]}, "targets"),
        ({"targets": [{"path": "/a", "host_id": 1}]}, "targets.0.host_id"),
        ({"credential": "lab key"}, "credential"),
        ({"new_credential": INLINE}, "new_credential"),
        (
            {"credential_id": None, "new_credential": {"name": "x", "kind": "password"}},
            "new_credential.password",
        ),
        (
            {"credential_id": None, "new_credential": {**INLINE, "secret": "x"}},
            "new_credential.secret",
        ),
        ({"connection": "local"}, "fingerprint"),
    ],
)
def test_a_mistake_is_named_and_nothing_is_created(
    appliance: Appliance, body: dict[str, Any], change: dict[str, Any], field: str
) -> None:
    refused = appliance.admin.post("/hosts?wait=1", body | change)
    assert fields(problem(refused, 422, "invalid")) == [field]
    assert names(appliance, "/hosts") == []
    assert names(appliance, "/credentials") == ["lab key"]


def test_a_taken_name_of_a_new_credential_is_named(
    appliance: Appliance, body: dict[str, Any]
) -> None:
    del body["credential_id"]
    taken = {"new_credential": {**INLINE, "name": "lab key"}}
    found = problem(appliance.admin.post("/hosts", body | taken), 409, "name_taken")
    assert fields(found) == ["new_credential.name"]
    assert found["existing_id"]


@on_sqlite
@pytest.mark.parametrize("wait", ["-1", "46", "nan", "soon"])
def test_a_wait_out_of_range_is_rejected(
    appliance: Appliance, body: dict[str, Any], wait: str
) -> None:
    refused = appliance.operator.post(f"/hosts?wait={wait}", body)
    assert fields(problem(refused, 422, "invalid")) == ["wait"]
