"""Every operation × every kind of caller, against own and foreign objects that exist.

Which permission an operation has comes from the OpenAPI document, what it demands from the table;
`test_roles` and `test_scopes` list roles and scopes once more. Whose objects a limited token may
change, and what operations do besides, is listed here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from assay.access.permissions import TABLE
from assay.api.accounts.authentication import COOKIE, CSRF_HEADER
from assay.api.app import PREFIX, app
from assay.api.tokens.queries import issue
from assay.base.identity import ROLES, SCOPES, Limits, Role, Scope, granted, includes
from assay.documents import permissions as permission_table
from assay.tables import database
from assay.tables.accounts import ApiToken
from assay.tables.credentials import Credential
from assay.tables.database import now, reading, writing
from assay.tables.runs import Run
from assay.tables.tokens import TokenCharge
from assay.tables.transactions import begin_writing
from httpx import Response
from sqlalchemy import func, select, update
from testing.api import FOUND, SETTING_UP, Appliance, Caller, on_sqlite, problem
from testing.furnished import OPERATIONS, Furnished

LAUNCHED_ONLY = {
    "PATCH /campaigns/{campaign_id}",
    "DELETE /campaigns/{campaign_id}",
    "POST /campaigns/{campaign_id}/undelete",
    "POST /campaigns/{campaign_id}/seen",
    "DELETE /campaigns/{campaign_id}/seen",
    "POST /campaigns/{campaign_id}/cancel",
    "PUT /campaigns/{campaign_id}/notes",
    "POST /campaigns/{campaign_id}/waivers",
    "POST /campaigns/{campaign_id}/shares",
    "DELETE /campaigns/{campaign_id}/shares/{share_id}",
    "PUT /runs/{run_id}/notes",
    "POST /runs/{run_id}/waivers",
}
"""What a token with target labels does only to a campaign that it launched."""

NO_LIMITED_TOKEN = {
    "POST /schedules",
    "PATCH /schedules/{schedule_id}",
    "POST /schedules/{schedule_id}/resume",
    "PUT /profiles/{profile_id}",
    "DELETE /profiles/{profile_id}",
}
"""What is launched because of it would not count against the limits of a token."""

NO_LABELED_TOKEN = {"DELETE /schedules/{schedule_id}", "POST /schedules/{schedule_id}/pause"}
"""Schedules are those of others, on any target."""

OF_OTHERS = {
    "GET /tokens/{token_id}": "token_of_others.read",
    "DELETE /tokens/{token_id}": "token_of_others.delete",
}
"""Operations that need another permission because the object is not the caller's."""

REFUSALS = {
    *("not_logged_in", "token_expired", "not_allowed", "scope_missing", "csrf"),
    *("token_is_limited", "not_launched_by_token", "token_cannot_create_tokens"),
}
MISTAKES = {"internal", "unavailable", "method_not_allowed"}
NEVER_ENDING = "GET /campaigns/{campaign_id}/stream"
LABELS = Limits(scopes=["read", "launch", "edit"], target_labels={"env": "lab"})


@dataclass(frozen=True)
class Kind:
    """A kind of caller: how it authenticates, and with what it may do."""

    name: str
    headers: dict[str, str]
    role: Role = "viewer"
    scopes: tuple[Scope, ...] = ()
    limits: tuple[str, ...] = ()
    is_person: bool = False
    refusal: str | None = None
    """What it gets whatever it asks for."""


def token_of(role: Role, limits: Limits = Limits(), name: str = "x") -> tuple[int, str]:  # noqa: B008
    """Return id and secret of a new token without a user."""
    with writing() as session:
        row, token = issue(session, SETTING_UP, name, role, None, limits=limits)
        return row.id, token


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def tokens(appliance: Appliance) -> Iterator[Kind]:
    yield Kind("nobody", {}, refusal="not_logged_in")
    yield Kind("an unknown token", bearer("assay_x"), refusal="not_logged_in")
    expired, secret = token_of("admin")
    with writing() as session:
        session.get_one(ApiToken, expired).expires_at = now() - timedelta(seconds=1)
    yield Kind("an expired token", bearer(secret), refusal="token_expired")
    for role in ROLES:
        caller: Caller = getattr(appliance, role)
        yield Kind(role, bearer(caller.token or ""), role, granted(role, None))
    for scope in SCOPES:
        _, secret = token_of("admin", Limits(scopes=[scope]))
        yield Kind(f"admin with {scope}", bearer(secret), "admin", (scope,))
    for limits in (
        LABELS,
        Limits(scopes=LABELS.scopes, bytes_per_day=10**15),
        Limits(scopes=LABELS.scopes, campaigns_at_once=100),
    ):
        _, secret = token_of("operator", limits)
        named = tuple(name for name in limits.given if name != "scopes")
        yield Kind(named[0], bearer(secret), "operator", ("read", "launch", "edit"), named)


