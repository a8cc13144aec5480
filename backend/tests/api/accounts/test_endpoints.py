"""Users, tokens and the audit log."""

import base64
from datetime import datetime, timedelta
from functools import partial

import pytest
from assay.access.secrets import fingerprint
from assay.api.accounts import authentication
from assay.api.accounts.authentication import CSRF_HEADER
from assay.api.endpoints import accounts as endpoints
from assay.tables.accounts import ApiToken
from assay.tables.database import now, reading, writing
from httpx import Response
from sqlalchemy import select, update
from sqlalchemy.exc import OperationalError
from testing.api import Appliance, Caller, at_once, fields, on_both, problem

GRACE = {
    "name": "grace 'O\"Neil' $(reboot) \u00fc \u6f22",
    "password": "battery staple",
    "role": "operator",
}


def _admin(appliance: Appliance, name: str = "root") -> int:
    body = {"name": name, "password": "correct horse", "role": "admin"}
    return appliance.admin.post("/users", body).json()["id"]


def test_users_are_added_listed_changed_and_deleted(appliance: Appliance) -> None:
    _admin(appliance)
    added = appliance.admin.post("/users", GRACE)
    assert added.status_code == 201
    user = added.json()
    assert user["name"] == GRACE["name"]
    listed = appliance.admin.get("/users").json()["items"]
    assert [one["name"] for one in listed] == ["root", GRACE["name"]]
    changed = appliance.admin.patch(f"/users/{user['id']}", {"role": "viewer", "disabled": True})
    assert changed.json()["role"] == "viewer"
    login = {"name": GRACE["name"], "password": GRACE["password"]}
    problem(appliance.anonymous.post("/session", login), 401, "wrong_login")
    assert appliance.admin.delete(f"/users/{user['id']}").status_code == 204
    problem(appliance.admin.delete(f"/users/{user['id']}"), 404, "not_found")


def test_required_fields_of_a_user_cannot_be_null(appliance: Appliance, grace: str) -> None:
    before = appliance.audit()
    nothing = {"role": None, "password": None, "disabled": None}
    refused = problem(appliance.admin.patch(grace, nothing), 422, "invalid")
    assert fields(refused) == ["disabled", "password", "role"]
    assert appliance.audit() == before


def test_user_names_are_unique(appliance: Appliance) -> None:
    appliance.admin.post("/users", GRACE)
    document = problem(appliance.admin.post("/users", GRACE), 409, "name_taken")
    assert fields(document) == ["name"]


def test_the_last_administrator_cannot_be_removed(appliance: Appliance) -> None:
    user_id = _admin(appliance)
    path = f"/users/{user_id}"
    problem(appliance.admin.delete(path), 409, "last_administrator")
    problem(appliance.admin.patch(path, {"role": "viewer"}), 409, "last_administrator")
    problem(appliance.admin.patch(path, {"disabled": True}), 409, "last_administrator")


