"""Known constraint violations are explained to the client; any other is logged as a defect."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from assay.api.accounts.authentication import CSRF_HEADER
from assay.api.app import PREFIX, app
from assay.api.http import responses
from assay.tables.database import Base
from assay.tables.runs import WorkerSeen
from assay.tables.targets import Target
from assay.tables.transactions import Writing
from sqlalchemy import UniqueConstraint, insert
from testing.api import Appliance, on_both, problem
from testing.furnished import DOCUMENT, Furnished

SCHEMAS = DOCUMENT["components"]["schemas"]
PUBLIC_KEY = SCHEMAS["HostAuthorityIn"]["examples"][0]["public_key"]
TOOL = SCHEMAS["ToolDefinition"]["examples"][0]


@pytest.fixture
def defect() -> Iterator[str]:
    """An endpoint that violates a constraint that no client can violate; its path."""

    def defective(session: Writing) -> None:
        session.execute(insert(WorkerSeen).values(name=None))

    path = f"{PREFIX}/defect"
    app.add_api_route(path, defective, methods=["POST"])
    route = app.router.routes.pop()
    app.router.routes.insert(0, route)
    yield path
    app.router.routes.remove(route)


def test_an_unexpected_error_returns_500_and_is_logged_with_its_request_id(
    appliance: Appliance, defect: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, logger="assay.api.http.responses"):
        answer = appliance.http.post(defect)
    found = problem(answer, 500, "internal")
    (record,) = caplog.records
    assert found["request_id"] in record.getMessage()
    assert found["request_id"] in found["remedy"]
    assert record.exc_info is not None and "IntegrityError" in str(record.exc_info[0])


@on_both
@pytest.mark.parametrize(
    ("check", "path", "body"),
    [
        (
            "inventory.hosts.registration.check_name",
            "/hosts",
            {"name": "web-1", "connection": "local"},
        ),
        ("api.endpoints.arrays._free", "/arrays", {"name": "web-1"}),
        (
            "api.endpoints.authorities._free",
            "/host-authorities",
            {"name": "web-1", "public_key": PUBLIC_KEY, "patterns": ["*.example"]},
        ),
        ("api.endpoints.tools._free", "/tools", TOOL | {"name": "web-1"}),
    ],
)
def test_concurrent_requests_for_one_name_get_field_and_value(
    appliance: Appliance,
    monkeypatch: pytest.MonkeyPatch,
    check: str,
    path: str,
    body: dict[str, Any],
) -> None:
    first = appliance.admin.post(path, body)
    assert first.status_code == 201, first.text
    monkeypatch.setattr(f"assay.{check}", lambda *_: None)  # both have looked
    found = problem(appliance.admin.post(path, body), 409, "name_taken")
    assert found["existing_id"] == first.json()["id"]
    (error,) = found["errors"]
    assert (error["field"], error["value"]) == ("name", "web-1")
    assert error["remedy"] == "Choose another name."


@on_both
def test_a_concurrent_rename_gets_field_and_value(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (
        appliance.operator.post("/arrays", {"name": name}).json() for name in ("a", "b")
    )
    monkeypatch.setattr("assay.api.endpoints.arrays._free", lambda *_: None)
    answer = appliance.operator.patch(f"/arrays/{second['id']}", {"name": first["name"]})
    found = problem(answer, 409, "name_taken")
    assert found["existing_id"] == first["id"]
    (error,) = found["errors"]
    assert (error["field"], error["value"]) == ("name", "a")


def test_every_unique_name_is_explained() -> None:
    named = {
        table.name
        for table in Base.metadata.tables.values()
        for constraint in table.constraints
        if isinstance(constraint, UniqueConstraint) and "name" in constraint.columns
    }
    assert named == {table for table, column in responses.UNIQUE if column == "name"}


@on_both
def test_a_concurrent_view_of_the_same_name_is_explained(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    furnished = Furnished(appliance)
    _, csrf = furnished.log_in("admin")
    monkeypatch.setattr("assay.api.endpoints.views._free", lambda *_: None)
    views, headers = f"{PREFIX}/views", {CSRF_HEADER: csrf}
    body = {"list": "hosts", "name": "Vaults", "search": {"q": "x"}}
    found = problem(appliance.http.post(views, json=body, headers=headers), 409, "name_taken")
    assert found["existing_id"] == furnished.ids["view_id"]
    other = appliance.http.post(views, json=body | {"name": "Others"}, headers=headers).json()
    renamed = appliance.http.patch(
        f"{views}/{other['id']}", json={"name": "Vaults"}, headers=headers
    )
    problem(renamed, 409, "name_taken")


@pytest.mark.parametrize("configured", ["postgresql"], indirect=True)  # SQLite has one writer
def test_an_array_deleted_during_its_assignment_to_a_target_is_named(appliance: Appliance) -> None:
    target = appliance.target(appliance.host())

    def violate(session: Writing) -> None:
        session.get_one(Target, target).array_id = 10**6
        session.flush()

    app.add_api_route(f"{PREFIX}/race", violate, methods=["POST"])
    route = app.router.routes.pop()
    app.router.routes.insert(0, route)
    try:
        (error,) = problem(appliance.http.post(f"{PREFIX}/race"), 409, "conflict")["errors"]
    finally:
        app.router.routes.remove(route)
    assert (error["field"], error["value"]) == ("array_id", 10**6)
    assert error["message"] == "this array has just been deleted"