def expected(operation: str, kind: Kind) -> str | None:
    """Return the code of the refusal of an operation on what others made, or None."""
    name = OPERATIONS[operation].get("x-permission")
    if name is None:
        return None
    if kind.refusal is not None:
        return kind.refusal
    for wanted in (TABLE[name], TABLE[OF_OTHERS.get(operation, name)]):
        if wanted.only_person is not None:
            return wanted.only_person().code
        if not includes(kind.role, wanted.role):
            return "not_allowed"
        if wanted.scope is not None and wanted.scope not in kind.scopes:
            return "scope_missing"
    if operation in NO_LIMITED_TOKEN and kind.limits:
        return "token_is_limited"
    if "target_labels" in kind.limits:
        if operation in NO_LABELED_TOKEN:
            return "token_is_limited"
        if operation in LAUNCHED_ONLY:
            return "not_launched_by_token"
    return None


def ask(furnished: Furnished, operation: str, headers: dict[str, str]) -> str:
    """Return the code of the rejection, or else the outcome."""
    path = furnished.path(operation)
    if operation == NEVER_ENDING:  # of a campaign that there is, the answer would not end
        path = path.replace(str(furnished.ids["campaign_id"]), "999999")
    method = operation.partition(" ")[0]
    furnished.http.cookies.clear()
    answer = furnished.http.request(
        method, PREFIX + path, json=furnished.body(operation), headers=headers
    )
    return "done" if answer.is_success else answer.json()["code"]


@pytest.fixture
def rolled_back(furnished: Furnished) -> Iterator[None]:
    """Undo each request from now on, so that every caller finds the same objects."""

    def begin() -> Iterator[Any]:
        with database.writing() as session:
            yield session
            session.rollback()

    app.dependency_overrides[begin_writing] = begin
    yield
    del app.dependency_overrides[begin_writing]


def test_every_operation_has_a_permission_of_the_table() -> None:
    open_to_all = {"GET /health", "POST /setup", "POST /session"}
    named = dict(permission_table.permissions())
    assert {one for one, name in named.items() if name is None} == open_to_all
    assert {name for name in named.values() if name is not None} <= TABLE.keys()


def test_the_documentation_has_the_current_table() -> None:
    page = permission_table.PAGE.read_text()
    assert page == permission_table.written(page), "run python -m assay.documents.permissions"


def test_the_openapi_document_names_the_scope_of_each_permission() -> None:
    for operation, described in OPERATIONS.items():
        if name := described.get("x-permission"):
            assert described.get("x-scope") == TABLE[name].scope, operation


@on_sqlite
@pytest.mark.usefixtures("rolled_back")
def test_each_operation_rejects_exactly_the_tokens_without_its_permission(
    furnished: Furnished,
) -> None:
    wrong: dict[str, str] = {}
    kinds = list(tokens(furnished.appliance))
    with furnished.appliance.answering(FOUND):
        for operation in OPERATIONS:
            if operation in ("POST /setup", "POST /session"):
                continue
            for kind in kinds:
                code = ask(furnished, operation, kind.headers)
                refusal = expected(operation, kind)
                is_refused = code in REFUSALS
                if code in MISTAKES or (code if is_refused else None) != refusal:
                    wrong[f"{operation} by {kind.name}"] = f"{code} instead of {refusal}"
    assert wrong == {}


@on_sqlite
@pytest.mark.usefixtures("rolled_back")
def test_a_token_with_target_labels_may_change_what_it_launched(furnished: Furnished) -> None:
    token_id, secret = token_of("operator", LABELS)
    with writing() as session:
        campaign_id = furnished.ids["campaign_id"]
        session.add(
            TokenCharge(token_id=token_id, campaign_id=campaign_id, planned_bytes=0, prepared=[])
        )
    found = {one: ask(furnished, one, bearer(secret)) for one in sorted(LAUNCHED_ONLY)}
    assert {one: code for one, code in found.items() if code in REFUSALS | MISTAKES} == {}


PRIVATE = {
    **{"name": "w", "url": "http://10.0.0.7/", "events": ["run.judged.v1"]},
    "private_addresses": True,
}
PROFILE_FILE = """\
name: f
profiles:
- name: P
  tests:
  - {kind: matrix, operation: write, title: W, block: [65536], threads: [1], file_size: 1000000}
"""

