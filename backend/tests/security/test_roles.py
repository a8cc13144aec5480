"""Every endpoint × every caller: the permissions, listed once and tested.

The operations come from the OpenAPI document: a new endpoint without an entry in `ACCESS` fails.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from assay.api.accounts.authentication import COOKIE, CSRF_HEADER
from assay.api.app import PREFIX, ROUTERS, app
from assay.api.tokens.queries import issue
from assay.base.identity import ROLES
from assay.tables.accounts import AuditEntry, BrowserSession, User
from assay.tables.all_tables import Base
from assay.tables.database import now, reading, writing
from fastapi.routing import APIRoute
from httpx import Response
from sqlalchemy import func, select, update
from testing.api import FOUND, SETTING_UP, Appliance, Caller, on_sqlite, problem
from testing.furnished import OPERATIONS, Furnished

ANYONE, VIEWER, OPERATOR, ADMIN = "anyone", *ROLES
OWNER = "owner"
"""The user who made it, also by their tokens, and administrators."""
BROWSER = "browser"
"""The user of a session; not of a token."""

ACCESS = {
    "GET /health": ANYONE,
    "POST /setup": ANYONE,  # with the code that the first start printed
    "POST /session": ANYONE,  # with a password
    "GET /session": BROWSER,
    "DELETE /session": BROWSER,
    "GET /overview": VIEWER,
    "GET /users": ADMIN,
    "POST /users": ADMIN,
    "PATCH /users/{user_id}": ADMIN,
    "DELETE /users/{user_id}": ADMIN,
    "GET /users/{user_id}": ADMIN,
    "GET /audit": ADMIN,
    "GET /tokens": VIEWER,
    "POST /tokens": BROWSER,  # with their role or a lower one
    "DELETE /tokens/{token_id}": OWNER,
    "GET /tokens/{token_id}": OWNER,
    "GET /credentials": OPERATOR,  # without their secrets
    "POST /credentials": ADMIN,
    "GET /credentials/{credential_id}": OPERATOR,
    "DELETE /credentials/{credential_id}": ADMIN,
    "GET /hosts": VIEWER,
    "POST /hosts": OPERATOR,
    "GET /hosts/{host_id}": VIEWER,
    "PATCH /hosts/{host_id}": OPERATOR,
    "DELETE /hosts/{host_id}": OPERATOR,
    "POST /hosts/{host_id}/check": OPERATOR,
    "GET /hosts/{host_id}/host-key": VIEWER,
    "POST /hosts/{host_id}/host-key": OPERATOR,
    "GET /hosts/{host_id}/inventory": VIEWER,
    "GET /hosts/{host_id}/inventories": VIEWER,
    "GET /arrays": VIEWER,
    "GET /arrays/{array_id}/history": VIEWER,
    "GET /matches": VIEWER,
    "PUT /targets/{target_id}/matches/{earlier_id}": OPERATOR,
    "DELETE /targets/{target_id}/matches/{earlier_id}": OPERATOR,
    "PUT /hosts/{host_id}/matches/{earlier_host_id}": OPERATOR,
    "DELETE /hosts/{host_id}/matches/{earlier_host_id}": OPERATOR,
    "PUT /arrays/{array_id}/matches/{earlier_array_id}": OPERATOR,
    "DELETE /arrays/{array_id}/matches/{earlier_array_id}": OPERATOR,
    "POST /arrays": OPERATOR,
    "GET /arrays/{array_id}": VIEWER,
    "PATCH /arrays/{array_id}": OPERATOR,
    "DELETE /arrays/{array_id}": OPERATOR,
    "GET /targets": VIEWER,
    "POST /targets": OPERATOR,
    "GET /targets/{target_id}": VIEWER,
    "PATCH /targets/{target_id}": OPERATOR,
    "DELETE /targets/{target_id}": OPERATOR,
    "POST /targets/{target_id}/check": OPERATOR,
    "GET /profiles": VIEWER,
    "POST /profiles": OPERATOR,
    "GET /profiles/{profile_id}": VIEWER,
    "PUT /profiles/{profile_id}": OPERATOR,
    "DELETE /profiles/{profile_id}": OPERATOR,
    "POST /profiles/{profile_id}/copy": OPERATOR,
    "GET /tools": VIEWER,
    "POST /tools": ADMIN,
    "GET /tools/{tool_id}": VIEWER,
    "PUT /tools/{tool_id}": ADMIN,
    "DELETE /tools/{tool_id}": ADMIN,
    "POST /tools/{tool_id}/check": OPERATOR,
    "GET /campaigns": VIEWER,
    "POST /campaigns": OPERATOR,
    "POST /campaigns/estimate": VIEWER,  # changes nothing
    "GET /campaigns/{campaign_id}": VIEWER,
    "GET /campaigns/{campaign_id}/stream": VIEWER,
    "PATCH /campaigns/{campaign_id}": OPERATOR,
    "DELETE /campaigns/{campaign_id}": OPERATOR,
    "POST /campaigns/{campaign_id}/undelete": OPERATOR,
    "POST /campaigns/{campaign_id}/seen": OPERATOR,
    "DELETE /campaigns/{campaign_id}/seen": OPERATOR,
    "POST /campaigns/{campaign_id}/cancel": OPERATOR,
    "GET /campaigns/{campaign_id}/plan": VIEWER,
    "POST /campaigns/{campaign_id}/profile": OPERATOR,
    "GET /campaigns/{campaign_id}/notes": VIEWER,
    "PUT /campaigns/{campaign_id}/notes": OPERATOR,
    "GET /runs/{run_id}/notes": VIEWER,
    "PUT /runs/{run_id}/notes": OPERATOR,
    "GET /arrays/{array_id}/notes": VIEWER,
    "PUT /arrays/{array_id}/notes": OPERATOR,
    "GET /campaigns/{campaign_id}/scale-out": VIEWER,
    "GET /campaigns/{campaign_id}/scale-out.csv": VIEWER,
    "GET /campaigns/{campaign_id}/mesh": VIEWER,
    "GET /campaigns/{campaign_id}/mesh.csv": VIEWER,
    "GET /campaigns/{campaign_id}/verdict": VIEWER,
    "POST /campaigns/{campaign_id}/verdicts": VIEWER,  # changes nothing
    "GET /runs": VIEWER,
    "GET /runs/{run_id}": VIEWER,
    "GET /runs/{run_id}/events": VIEWER,
    "GET /runs/{run_id}/result": VIEWER,
    "GET /runs/{run_id}/result.csv": VIEWER,
    "GET /runs/{run_id}/conditions.csv": VIEWER,
    "GET /runs/{run_id}/figures": VIEWER,
    "GET /runs/{run_id}/trials": VIEWER,
    "GET /trials/{trial_id}": VIEWER,
    "GET /trials/{trial_id}/samples": VIEWER,
    "GET /trials/{trial_id}/marks": VIEWER,
    "GET /trials/{trial_id}/links": VIEWER,
    "GET /runs/{run_id}/verdict": VIEWER,
    "POST /runs/{run_id}/waivers": OPERATOR,
    "POST /campaigns/{campaign_id}/waivers": OPERATOR,
    "GET /metrics": VIEWER,
    "POST /criteria/check": VIEWER,  # changes nothing
    "GET /compare": VIEWER,
    "GET /search": VIEWER,
    "GET /compare/candidates": VIEWER,
    "GET /compare/suggestions": VIEWER,
    "PUT /credentials/{credential_id}/certificate": ADMIN,
    "GET /host-authorities": VIEWER,
    "POST /host-authorities": ADMIN,
    "GET /host-authorities/{authority_id}": VIEWER,
    "PATCH /host-authorities/{authority_id}": ADMIN,
    "DELETE /host-authorities/{authority_id}": ADMIN,
    "GET /me": VIEWER,
    "GET /views": BROWSER,
    "POST /views": BROWSER,
    "GET /views/{view_id}": BROWSER,
    "PATCH /views/{view_id}": BROWSER,
    "DELETE /views/{view_id}": BROWSER,
    "GET /webhooks": OPERATOR,  # their URLs may have secrets
    "POST /webhooks": OPERATOR,
    "GET /webhooks/{webhook_id}": OPERATOR,
    "PATCH /webhooks/{webhook_id}": OPERATOR,
    "DELETE /webhooks/{webhook_id}": OPERATOR,
    "POST /webhooks/{webhook_id}/secret": OPERATOR,
    "POST /webhooks/{webhook_id}/test": OPERATOR,
    "GET /webhooks/{webhook_id}/deliveries": OPERATOR,
    "GET /webhooks/{webhook_id}/deliveries/{delivery_id}": OPERATOR,
    "POST /webhooks/{webhook_id}/deliveries/{delivery_id}/resend": OPERATOR,
    "GET /schedules": VIEWER,
    "POST /schedules": OPERATOR,
    "POST /schedules/preview": VIEWER,  # changes nothing
    "GET /schedules/{schedule_id}": VIEWER,
    "PATCH /schedules/{schedule_id}": OPERATOR,
    "DELETE /schedules/{schedule_id}": OPERATOR,
    "POST /schedules/{schedule_id}/pause": OPERATOR,
    "POST /schedules/{schedule_id}/resume": OPERATOR,
    "POST /schedules/{schedule_id}/run": OPERATOR,
    "GET /schedules/{schedule_id}/firings": VIEWER,
    "GET /campaigns/{campaign_id}/report.html": VIEWER,
    "GET /runs/{run_id}/result.md": VIEWER,
    "GET /runs/{run_id}/result.svg": VIEWER,
    "GET /campaigns/{campaign_id}/shares": VIEWER,  # without their tokens
    "POST /campaigns/{campaign_id}/shares": OPERATOR,
    "GET /campaigns/{campaign_id}/shares/{share_id}": VIEWER,
    "DELETE /campaigns/{campaign_id}/shares/{share_id}": OPERATOR,
    "GET /runs/export": VIEWER,
    "GET /runs/export/size": VIEWER,
    "GET /compare/export": VIEWER,
    "GET /compare/export/size": VIEWER,
    "GET /retention": VIEWER,
    "PUT /retention": ADMIN,
    "POST /retention/preview": VIEWER,  # changes nothing
    "POST /retention/run": ADMIN,
    "POST /apply": OPERATOR,
    "GET /export": OPERATOR,  # it has the names of credentials
    "GET /schemas/qualification.json": VIEWER,
}

REFUSALS = {"not_logged_in", "token_expired", "not_allowed", "token_cannot_create_tokens", "csrf"}
MISTAKES = {"internal", "unavailable", "method_not_allowed"}
CHANGE_NOTHING = {
    "POST /campaigns/estimate",
    "POST /campaigns/{campaign_id}/verdicts",
    "POST /criteria/check",
    "POST /schedules/preview",
    "POST /retention/preview",
}
REPEATABLE = {
    "DELETE /campaigns/{campaign_id}/shares/{share_id}",
    "POST /campaigns/{campaign_id}/seen",
    "DELETE /campaigns/{campaign_id}/seen",
}
"""Change nothing the second time: the link is revoked, or the campaign marked, already."""
APPLICATION = "POST /apply"
"""Adds an entry for each object that it changes; `api/declarations/test_apply.py` covers them."""
NEVER_ENDING = "GET /campaigns/{campaign_id}/stream"


def test_every_endpoint_is_documented_and_has_a_role_entry() -> None:
    assert set(ACCESS) == set(OPERATIONS)
    routes = [route for router in ROUTERS for route in router.routes]
    assert all(isinstance(route, APIRoute) for route in routes)
    served = {f"{method} {route.path}" for route in routes for method in route.methods}
    assert served == set(OPERATIONS)


def test_only_api_documentation_and_front_end_are_served() -> None:
    beside = [route.path for route in app.routes if hasattr(route, "path")]
    assert beside == [f"{PREFIX}/openapi.json", "/{path:path}"]
    of_api, metrics, shared_reports = len(ROUTERS), 1, 1
    assert len(app.routes) == of_api + metrics + shared_reports + len(beside)


def ask(
    furnished: Furnished, operation: str, headers: dict[str, str], cookie: str | None = None
) -> Response:
    path = furnished.path(operation)
    if operation == NEVER_ENDING:  # of a campaign that there is, the answer would not end
        path = path.replace(str(furnished.ids["campaign_id"]), "999999")
    http = furnished.http
    http.cookies.clear()
    if cookie is not None:
        http.cookies.set(COOKIE, cookie)
    method = operation.partition(" ")[0]
    return http.request(method, PREFIX + path, json=furnished.body(operation), headers=headers)


def bearer(caller: Caller) -> dict[str, str]:
    return {"Authorization": f"Bearer {caller.token}"} if caller.token else {}


def code(answer: Response) -> str:
    """Return the code of the rejection, or else the outcome."""
    return "done" if answer.is_success else answer.json()["code"]


def everything() -> dict[str, Any]:
    """Return all rows, except when a token was last used."""
    with reading() as session:
        return {
            table.name: session.execute(
                select(*[column for column in table.columns if column.name != "last_used_at"])
            ).all()
            for table in Base.metadata.sorted_tables
        }


@pytest.fixture
def expired(appliance: Appliance) -> Caller:
    """An administrator's token whose time is over."""
    with writing() as session:
        row, token = issue(session, SETTING_UP, "old", "admin", None)
        row.expires_at = now() - timedelta(seconds=1)
    return Caller(appliance.http, token)


