"""What all endpoints have in common: the address of what was created, and documented rules."""

from typing import Any, get_args

import pytest
from assay.api.accounts.authentication import CSRF_HEADER
from assay.api.app import PREFIX, ROUTERS
from assay.api.http.routes import Route
from assay.base.errors import problem_codes
from assay.base.settings import REPOSITORY
from assay.inventory.codes import FailureCode
from testing.api import FOUND, Appliance
from testing.furnished import OPERATIONS, Furnished

CREATING = [name for name, one in OPERATIONS.items() if "201" in one["responses"]]
NEW: dict[str, dict[str, Any]] = {
    "POST /users": {"name": "located"},
    "POST /credentials": {"name": "located"},
    "POST /hosts": {"name": "located"},
    "POST /arrays": {"name": "located"},
    "POST /targets": {"path": "/mnt/located"},
    "POST /profiles": {"name": "located"},
    "POST /profiles/{profile_id}/copy": {"name": "located"},
    "POST /tools": {"name": "located"},
}
"""What makes the documented example differ from what there is."""
NOT_HERE = {"POST /setup", "POST /session", "POST /campaigns/{campaign_id}/waivers"}
"""Logins, which have tests of their own, and what needs a criterion that judged no run."""


@pytest.fixture
def furnished(appliance: Appliance) -> Furnished:
    return Furnished(appliance)


def test_every_router_uses_this_class_of_endpoints() -> None:
    assert {type(route) for router in ROUTERS for route in router.routes} == {Route}


@pytest.mark.parametrize("operation", sorted(set(CREATING) - NOT_HERE))
def test_what_was_created_is_at_its_location(furnished: Furnished, operation: str) -> None:
    cookie, csrf = furnished.log_in("admin")
    furnished.http.cookies.set("assay_session", cookie)
    body = (furnished.body(operation) or {}) | NEW.get(operation, {})
    headers = {CSRF_HEADER: csrf}
    with furnished.appliance.answering(FOUND | {"path": "/mnt/located", "mount": "/mnt/located"}):
        made = furnished.http.post(PREFIX + furnished.path(operation), json=body, headers=headers)
    assert made.status_code == 201, made.text
    found = furnished.http.get(made.headers["Location"])
    assert found.status_code == 200, made.headers["Location"]
    if "id" in made.json():
        assert found.json()["id"] == made.json()["id"]


def test_a_login_is_at_its_location(furnished: Furnished) -> None:
    made = furnished.http.post(
        f"{PREFIX}/session", json={"name": "admin", "password": "battery staple"}
    )
    assert furnished.http.get(made.headers["Location"]).status_code == 200


def test_every_endpoint_that_creates_documents_key_and_location() -> None:
    for operation in CREATING:
        described = OPERATIONS[operation]
        assert "Location" in described["responses"]["201"]["headers"]
        names = {one["name"] for one in described.get("parameters", [])}
        assert ("Idempotency-Key" in names) == (operation not in {"POST /setup", "POST /session"})


def test_every_code_of_a_problem_is_documented() -> None:
    page = (REPOSITORY / "docs/api.md").read_text()
    of_hosts = set(get_args(FailureCode))  # their table is in OpenAPI
    missing = {code for code in problem_codes() if f"`{code}`" not in page}
    assert missing <= of_hosts - {"internal", "does_not_fit", "host_deleting"}