@on_both
def test_concurrent_removals_keep_one_administrator(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = [_admin(appliance, name) for name in ("ada", "grace")]
    deletions = [partial(appliance.admin.delete, f"/users/{user_id}") for user_id in users]
    answers = at_once(monkeypatch, endpoints, *deletions)
    assert sorted(answer.status_code for answer in answers) == [204, 409]
    assert len(appliance.admin.get("/users").json()["items"]) == 1


def test_a_new_password_ends_the_sessions(appliance: Appliance) -> None:
    user_id = appliance.admin.post("/users", GRACE).json()["id"]
    login = {"name": GRACE["name"], "password": GRACE["password"]}
    assert appliance.http.post("/api/v1/session", json=login).status_code == 201
    assert appliance.http.get("/api/v1/session").status_code == 200
    appliance.admin.patch(f"/users/{user_id}", {"password": "another password"})
    problem(appliance.http.get("/api/v1/session"), 401, "not_logged_in")


def _make_token(appliance: Appliance, of: str = GRACE["name"], **wanted: object) -> Response:
    """Log GRACE in, or another with her password, and let them make a token."""
    login = {"name": of, "password": GRACE["password"]}
    csrf = appliance.http.post("/api/v1/session", json=login).json()["csrf"]
    body = {"name": "ci", "role": "operator", "expires_in_days": 1, **wanted}
    made = appliance.http.post("/api/v1/tokens", json=body, headers={CSRF_HEADER: csrf})
    appliance.http.cookies.clear()
    return made


@pytest.fixture
def grace(appliance: Appliance) -> str:
    """A user's path, with GRACE's name and password."""
    return f"/users/{appliance.admin.post('/users', GRACE).json()['id']}"


def test_a_token_is_shown_once_and_stored_as_a_hash(appliance: Appliance, grace: str) -> None:
    made = _make_token(appliance).json()
    assert made["token"].startswith("assay_")
    caller = Caller(appliance.http, made["token"])
    assert caller.get("/hosts").status_code == 200
    assert made["token"] not in appliance.admin.get("/tokens").text
    with reading() as session:
        row = session.get_one(ApiToken, made["id"])
        assert row.token_hash == fingerprint(made["token"])


def test_only_an_administrator_sees_the_tokens_of_others(appliance: Appliance, grace: str) -> None:
    caller = Caller(appliance.http, _make_token(appliance).json()["token"])

    def seen(by: Caller) -> list[str]:
        return [token["name"] for token in by.get("/tokens").json()["items"]]

    assert seen(caller) == ["ci"]
    assert seen(appliance.viewer) == []
    assert {"ci", "viewer", "operator", "admin"} <= set(seen(appliance.admin))


def test_a_token_cannot_exceed_the_role_of_its_creator(appliance: Appliance, grace: str) -> None:
    problem(_make_token(appliance, role="admin"), 403, "not_allowed")


def test_a_token_cannot_create_tokens(appliance: Appliance, grace: str) -> None:
    of_grace = Caller(appliance.http, _make_token(appliance).json()["token"])
    for caller in (of_grace, appliance.admin):
        answer = caller.post("/tokens", {"name": "child", "role": "viewer"})
        problem(answer, 403, "token_cannot_create_tokens")


def test_tokens_of_a_disabled_user_are_rejected(appliance: Appliance, grace: str) -> None:
    caller = Caller(appliance.http, _make_token(appliance).json()["token"])
    appliance.admin.patch(grace, {"disabled": True})
    problem(caller.get("/hosts"), 401, "not_logged_in")
    appliance.admin.patch(grace, {"disabled": False})
    assert caller.get("/hosts").status_code == 200


def test_deleting_a_user_revokes_their_tokens(appliance: Appliance, grace: str) -> None:
    caller = Caller(appliance.http, _make_token(appliance).json()["token"])
    appliance.admin.delete(grace)
    problem(caller.get("/hosts"), 401, "not_logged_in")
    assert "ci" not in [token["name"] for token in appliance.admin.get("/tokens").json()["items"]]


def test_a_token_is_limited_to_the_role_of_its_user(appliance: Appliance, grace: str) -> None:
    caller = Caller(appliance.http, _make_token(appliance).json()["token"])
    assert caller.post("/arrays", {"name": "vault"}).status_code == 201
    appliance.admin.patch(grace, {"role": "viewer"})
    problem(caller.post("/arrays", {"name": "safe"}), 403, "not_allowed")
    assert caller.get("/arrays").status_code == 200


def test_an_expired_token_is_reported_as_expired(appliance: Appliance) -> None:
    with writing() as session:
        row = session.scalars(select(ApiToken).where(ApiToken.name == "viewer")).one()
        row.expires_at = now() - timedelta(seconds=1)
    problem(appliance.viewer.get("/hosts"), 401, "token_expired")


def test_an_unknown_token_is_rejected(appliance: Appliance) -> None:
    answer = Caller(appliance.http, "assay_wrong").get("/hosts")
    problem(answer, 401, "not_logged_in")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_deleted_token_is_rejected(appliance: Appliance, grace: str) -> None:
    made, other = (_make_token(appliance).json() for _ in range(2))
    caller = Caller(appliance.http, made["token"])
    problem(appliance.operator.delete(f"/tokens/{made['id']}"), 403, "not_allowed")
    assert caller.delete(f"/tokens/{other['id']}").status_code == 204
    assert appliance.admin.delete(f"/tokens/{made['id']}").status_code == 204
    problem(caller.get("/hosts"), 401, "not_logged_in")


def test_the_last_use_of_a_token_is_recorded_once_a_minute(appliance: Appliance) -> None:
    def last_use() -> datetime | None:
        with reading() as session:
            of_viewer = select(ApiToken.last_used_at).where(ApiToken.name == "viewer")
            return session.scalars(of_viewer).one()

    appliance.viewer.get("/hosts")
    first = last_use()
    assert first is not None
    appliance.viewer.get("/hosts")
    assert last_use() == first
    with writing() as session:
        earlier = first - timedelta(minutes=2)
        session.execute(update(ApiToken).values(last_used_at=earlier))
    appliance.viewer.get("/hosts")
    used_again = last_use()
    assert used_again is not None and used_again >= first


def test_a_request_does_not_fail_because_the_use_of_its_token_cannot_be_recorded(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> None:
        raise OperationalError("UPDATE", None, Exception("disk full"))

    monkeypatch.setattr(authentication, "writing", full)
    assert appliance.viewer.get("/hosts").status_code == 200


def test_every_change_is_in_the_audit_log(appliance: Appliance) -> None:
    array = appliance.operator.post("/arrays", {"name": "vault"}).json()
    appliance.operator.patch(f"/arrays/{array['id']}", {"firmware": "7.2"})
    newest, before = appliance.audit()[:2]
    assert newest["action"] == "array.changed"
    assert newest["actor"] == "token operator"
    assert newest["object"] == f"array {array['id']} vault"
    assert newest["detail"] == {"firmware": "7.2"}
    assert newest["address"] == "testclient"
    assert before["action"] == "array.created"


def test_the_audit_log_names_the_user_of_a_token(appliance: Appliance) -> None:
    for name in ("ada", "g" * 100):
        user = appliance.admin.post("/users", {**GRACE, "name": name}).json()
        made = _make_token(appliance, of=name, name="ci" * 50).json()
        caller = Caller(appliance.http, made["token"])
        assert caller.post("/arrays", {"name": name}).status_code == 201
        assert caller.post(f"/profiles/{appliance.profile()}/copy", {"name": name}).is_success
        actor = appliance.audit()[0]["actor"]
        assert actor.startswith(f"{user['name']}, token ci") and len(actor) <= 120


def test_a_rejected_change_is_not_in_the_audit_log(appliance: Appliance) -> None:
    before = len(appliance.audit())
    problem(appliance.operator.post("/arrays", {"name": ""}), 422, "invalid")
    problem(appliance.viewer.post("/arrays", {"name": "vault"}), 403, "not_allowed")
    assert len(appliance.audit()) == before


def test_lists_come_in_pages(appliance: Appliance) -> None:
    for number in range(5):
        appliance.operator.post("/arrays", {"name": f"array {number}"})
    first = appliance.viewer.get("/arrays", limit=3).json()
    assert [one["name"] for one in first["items"]] == ["array 4", "array 3", "array 2"]
    last = appliance.viewer.get("/arrays", limit=3, cursor=first["next_cursor"]).json()
    assert [one["name"] for one in last["items"]] == ["array 1", "array 0"]
    assert last["next_cursor"] is None
    assert appliance.viewer.get("/arrays", limit=5).json()["next_cursor"] is None


def test_an_invalid_cursor_is_rejected(appliance: Appliance) -> None:
    beyond = base64.urlsafe_b64encode(b"after:9223372036854775808").decode()
    for cursor in ("x", "", "YWZ0ZXI6eA", "\u00fc", beyond):
        document = problem(appliance.viewer.get("/arrays", cursor=cursor), 422, "invalid")
        assert fields(document) == ["cursor"]