@on_sqlite
def test_a_caller_without_the_role_is_rejected_and_changes_nothing(
    furnished: Furnished, expired: Caller
) -> None:
    before = everything()
    found = {
        f"{operation} by {who}": code(ask(furnished, operation, bearer(caller)))
        for operation, who, caller, _ in refused(furnished, expired)
    }
    assert found == {
        f"{operation} by {who}": expected
        for operation, who, _, expected in refused(furnished, expired)
    }
    assert everything() == before


def refused(furnished: Furnished, expired: Caller) -> Iterator[tuple[str, str, Caller, str]]:
    """Operation, credentials, caller, and the code of the rejection."""
    appliance = furnished.appliance
    for operation, access in ACCESS.items():
        if access == ANYONE:
            continue
        yield operation, "nobody", appliance.anonymous, "not_logged_in"
        yield operation, "an unknown token", Caller(appliance.http, "assay_x"), "not_logged_in"
        yield operation, "an expired token", expired, "token_expired"
        if access in (OPERATOR, ADMIN, OWNER):
            yield operation, "a viewer", appliance.viewer, "not_allowed"
        if access in (ADMIN, OWNER):
            yield operation, "another operator", appliance.operator, "not_allowed"
        if access == BROWSER:
            makes_none = operation == "POST /tokens"
            refusal = "token_cannot_create_tokens" if makes_none else "not_logged_in"
            yield operation, "an administrator's token", appliance.admin, refusal


