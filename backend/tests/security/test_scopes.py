"""Every endpoint × every scope of a token, listed once and tested.

The operations come from the OpenAPI document: a new endpoint without an entry in `SCOPE` fails.
"""

from typing import Any

import pytest
from assay.api.accounts.authentication import requirement
from assay.api.app import PREFIX, ROUTERS
from assay.api.tokens.queries import Limits, issue
from assay.base.identity import ROLE_OF, SCOPES, Scope
from assay.tables.database import writing
from fastapi.routing import APIRoute
from httpx import Response
from testing.api import FOUND, SETTING_UP, Appliance, Caller, on_sqlite, problem
from testing.furnished import OPERATIONS, Furnished

ANY = "any"
"""Any token, whatever its scopes."""

BROWSER = "browser"
"""The user of a session; no token."""

OPEN = "open"
"""Anyone, without logging in."""

SCOPE: dict[str, Scope | str] = {
    "GET /health": OPEN,
    "POST /setup": OPEN,
    "POST /session": OPEN,
    "GET /session": BROWSER,
    "DELETE /session": BROWSER,
    "GET /me": ANY,
    "GET /views": BROWSER,
    "POST /views": BROWSER,
    "GET /views/{view_id}": BROWSER,
    "PATCH /views/{view_id}": BROWSER,
    "DELETE /views/{view_id}": BROWSER,
    "GET /overview": "read",
    "GET /users": "admin",
    "POST /users": "admin",
    "GET /users/{user_id}": "admin",
    "PATCH /users/{user_id}": "admin",
    "DELETE /users/{user_id}": "admin",
    "GET /audit": "admin",
    "GET /tokens": "read",
    "POST /tokens": BROWSER,
    "GET /tokens/{token_id}": "read",
    "DELETE /tokens/{token_id}": "admin",  # and itself, whatever its scopes
    "GET /credentials": "hosts",
    "POST /credentials": "admin",
    "GET /credentials/{credential_id}": "hosts",
    "DELETE /credentials/{credential_id}": "admin",
    "GET /hosts": "read",
    "POST /hosts": "hosts",
    "GET /hosts/{host_id}": "read",
    "PATCH /hosts/{host_id}": "hosts",
    "DELETE /hosts/{host_id}": "hosts",
    "POST /hosts/{host_id}/check": "hosts",
    "GET /hosts/{host_id}/host-key": "read",
    "POST /hosts/{host_id}/host-key": "hosts",
    "GET /hosts/{host_id}/inventory": "read",
    "GET /hosts/{host_id}/inventories": "read",
    "GET /arrays": "read",
    "POST /arrays": "hosts",
    "GET /arrays/{array_id}": "read",
    "PATCH /arrays/{array_id}": "hosts",
    "DELETE /arrays/{array_id}": "hosts",
    "GET /arrays/{array_id}/history": "read",
    "GET /matches": "read",
    "GET /targets": "read",
    "POST /targets": "hosts",
    "GET /targets/{target_id}": "read",
    "PATCH /targets/{target_id}": "hosts",
    "DELETE /targets/{target_id}": "hosts",
    "PUT /targets/{target_id}/matches/{earlier_id}": "hosts",
    "DELETE /targets/{target_id}/matches/{earlier_id}": "hosts",
    "PUT /hosts/{host_id}/matches/{earlier_host_id}": "hosts",
    "DELETE /hosts/{host_id}/matches/{earlier_host_id}": "hosts",
    "PUT /arrays/{array_id}/matches/{earlier_array_id}": "hosts",
    "DELETE /arrays/{array_id}/matches/{earlier_array_id}": "hosts",
    "POST /targets/{target_id}/check": "hosts",
    "GET /profiles": "read",
    "POST /profiles": "edit",
    "GET /profiles/{profile_id}": "read",
    "PUT /profiles/{profile_id}": "edit",
    "DELETE /profiles/{profile_id}": "edit",
    "POST /profiles/{profile_id}/copy": "edit",
    "GET /tools": "read",
    "POST /tools": "admin",
    "GET /tools/{tool_id}": "read",
    "PUT /tools/{tool_id}": "admin",
    "DELETE /tools/{tool_id}": "admin",
    "POST /tools/{tool_id}/check": "hosts",
    "GET /campaigns": "read",
    "POST /campaigns": "launch",
    "POST /campaigns/estimate": "read",
    "GET /campaigns/{campaign_id}": "read",
    "GET /campaigns/{campaign_id}/stream": "read",
    "PATCH /campaigns/{campaign_id}": "edit",
    "DELETE /campaigns/{campaign_id}": "edit",
    "POST /campaigns/{campaign_id}/undelete": "edit",
    "POST /campaigns/{campaign_id}/seen": "edit",
    "DELETE /campaigns/{campaign_id}/seen": "edit",
    "POST /campaigns/{campaign_id}/cancel": "launch",
    "GET /campaigns/{campaign_id}/plan": "read",
    "POST /campaigns/{campaign_id}/profile": "edit",
    "GET /campaigns/{campaign_id}/notes": "read",
    "PUT /campaigns/{campaign_id}/notes": "edit",
    "GET /runs/{run_id}/notes": "read",
    "PUT /runs/{run_id}/notes": "edit",
    "GET /arrays/{array_id}/notes": "read",
    "PUT /arrays/{array_id}/notes": "edit",
    "GET /campaigns/{campaign_id}/scale-out": "read",
    "GET /campaigns/{campaign_id}/scale-out.csv": "read",
    "GET /campaigns/{campaign_id}/mesh": "read",
    "GET /campaigns/{campaign_id}/mesh.csv": "read",
    "GET /campaigns/{campaign_id}/verdict": "read",
    "POST /campaigns/{campaign_id}/verdicts": "read",
    "GET /runs": "read",
    "GET /runs/{run_id}": "read",
    "GET /runs/{run_id}/events": "read",
    "GET /runs/{run_id}/result": "read",
    "GET /runs/{run_id}/result.csv": "read",
    "GET /runs/{run_id}/conditions.csv": "read",
    "GET /runs/{run_id}/figures": "read",
    "GET /runs/{run_id}/trials": "read",
    "GET /trials/{trial_id}": "read",
    "GET /trials/{trial_id}/samples": "read",
    "GET /trials/{trial_id}/marks": "read",
    "GET /trials/{trial_id}/links": "read",
    "GET /runs/{run_id}/verdict": "read",
    "POST /runs/{run_id}/waivers": "edit",
    "POST /campaigns/{campaign_id}/waivers": "edit",
    "GET /metrics": "read",
    "POST /criteria/check": "read",
    "GET /compare": "read",
    "GET /search": "read",
    "GET /compare/candidates": "read",
    "GET /compare/suggestions": "read",
    "PUT /credentials/{credential_id}/certificate": "admin",
    "GET /runs/export": "read",
    "GET /runs/export/size": "read",
    "GET /compare/export": "read",
    "GET /compare/export/size": "read",
    "GET /host-authorities": "read",
    "POST /host-authorities": "admin",
    "GET /host-authorities/{authority_id}": "read",
    "PATCH /host-authorities/{authority_id}": "admin",
    "DELETE /host-authorities/{authority_id}": "admin",
    "GET /webhooks": "edit",
    "POST /webhooks": "edit",
    "GET /webhooks/{webhook_id}": "edit",
    "PATCH /webhooks/{webhook_id}": "edit",
    "DELETE /webhooks/{webhook_id}": "edit",
    "POST /webhooks/{webhook_id}/secret": "edit",
    "POST /webhooks/{webhook_id}/test": "edit",
    "GET /webhooks/{webhook_id}/deliveries": "edit",
    "GET /webhooks/{webhook_id}/deliveries/{delivery_id}": "edit",
    "POST /webhooks/{webhook_id}/deliveries/{delivery_id}/resend": "edit",
    "GET /schedules": "read",
    "POST /schedules/preview": "read",
    "POST /schedules": "launch",
    "GET /schedules/{schedule_id}": "read",
    "PATCH /schedules/{schedule_id}": "launch",
    "DELETE /schedules/{schedule_id}": "launch",
    "POST /schedules/{schedule_id}/pause": "launch",
    "POST /schedules/{schedule_id}/resume": "launch",
    "POST /schedules/{schedule_id}/run": "launch",
    "GET /schedules/{schedule_id}/firings": "read",
    "GET /campaigns/{campaign_id}/report.html": "read",
    "GET /runs/{run_id}/result.md": "read",
    "GET /runs/{run_id}/result.svg": "read",
    "GET /campaigns/{campaign_id}/shares": "read",
    "POST /campaigns/{campaign_id}/shares": "edit",
    "GET /campaigns/{campaign_id}/shares/{share_id}": "read",
    "DELETE /campaigns/{campaign_id}/shares/{share_id}": "edit",
    "GET /retention": "read",
    "PUT /retention": "admin",
    "POST /retention/preview": "read",
    "POST /retention/run": "admin",
    "POST /apply": "hosts",
    "GET /export": "hosts",
    "GET /schemas/qualification.json": "read",
}

