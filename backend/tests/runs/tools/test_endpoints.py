"""Tools over the API: who may define commands, the audit log, and checks of hosts."""

from typing import Any

import pytest
from assay.kinds.programs import EXAMPLE
from testing.api import Appliance, fields, problem

BODY: dict[str, Any] = dict(EXAMPLE)


def created(appliance: Appliance, **changed: Any) -> dict[str, Any]:
    answer = appliance.admin.post("/tools", BODY | changed)
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_the_built_in_tools_are_listed_with_their_commands(appliance: Appliance) -> None:
    found = appliance.viewer.get("/tools").json()["items"]
    names = {one["definition"]["name"] for one in found if one["builtin"]}
    assert {"rsync-ssh", "rsync-daemon", "scp", "sftp", "cat-over-ssh", "iperf3"} <= names
    assert {"fdt", "kafka", "rsyslog", "fluentd"} <= names


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_only_an_administrator_defines_commands(appliance: Appliance, role: str) -> None:
    tool = created(appliance)
    client = getattr(appliance, role)
    problem(client.post("/tools", BODY | {"name": "mine"}), 403, "not_allowed")
    problem(client.put(f"/tools/{tool['id']}", BODY), 403, "not_allowed")
    problem(client.delete(f"/tools/{tool['id']}"), 403, "not_allowed")
    assert client.get(f"/tools/{tool['id']}").json() == tool


def test_a_change_is_in_the_audit_log_with_the_commands(appliance: Appliance) -> None:
    tool = created(appliance)
    body = BODY | {"source_command": "true"}
    assert appliance.admin.put(f"/tools/{tool['id']}", body).status_code == 200
    assert appliance.admin.delete(f"/tools/{tool['id']}").status_code == 204
    entries = {one["action"]: one for one in appliance.audit()}
    assert entries["tool.created"]["detail"]["source_command"] == BODY["source_command"]
    assert entries["tool.changed"]["detail"]["source_command"] == "true"
    assert entries["tool.deleted"]["object"] == f"tool {tool['id']} {BODY['name']}"


def test_a_built_in_tool_cannot_be_changed(appliance: Appliance) -> None:
    (first, *_) = appliance.viewer.get("/tools").json()["items"]
    body = first["definition"] | {"source_command": "true"}
    problem(appliance.admin.put(f"/tools/{first['id']}", body), 409, "builtin_tool")
    problem(appliance.admin.delete(f"/tools/{first['id']}"), 409, "builtin_tool")


def test_names_are_unique(appliance: Appliance) -> None:
    created(appliance)
    problem(appliance.admin.post("/tools", BODY), 409, "name_taken")


def test_an_unknown_placeholder_is_an_error_that_names_it(appliance: Appliance) -> None:
    answer = appliance.admin.post("/tools", BODY | {"source_command": "cp {nowhere} x"})
    document = problem(answer, 422, "invalid")
    assert fields(document) == ["source_command"]
    assert "{nowhere}" in document["errors"][0]["message"]


def test_a_check_of_two_hosts_reports_each(appliance: Appliance) -> None:
    tool = created(appliance)
    body = {"source_host_id": appliance.host("one"), "sink_host_id": appliance.host("other")}
    found = appliance.operator.post(f"/tools/{tool['id']}/check", body).json()
    assert {found[side]["state"] for side in ("source", "sink")} == {"queued"}
    assert found["source"]["needs"] == BODY["needs_at_source"]
    problem(appliance.viewer.post(f"/tools/{tool['id']}/check", body), 403, "not_allowed")
    body["sink_host_id"] = 10**6
    problem(appliance.operator.post(f"/tools/{tool['id']}/check", body), 404, "not_found")
