"""Profiles, hosts, targets, arrays and credentials are named in bodies instead of by id."""

from typing import Any

import pytest
from assay.base.errors import Invalid
from assay.base.names import Known, slug
from testing.api import FOUND, Appliance, fields, problem


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Web 1", "web-1"), ("Größe – A/B", "groe-a-b"), ("日本", ""), (" x ", "x")],
)
def test_a_slug_has_letters_and_digits_only(name: str, expected: str) -> None:
    assert slug(name) == expected


KNOWN = Known(
    "host", "hosts", {1: ("Web 1", "web-1"), 2: ("web 1", "web-1"), 3: ("web-1", "web-1")}
)


def test_a_name_of_its_own_comes_before_a_slug() -> None:
    assert KNOWN.find("host", "web-1") == 3
    assert KNOWN.find("host", "Web 1") == 1


def test_a_slug_of_several_names_is_ambiguous() -> None:
    known = Known("host", "hosts", {1: ("Web 1", "web-1"), 2: ("WEB 1", "web-1")})
    with pytest.raises(Invalid) as refused:
        known.find("host", "web-1")
    (error,) = refused.value.errors
    assert error.message == "means several hosts: Web 1 (1), WEB 1 (2)"
    assert error.remedy == "Give the id instead."


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(Invalid) as refused:
        KNOWN.find("host", "wep-1")
    (error,) = refused.value.errors
    assert "`web-1`" in str(error.remedy)
    with pytest.raises(Invalid) as refused:
        Known("host", "hosts", {}).find("host", "a")
    assert refused.value.errors[0].remedy == "GET /api/v1/hosts lists them."
    assert refused.value.errors[0].listed_in == "hosts"


@pytest.mark.parametrize("host", ["Lab 1", "lab-1"])
def test_a_campaign_is_launched_by_names(appliance: Appliance, host: str) -> None:
    target = appliance.target(appliance.host("Lab 1"), "/mnt/disk")
    body = {"profile": "FileCatalyst default write", "targets": [f"{host}/mnt/disk"]}
    launched = appliance.operator.post("/campaigns", body)
    assert launched.status_code == 201, launched.text
    campaign = launched.json()
    assert campaign["profile"]["id"] == appliance.profile()
    assert campaign["parameters"]["target_ids"] == [target]
    assert "targets" not in campaign["parameters"]


def test_a_profile_is_named_by_its_slug(appliance: Appliance) -> None:
    body = {"profile": "filecatalyst-default-write"}
    estimate = appliance.viewer.post("/campaigns/estimate", body).json()
    assert "profile" not in [one["field"] for one in estimate["problems"]]


def test_ends_of_transfers_are_named(appliance: Appliance) -> None:
    one, other = (appliance.host(name) for name in ("Lab 1", "Lab 2"))
    target = appliance.target(one, "/mnt/disk")
    profiles = appliance.viewer.get("/profiles", limit=200).json()["items"]
    moving = next(p for p in profiles if p["body"]["tests"][0]["kind"] == "path")
    test = moving["body"]["tests"][0] | {"legs": ["memory"]}
    body = {
        "profile": moving["name"],
        "tests": [test],
        "sources": [{"target": "Lab 1/mnt/disk"}],
        "sinks": [{"host": "lab-2"}],
    }
    launched = appliance.operator.post("/campaigns", body)
    assert launched.status_code == 201, launched.text
    parameters = launched.json()["parameters"]
    assert parameters["sources"] == [{"target_id": target}]
    assert parameters["sinks"] == [{"host_id": other}]


def test_all_unknown_names_are_answered_at_once(appliance: Appliance) -> None:
    appliance.target(appliance.host("lab1"), "/mnt/disk")
    body = {
        "profile": "FileCatalist default write",
        "targets": ["lab1/mnt/disk", "lab1/mnt/disc"],
        "read_back_target": "lab9/x",
    }
    for path in ("/campaigns", "/campaigns/estimate"):
        found = problem(appliance.operator.post(path, body), 422, "invalid")
        assert fields(found) == ["profile", "targets.1", "read_back_target"]
        near, path_near, _ = (one["remedy"] for one in found["errors"])
        assert "`FileCatalyst default write`" in near
        assert "`lab1/mnt/disk`" in path_near


def test_a_problem_of_a_named_target_has_its_name(appliance: Appliance) -> None:
    host = appliance.host("lab1")
    appliance.target(host, "/mnt/disk")
    twice = {"profile": "FileCatalyst default write", "targets": ["lab1/mnt/disk"] * 2}
    (error,) = problem(appliance.operator.post("/campaigns", twice), 422, "invalid")["errors"]
    assert (error["field"], error["value"]) == ("targets.1", "lab1/mnt/disk")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"profile_id": 1, "profile": "x", "target_ids": [1]}, "profile"),
        ({"target_ids": [1]}, "profile"),
        ({"profile_id": 1, "target_ids": [1], "targets": ["lab1/a"]}, "targets"),
    ],
)
def test_an_object_is_given_by_id_or_by_name(
    appliance: Appliance, body: dict[str, Any], field: str
) -> None:
    found = problem(appliance.operator.post("/campaigns", body), 422, "invalid")
    assert fields(found) == [field]
    assert "by either" in found["detail"]