@on_sqlite
def test_a_caller_with_the_role_is_accepted(furnished: Furnished) -> None:
    with furnished.appliance.answering(FOUND):
        found = {
            f"{operation} by {who}": code(ask(furnished, operation, headers, cookie))
            for operation, who, headers, cookie in let_in(furnished)
        }
    assert not {asked: said for asked, said in found.items() if said in REFUSALS | MISTAKES}


def let_in(furnished: Furnished) -> Iterator[tuple[str, str, dict[str, str], str | None]]:
    """Operation, credentials, headers and cookie; deletions come last."""
    appliance = furnished.appliance
    by_role = dict(zip(ROLES, (appliance.viewer, appliance.operator, appliance.admin), strict=True))
    for operation in sorted(ACCESS, key=lambda name: name.startswith("DELETE")):
        access = ACCESS[operation]
        if access == ANYONE:
            yield operation, "nobody", {}, None
        if access in ROLES:
            for role in ROLES[ROLES.index(access) :]:
                yield operation, role, bearer(by_role[role]), None
        if access == OWNER:
            yield operation, "the owner's token", bearer(furnished.pipeline), None
            yield operation, "an administrator", bearer(appliance.admin), None
        if access != ANYONE:
            cookie, csrf = furnished.log_in("admin")
            yield operation, "an administrator's browser", {CSRF_HEADER: csrf}, cookie