NEVER_ENDING = "GET /campaigns/{campaign_id}/stream"


def test_every_endpoint_has_a_scope_entry_and_declares_that_scope() -> None:
    assert set(SCOPE) == set(OPERATIONS)
    declared = {
        f"{method} {route.path}": (
            wanted.permission.scope or ANY if (wanted := requirement(route)) else OPEN
        )
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in route.methods
    }
    inside = {name for name, scope in SCOPE.items() if scope == BROWSER}
    inside.add("DELETE /tokens/{token_id}")
    assert {name: scope for name, scope in declared.items() if name not in inside} == {
        name: scope for name, scope in SCOPE.items() if name not in inside
    }


def test_no_endpoint_requires_a_scope_beyond_its_role() -> None:
    routes = [route for router in ROUTERS for route in router.routes]
    wanted = [requirement(route) for route in routes if isinstance(route, APIRoute)]
    found = {
        (one.permission.scope, one.permission.role)
        for one in wanted
        if one is not None and one.permission.scope is not None
    }
    assert found == {(scope, ROLE_OF[scope]) for scope in SCOPES}


def _token(appliance: Appliance, *scopes: Scope) -> Caller:
    """Return an administrator's token with these scopes."""
    with writing() as session:
        limits = Limits(scopes=list(scopes))
        _, token = issue(session, SETTING_UP, " ".join(scopes), "admin", None, limits=limits)
    return Caller(appliance.http, token)