def test_a_target_is_registered_by_the_names_of_host_and_array(appliance: Appliance) -> None:
    appliance.host("Lab 1")
    array = appliance.operator.post("/arrays", {"name": "vault"}).json()["id"]
    with appliance.answering(FOUND):
        body = {"host": "lab-1", "path": "/mnt/a", "array": "vault"}
        made = appliance.operator.post("/targets", body)
    assert made.status_code == 201, made.text
    assert (made.json()["host_name"], made.json()["array"]["id"]) == ("Lab 1", array)
    other = appliance.operator.post("/arrays", {"name": "attic"}).json()["id"]
    changed = appliance.operator.patch(f"/targets/{made.json()['id']}", {"array": "attic"})
    assert changed.json()["array"]["id"] == other


def test_a_host_is_registered_by_the_name_of_its_credential(appliance: Appliance) -> None:
    credential = appliance.credential("lab key")
    body = {"name": "lab1", "address": "10.0.0.7", "user": "assay", "credential": "lab key"}
    made = appliance.operator.post("/hosts", body)
    assert made.json()["credential_id"] == credential
    found = problem(
        appliance.operator.post("/hosts", body | {"name": "b", "credential": "lab kee"}),
        422,
        "invalid",
    )
    assert (fields(found), found["errors"][0]["remedy"]) == (
        ["credential"],
        "Did you mean `lab key`?",
    )


def test_a_tool_is_checked_between_named_hosts(appliance: Appliance) -> None:
    ids = [appliance.host(name) for name in ("Lab 1", "Lab 2")]
    tool = appliance.viewer.get("/tools").json()["items"][0]["id"]
    body = {"source_host": "lab-1", "sink_host": "Lab 2"}
    checked = appliance.operator.post(f"/tools/{tool}/check", body)
    assert checked.status_code == 200, checked.text
    assert [checked.json()[side]["host_id"] for side in ("source", "sink")] == ids


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/targets", {"host": "Lab 1"}),
        ("/targets", {"host": "lab-1"}),
        ("/targets", {"array": "vault-2"}),
        ("/targets", {"target": "lab-1/mnt/disk"}),
        ("/hosts", {"host": "lab-1"}),
        ("/hosts", {"array": "Vault 2"}),
        ("/arrays", {"host": "lab-1"}),
        ("/arrays", {"array": "vault-2"}),
        ("/profiles", {"profile": "First look"}),
        ("/campaigns", {"host": "lab-1", "profile": "first-look"}),
        ("/campaigns", {"target": "Lab 1/mnt/disk", "profile": "First look"}),
        ("/runs", {"array": "Vault 2"}),
    ],
)
def test_lists_are_filtered_by_names(
    appliance: Appliance, path: str, query: dict[str, str]
) -> None:
    array = appliance.operator.post("/arrays", {"name": "Vault 2"}).json()["id"]
    appliance.operator.post("/arrays", {"name": "other"})
    appliance.target(appliance.host("other"), "/mnt/disk")
    target = appliance.target(appliance.host("Lab 1"), "/mnt/disk")
    appliance.operator.patch(f"/targets/{target}", {"array_id": array})
    for name in ("lab-1", "other"):
        body = {"profile": "First look", "targets": [f"{name}/mnt/disk"]}
        assert appliance.operator.post("/campaigns", body).status_code == 201
    with_id = {
        f"{noun}_id": {"host": 2, "array": array, "target": target}[noun]
        for noun in query
        if noun != "profile"
    }
    found = appliance.viewer.get(path, **query).json()["items"]
    assert len(found) == (2 if path == "/runs" else 1)
    if "profile" not in query:
        assert found == appliance.viewer.get(path, **with_id).json()["items"]


def test_the_digits_of_an_id_are_its_last_name(appliance: Appliance) -> None:
    first, second = appliance.host("web-1"), appliance.host("1")
    assert (first, second) == (1, 2)
    by_name = appliance.viewer.get("/hosts", host="1").json()["items"]
    assert [one["id"] for one in by_name] == [second]
    by_digits = appliance.viewer.get("/hosts", host="2").json()["items"]
    assert [one["id"] for one in by_digits] == [second]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"host": "x" * 2501}, "host"),
        ({"host": "a\x00b"}, "host"),
        ({"host": ""}, "host"),
        ({"host": ["a", "b"]}, "host"),
        ({"host": "9" * 2500}, "host"),
        ({"host": "web-1", "host_id": 1}, "host"),
        ({"array": "web-1"}, "array"),
    ],
)
def test_a_name_that_no_object_can_have_is_rejected(
    appliance: Appliance, query: dict[str, object], field: str
) -> None:
    appliance.host("web-1")
    for path in ("/targets", "/campaigns", "/runs"):
        assert fields(problem(appliance.viewer.get(path, **query), 422, "invalid")) == [field]
