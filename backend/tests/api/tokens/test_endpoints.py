"""Tokens with scopes and limits: what is accepted, how they are shown, what they may do."""

from datetime import timedelta
from typing import Any

import pytest
from assay.api.accounts.authentication import COOKIE, CSRF_HEADER
from assay.api.tokens.queries import issue
from assay.api.tokens.schemas import TokenIn
from assay.base.identity import Limits, Scope
from assay.tables.accounts import ApiToken
from assay.tables.database import now, writing
from httpx import Response
from testing.api import SETTING_UP, Appliance, Caller, fields, on_sqlite, problem

ADA = {"name": "ada", "password": "battery staple", "role": "admin"}
PIPELINE: dict[str, Any] = {
    "name": "ci",
    "role": "operator",
    "scopes": ["read", "launch"],
    "target_labels": {"env": "lab", "rack": "b7"},
    "bytes_per_day": 2 * 10**12,
    "campaigns_at_once": 2,
}


@pytest.fixture
def csrf(appliance: Appliance) -> str:
    """The CSRF token of an administrator's browser."""
    appliance.admin.post("/users", ADA)
    login = {"name": ADA["name"], "password": ADA["password"]}
    return appliance.http.post("/api/v1/session", json=login).json()["csrf"]


def _create(appliance: Appliance, csrf: str, **body: Any) -> Response:
    headers = {CSRF_HEADER: csrf}
    return appliance.http.post("/api/v1/tokens", json={**PIPELINE, **body}, headers=headers)


@on_sqlite
def test_a_token_is_shown_with_its_scopes_limits_and_use(appliance: Appliance, csrf: str) -> None:
    made = _create(appliance, csrf)
    assert made.status_code == 201, made.text
    token = made.json()
    secret = token.pop("token")
    for name, value in PIPELINE.items():
        assert token[name] == value
    assert (token["used"]["bytes_today"], token["used"]["campaign_ids"]) == (0, [])
    listed = appliance.admin.get("/tokens").json()["items"]
    assert next(one for one in listed if one["id"] == token["id"]) == token
    assert appliance.admin.get(f"/tokens/{token['id']}").json() == token
    assert secret not in appliance.admin.get("/tokens").text


@on_sqlite
def test_the_audit_log_has_the_scopes_and_limits_of_a_new_token(
    appliance: Appliance, csrf: str
) -> None:
    _create(appliance, csrf)
    detail = appliance.audit()[0]["detail"]
    assert detail == {name: value for name, value in PIPELINE.items() if name != "name"}


@on_sqlite
def test_a_token_without_scopes_has_all_of_its_role(appliance: Appliance, csrf: str) -> None:
    for role, scopes in (
        ("viewer", ["read"]),
        ("operator", ["read", "launch", "hosts", "edit"]),
        ("admin", ["read", "launch", "hosts", "edit", "admin"]),
    ):
        body = {"name": role, "role": role}
        answer = appliance.http.post("/api/v1/tokens", json=body, headers={CSRF_HEADER: csrf})
        assert answer.json()["scopes"] == scopes


@on_sqlite
@pytest.mark.parametrize(
    ("body", "field", "said"),
    [
        ({"scopes": []}, "scopes", "must have 1 or more entries"),
        ({"scopes": "read"}, "scopes", "must be a list"),
        ({"scopes": ["reed"]}, "scopes.0", "must be one of"),
        ({"scopes": ["read", "admin"]}, "scopes.1", "role operator does not include"),
        ({"role": "viewer"}, "scopes.1", "role viewer does not include"),
        ({"scopes": ["read"]}, "target_labels", "cannot launch"),
        ({"target_labels": {}, "scopes": ["read"]}, "bytes_per_day", "cannot launch"),
        ({"scopes": ["launch", "hosts"]}, "target_labels", "its scope hosts"),
        ({"scopes": None}, "target_labels", "its scope hosts"),
        (
            {"scopes": None, "role": "admin", "target_labels": {}},
            "bytes_per_day",
            "its scope admin",
        ),
        ({"target_labels": ["env=lab"]}, "target_labels", "must be a JSON object"),
        ({"target_labels": {"env": 3}}, "target_labels", "must be text"),
        ({"target_labels": {"-": "lab"}}, "target_labels", "may contain only letters"),
        (
            {"target_labels": {f"k{n}": "v" for n in range(10_000)}},
            "target_labels",
            "the maximum is 32",
        ),
        ({"bytes_per_day": 0}, "bytes_per_day", "must be at least 1"),
        ({"bytes_per_day": "2TB"}, "bytes_per_day", "must be a whole number"),
        ({"bytes_per_day": 2**63}, "bytes_per_day", "must be at most"),
        ({"campaigns_at_once": 0}, "campaigns_at_once", "must be at least 1"),
        ({"campaigns_at_once": 1.5}, "campaigns_at_once", "must be a whole number"),
        ({"campaigns_at_once": 10_001}, "campaigns_at_once", "must be at most 10000"),
        ({"bytes_per_days": 5}, "bytes_per_days", "is unknown"),
    ],
)
def test_limits_that_are_wrong_or_have_no_effect_are_rejected(
    appliance: Appliance, csrf: str, body: dict[str, Any], field: str, said: str
) -> None:
    document = problem(_create(appliance, csrf, **body), 422, "invalid")
    assert fields(document) == [field]
    assert said in document["errors"][0]["message"]