def _ask(furnished: Furnished, operation: str, caller: Caller) -> Response:
    path = furnished.path(operation)
    if operation == NEVER_ENDING:  # of a campaign that there is, the answer would not end
        path = path.replace(str(furnished.ids["campaign_id"]), "999999")
    method, headers = operation.partition(" ")[0], {"Authorization": f"Bearer {caller.token}"}
    body: Any = furnished.body(operation)
    return furnished.http.request(method, PREFIX + path, json=body, headers=headers)


@on_sqlite
def test_a_token_with_all_other_scopes_is_rejected(furnished: Furnished) -> None:
    without = {
        scope: _token(furnished.appliance, *(one for one in SCOPES if one != scope))
        for scope in SCOPES
    }
    found: dict[str, str] = {}
    for operation, scope in SCOPE.items():
        if scope in SCOPES:
            answer = _ask(furnished, operation, without[scope])
            document = problem(answer, 403, "scope_missing")
            found[operation] = document["scope"]
            assert document["scopes"] == [one for one in SCOPES if one != scope]
    assert found == {name: scope for name, scope in SCOPE.items() if scope in SCOPES}


@on_sqlite
def test_a_token_with_only_that_scope_is_accepted(furnished: Furnished) -> None:
    only = {scope: _token(furnished.appliance, scope) for scope in SCOPES}
    codes: dict[str, str] = {}
    with furnished.appliance.answering(FOUND):
        for operation in sorted(SCOPE, key=lambda name: name.startswith("DELETE")):
            scope = SCOPE[operation]
            if scope in SCOPES or scope == ANY:
                answer = _ask(furnished, operation, only["read" if scope == ANY else scope])
                codes[operation] = "" if answer.is_success else answer.json()["code"]
    refusals = {"scope_missing", "not_allowed", "not_logged_in", "internal", "unavailable"}
    assert {name: code for name, code in codes.items() if code in refusals} == {}


@on_sqlite
@pytest.mark.parametrize("scope", SCOPES)
def test_a_token_deletes_itself_but_no_other_without_the_scope_admin(
    furnished: Furnished, scope: Scope
) -> None:
    caller = _token(furnished.appliance, scope)
    own = caller.get("/me").json()["api_token"]["id"]
    other = caller.delete(f"/tokens/{furnished.ids['token_id']}")
    if scope == "admin":
        assert other.status_code == 204
    else:
        problem(other, 403, "scope_missing")
    assert caller.delete(f"/tokens/{own}").status_code == 204
    problem(caller.get("/me"), 401, "not_logged_in")