BESIDE: dict[str, tuple[Limits, Role, str, dict[str, Any] | None, str, str | None]] = {
    "a credential created with a host": (
        Limits(scopes=["hosts"]),
        "admin",
        "POST /hosts",
        {
            "name": "h",
            "address": "h",
            "user": "u",
            "new_credential": {"name": "c", "kind": "generated"},
        },
        "scope_missing",
        "new_credential",
    ),
    "private addresses of a new webhook": (
        Limits(scopes=["edit"]),
        "admin",
        "POST /webhooks",
        {
            "name": "w",
            "url": "http://10.0.0.7/",
            "events": ["run.judged.v1"],
            "private_addresses": True,
        },
        "scope_missing",
        "private_addresses",
    ),
    "private addresses of an existing webhook": (
        Limits(scopes=["edit"]),
        "admin",
        "PATCH /webhooks/{webhook_id}",
        {"private_addresses": True},
        "scope_missing",
        "private_addresses",
    ),
    "the end of an active campaign that is deleted": (
        Limits(scopes=["edit"]),
        "operator",
        "DELETE /campaigns/{campaign_id}?cancel=true",
        None,
        "scope_missing",
        None,
    ),
    "the end of another's active campaign that is deleted": (
        LABELS,
        "operator",
        "DELETE /campaigns/{campaign_id}?cancel=true",
        None,
        "not_launched_by_token",
        None,
    ),
    "the pause of another's schedule": (
        LABELS,
        "operator",
        "POST /schedules/{schedule_id}/pause",
        None,
        "token_is_limited",
        None,
    ),
    "the deletion of another's schedule": (
        LABELS,
        "operator",
        "DELETE /schedules/{schedule_id}",
        None,
        "token_is_limited",
        None,
    ),
    "the label that protects another's campaign": (
        LABELS,
        "operator",
        "PATCH /campaigns/{campaign_id}",
        {"labels": {"baseline": "x"}},
        "not_launched_by_token",
        None,
    ),
    "the end of another's share link": (
        LABELS,
        "operator",
        "DELETE /campaigns/{campaign_id}/shares/{share_id}",
        None,
        "not_launched_by_token",
        None,
    ),
    "the next version of a profile that schedules launch": (
        Limits(scopes=["edit", "launch"], bytes_per_day=1),
        "operator",
        "PUT /profiles/{profile_id}",
        None,
        "token_is_limited",
        None,
    ),
    "a token of somebody else, deleted": (
        Limits(scopes=["edit"]),
        "admin",
        "DELETE /tokens/{token_id}",
        None,
        "scope_missing",
        None,
    ),
    "a profile in a file": (
        Limits(scopes=["hosts"]),
        "admin",
        "POST /apply",
        {"text": PROFILE_FILE},
        "scope_missing",
        None,
    ),
}
"""What an operation does besides, by name: token, request, code of the refusal, and its field."""


@on_sqlite
def test_what_an_operation_does_besides_needs_its_own_permission(furnished: Furnished) -> None:
    with writing() as session:
        session.execute(update(Run).values(state="running"))
    before = _counts(furnished)
    for what, (limits, role, request, body, code, field) in BESIDE.items():
        _, secret = token_of(role, limits)
        operation = request.partition("?")[0]
        sent = body if body is not None else furnished.body(operation)
        answer = _send(furnished, request, sent, secret)
        assert not answer.is_success, what
        document = problem(answer, 403, code)
        assert [one["field"] for one in document["errors"]] == ([field] if field else []), what
    assert _counts(furnished) == before


def _send(furnished: Furnished, request: str, body: Any, token: str) -> Response:
    method, _, path = request.partition(" ")
    furnished.http.cookies.clear()
    url = PREFIX + path.format(**furnished.ids)
    return furnished.http.request(method, url, json=body, headers=bearer(token))


def _counts(furnished: Furnished) -> dict[str, Any]:
    """Return what the refused requests would have changed."""
    admin, ids = furnished.appliance.admin, furnished.ids
    with reading() as session:
        credentials = session.scalar(select(func.count(Credential.id)))
    schedule = admin.get(f"/schedules/{ids['schedule_id']}").json()
    return {
        "credentials": credentials,
        "hosts": len(admin.get("/hosts").json()["items"]),
        "webhooks": admin.get("/webhooks").json()["items"],
        "campaign": admin.get(f"/campaigns/{ids['campaign_id']}").json(),
        "schedule": schedule,
        "profiles": len(admin.get("/profiles", limit=200).json()["items"]),
        "token": admin.get(f"/tokens/{ids['token_id']}").status_code,
    }


@on_sqlite
def test_a_narrowed_token_deletes_no_other_token_of_its_user(furnished: Furnished) -> None:
    cookie, csrf = furnished.log_in("operator")
    body = {"name": "second", "role": "operator", "campaigns_at_once": 1}
    headers = {CSRF_HEADER: csrf, "Cookie": f"{COOKIE}={cookie}"}
    made = furnished.http.post(f"{PREFIX}/tokens", json=body, headers=headers).json()
    furnished.http.cookies.clear()
    second = Caller(furnished.http, made["token"])
    problem(second.delete(f"/tokens/{furnished.ids['token_id']}"), 403, "not_allowed")
    assert second.delete(f"/tokens/{made['id']}").is_success
