"""A change with `If-Match` does not overwrite another one."""

from types import ModuleType
from typing import Any

import pytest
from assay.base.etags import matches
from assay.inventory.arrays import schemas as arrays
from assay.inventory.hosts import schemas as hosts
from assay.inventory.targets import schemas as targets
from assay.runs.campaigns import schemas as campaigns
from assay.tables.clock import moment
from assay.tables.database import writing
from assay.tables.hosts import Host
from testing.api import Appliance, problem
from testing.furnished import Furnished

EDITABLE: dict[str, dict[str, Any]] = {
    "hosts/{host_id}": {"name": "renamed"},
    "targets/{target_id}": {"name": "renamed"},
    "arrays/{array_id}": {"firmware": "9.9"},
    "users/{user_id}": {"role": "viewer"},
    "webhooks/{webhook_id}": {"name": "renamed"},
    "campaigns/{campaign_id}": {"labels": {"change": "firmware"}},
}


@pytest.fixture
def furnished(appliance: Appliance) -> Furnished:
    return Furnished(appliance)


@pytest.mark.parametrize("template", EDITABLE)
def test_a_change_of_an_outdated_object_is_rejected(furnished: Furnished, template: str) -> None:
    admin, path = furnished.appliance.admin, f"/{template.format(**furnished.ids)}"
    read = admin.get(path)
    tag = read.headers["ETag"]
    assert tag == read.json()["etag"]
    changed = admin.patch(path, EDITABLE[template], tag)
    assert changed.status_code == 200, changed.text
    assert changed.headers["ETag"] == changed.json()["etag"] != tag
    outdated = admin.patch(path, EDITABLE[template], tag)
    found = problem(outdated, 412, "precondition_failed")
    assert outdated.headers["ETag"] == found["etag"] == changed.json()["etag"]
    assert found["changed_by"] == "token admin"
    assert "token admin changed it" in found["detail"]
    problem(admin.delete(path, tag), 412, "precondition_failed")
    assert admin.get(path).json()["etag"] == found["etag"]


def test_a_tool_and_a_profile_have_tags_as_well(furnished: Furnished) -> None:
    admin = furnished.appliance.admin
    tool = f"/tools/{furnished.ids['tool_id']}"
    read = admin.get(tool).json()
    definition = read["definition"] | {"title": "Another title"}
    assert admin.put(tool, definition, read["etag"]).status_code == 200
    problem(admin.put(tool, definition, read["etag"]), 412, "precondition_failed")
    profile = f"/profiles/{furnished.ids['profile_id']}"
    version = admin.get(profile).json()
    body = {name: version[name] for name in ("name", "description", "body")}
    problem(admin.put(profile, body, '"of another version"'), 412, "precondition_failed")
    newer = admin.put(profile, body, version["etag"])
    assert newer.json()["etag"] != version["etag"]
    found = problem(admin.put(profile, body, version["etag"]), 409, "old_version")
    assert found["existing_id"] == newer.json()["id"]
    assert "token admin saved version 2" in found["detail"]


@pytest.mark.parametrize("schemas", [hosts, targets, arrays, campaigns])
def test_the_tag_covers_every_field_that_a_change_may_have(schemas: ModuleType) -> None:
    noun = schemas.__name__.split(".")[-2].removesuffix("s").capitalize()
    names = set(getattr(schemas, f"{noun}Change").model_fields)
    by_id = {name.removesuffix("_id") for name in names if name.endswith("_id")}
    assert set(schemas.EDITABLE) == names - by_id


def test_without_if_match_the_last_change_wins(appliance: Appliance) -> None:
    path = f"/arrays/{appliance.operator.post('/arrays', {'name': 'vault'}).json()['id']}"
    for firmware in ("7.1", "7.2"):
        assert appliance.operator.patch(path, {"firmware": firmware}).status_code == 200


def test_what_a_worker_observes_does_not_change_the_tag(appliance: Appliance) -> None:
    host = appliance.host()
    tag = appliance.viewer.get(f"/hosts/{host}").json()["etag"]
    with writing() as session:
        row = session.get_one(Host, host)
        row.state, row.last_seen_at = "unreachable", moment()
    assert appliance.viewer.get(f"/hosts/{host}").json()["etag"] == tag
    assert appliance.operator.patch(f"/hosts/{host}", {"name": "b"}, tag).status_code == 200


def test_a_new_password_changes_the_tag_of_a_user(furnished: Furnished) -> None:
    admin, path = furnished.appliance.admin, f"/users/{furnished.ids['user_id']}"
    tag = admin.get(path).json()["etag"]
    assert admin.patch(path, {"password": "correct horse"}).json()["etag"] != tag


@pytest.mark.parametrize(
    ("given", "matched"),
    [
        ('"a"', True),
        ('"b", "a"', True),
        ("*", True),
        ('W/"a"', False),
        ("a", False),
        ('"b"', False),
        ("", False),
    ],
)
def test_if_match_names_tags_as_http_defines_them(given: str, matched: bool) -> None:
    assert matches(given, '"a"') is matched
