"""Known constraint violations are explained to the client; any other is logged as a defect."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from assay.app import PREFIX, app
from assay.http.transactions import Writing
from assay.runs.models import WorkerSeen
from assay.targets.models import Target
from sqlalchemy import insert
from testing.api import Appliance, on_both, problem


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
    with caplog.at_level(logging.ERROR, logger="assay.http.responses"):
        answer = appliance.http.post(defect)
    found = problem(answer, 500, "internal")
    (record,) = caplog.records
    assert found["request_id"] in record.getMessage()
    assert found["request_id"] in found["detail"]
    assert record.exc_info is not None and "IntegrityError" in str(record.exc_info[0])


@on_both
@pytest.mark.parametrize(
    ("check", "path", "body"),
    [
        ("hosts.registration.check_name", "/hosts", {"name": "web-1", "connection": "local"}),
        ("arrays.endpoints._free", "/arrays", {"name": "web-1"}),
    ],
)
def test_concurrent_requests_for_one_name_get_field_and_value(
    appliance: Appliance,
    monkeypatch: pytest.MonkeyPatch,
    check: str,
    path: str,
    body: dict[str, Any],
) -> None:
    assert appliance.operator.post(path, body).status_code == 201
    monkeypatch.setattr(f"assay.{check}", lambda *_: None)  # both have looked
    found = problem(appliance.operator.post(path, body), 409, "name_taken")
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
    monkeypatch.setattr("assay.arrays.endpoints._free", lambda *_: None)
    answer = appliance.operator.patch(f"/arrays/{second['id']}", {"name": first["name"]})
    (error,) = problem(answer, 409, "name_taken")["errors"]
    assert (error["field"], error["value"]) == ("name", "a")


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