@on_sqlite
def test_a_cookie_writes_only_with_a_csrf_header(furnished: Furnished) -> None:
    _, other_csrf = furnished.log_in("operator")
    cookie, _ = furnished.log_in("admin")
    before = everything()
    wrong = {
        "none": {},
        "an empty one": {CSRF_HEADER: ""},
        "a guess": {CSRF_HEADER: "x"},
        "another session's": {CSRF_HEADER: other_csrf},
    }
    found = {
        f"{operation} with {what}": code(ask(furnished, operation, headers, cookie))
        for operation, access in ACCESS.items()
        for what, headers in wrong.items()
        if access != ANYONE and not operation.startswith("GET ")
    }
    assert set(found.values()) == {"csrf"}, found
    assert everything() == before


@on_sqlite
@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_a_cookie_has_exactly_the_role_of_its_user(furnished: Furnished, role: str) -> None:
    cookie, csrf = furnished.log_in(role)
    for operation, access in ACCESS.items():
        if access in ROLES and ROLES.index(access) > ROLES.index(role):
            problem(ask(furnished, operation, {CSRF_HEADER: csrf}, cookie), 403, "not_allowed")


@on_sqlite
@pytest.mark.parametrize("end", ["expired", "disabled", "deleted", "logged out", "demoted"])
def test_a_session_ends_with_its_user_password_or_expiry(furnished: Furnished, end: str) -> None:
    cookie, csrf = furnished.log_in("operator")
    assert ask(furnished, "GET /session", {}, cookie).is_success
    if end == "logged out":
        assert ask(furnished, "DELETE /session", {CSRF_HEADER: csrf}, cookie).is_success
    with writing() as session:
        user = session.scalars(select(User).where(User.name == "operator")).one()
        match end:
            case "expired":
                over = update(BrowserSession).where(BrowserSession.user_id == user.id)
                session.execute(over.values(expires_at=now() - timedelta(seconds=1)))
            case "disabled":
                user.disabled = True
            case "deleted":
                session.delete(user)
            case "demoted":
                user.role = "viewer"
            case _:
                pass
    answer = ask(furnished, "POST /arrays", {CSRF_HEADER: csrf}, cookie)
    if end == "demoted":
        problem(answer, 403, "not_allowed")
    else:
        problem(answer, 401, "not_logged_in")