@on_sqlite
def test_me_tells_a_token_what_it_may_do(appliance: Appliance, csrf: str) -> None:
    made = _create(appliance, csrf).json()
    appliance.http.cookies.clear()
    me = Caller(appliance.http, made["token"]).get("/me").json()
    assert (me["kind"], me["name"], me["role"]) == ("token", "ada, token ci", "operator")
    assert me["scopes"] == ["read", "launch"]
    assert me["api_token"]["target_labels"] == PIPELINE["target_labels"]
    assert me["api_token"]["bytes_per_day"] == PIPELINE["bytes_per_day"]


@on_sqlite
def test_me_tells_a_person_the_role(appliance: Appliance, csrf: str) -> None:
    assert COOKIE in appliance.http.cookies
    assert appliance.http.get("/api/v1/me").json() == {
        "kind": "person",
        "name": "ada",
        "role": "admin",
        "scopes": ["read", "launch", "hosts", "edit", "admin"],
        "api_token": None,
    }


def _token(appliance: Appliance, role: Any, *scopes: Scope) -> Caller:
    with writing() as session:
        _, token = issue(session, SETTING_UP, "x", role, None, limits=Limits(scopes=list(scopes)))
    return Caller(appliance.http, token)


@on_sqlite
def test_a_scope_never_widens_the_role(appliance: Appliance) -> None:
    caller = _token(appliance, "viewer", "read", "hosts", "admin")
    assert caller.get("/me").json()["scopes"] == ["read"]
    problem(caller.post("/arrays", {"name": "vault"}), 403, "not_allowed")
    problem(caller.get("/users"), 403, "not_allowed")


@on_sqlite
def test_a_lower_role_of_its_user_removes_scopes_of_a_token(
    appliance: Appliance, csrf: str
) -> None:
    made = _create(appliance, csrf).json()
    appliance.http.cookies.clear()
    user = appliance.admin.get("/users").json()["items"][0]
    appliance.admin.post("/users", {**ADA, "name": "other"})
    assert appliance.admin.patch(f"/users/{user['id']}", {"role": "viewer"}).is_success
    me = Caller(appliance.http, made["token"]).get("/me").json()
    assert (me["role"], me["scopes"]) == ("viewer", ["read"])


@on_sqlite
def test_an_error_names_the_missing_scope_and_those_of_the_token(appliance: Appliance) -> None:
    caller = _token(appliance, "operator", "read", "launch")
    document = problem(caller.post("/arrays", {"name": "vault"}), 403, "scope_missing")
    assert (document["scope"], document["scopes"]) == ("hosts", ["read", "launch"])
    assert "requires the scope hosts" in document["detail"]
    assert "the token has read and launch" in document["detail"]


@on_sqlite
def test_a_key_of_a_token_without_the_scope_is_not_replayed(appliance: Appliance) -> None:
    caller = _token(appliance, "operator", "hosts")
    assert caller.post("/arrays", {"name": "vault"}, key="k").status_code == 201
    with writing() as session:
        row = session.get_one(ApiToken, caller.get("/me").json()["api_token"]["id"])
        row.scopes = ["read"]
    problem(caller.post("/arrays", {"name": "vault"}, key="k"), 403, "scope_missing")


@on_sqlite
def test_an_expired_token_may_do_nothing(appliance: Appliance) -> None:
    caller = _token(appliance, "operator", "read")
    assert caller.get("/me").status_code == 200
    with writing() as session:
        row = session.get_one(ApiToken, caller.get("/me").json()["api_token"]["id"])
        row.expires_at = now() - timedelta(seconds=1)
    problem(caller.get("/me"), 401, "token_expired")


def test_the_documented_example_is_valid() -> None:
    (example,) = TokenIn.model_json_schema()["examples"]
    assert TokenIn.model_validate(example).scopes == ["read", "launch"]