@on_sqlite
def test_a_session_is_visible_only_to_its_user(furnished: Furnished) -> None:
    first, _ = furnished.log_in("admin")
    second, csrf = furnished.log_in("operator")
    assert ask(furnished, "GET /session", {}, second).json()["user"]["name"] == "operator"
    assert ask(furnished, "DELETE /session", {CSRF_HEADER: csrf}, second).is_success
    assert ask(furnished, "GET /session", {}, first).json()["user"]["name"] == "admin"


@on_sqlite
def test_a_token_can_be_deleted_only_by_its_user_and_administrators(furnished: Furnished) -> None:
    def delete_as(name: str) -> Response:
        cookie, csrf = furnished.log_in(name)
        return ask(furnished, "DELETE /tokens/{token_id}", {CSRF_HEADER: csrf}, cookie)

    problem(delete_as("viewer"), 403, "not_allowed")
    problem(delete_as("grace"), 403, "not_allowed")
    assert delete_as("operator").status_code == 204
    problem(delete_as("admin"), 404, "not_found")


@on_sqlite
def test_every_successful_write_adds_exactly_one_audit_entry(furnished: Furnished) -> None:
    added: dict[str, list[int]] = {}
    with furnished.appliance.answering(FOUND):
        for operation, _who, headers, cookie in let_in(furnished):
            if operation.startswith("GET ") or operation in {*CHANGE_NOTHING, APPLICATION}:
                continue
            before = _entries()
            if ask(furnished, operation, headers, cookie).is_success:
                added.setdefault(operation, []).append(_entries() - before)
    once = {operation: counts[:1] for operation, counts in added.items() if operation in REPEATABLE}
    wrong = {asked: counts for asked, counts in (added | once).items() if {*counts} != {1}}
    assert wrong == {}
    assert len(added) >= 15


def _entries() -> int:
    with reading() as session:
        return session.scalar(select(func.count(AuditEntry.id))) or 0
