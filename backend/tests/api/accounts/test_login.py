"""Setup, sessions, and throttling of failed logins."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from argon2 import PasswordHasher
from assay.access import first_start, secrets
from assay.api.accounts import login
from assay.api.accounts.authentication import COOKIE, CSRF_HEADER, address_of
from assay.api.accounts.login import FAILURES_OF_A_PAIR
from assay.base.settings import Settings, invalid_settings, settings
from assay.tables.accounts import BrowserSession, User
from assay.tables.database import now, reading, writing
from fastapi import Request
from fastapi.testclient import TestClient
from pydantic import ValidationError
from sqlalchemy import select, update
from testing.api import Appliance, fields, on_sqlite, problem

ADA = {"name": "ada", "password": "correct horse"}


@pytest.fixture
def code(appliance: Appliance) -> str:
    with writing() as session:
        code = first_start.prepare(session, None)
    assert code is not None
    return code


@pytest.fixture
def csrf(appliance: Appliance, code: str) -> str:
    return appliance.http.post("/api/v1/setup", json={"code": code, **ADA}).json()["csrf"]


def test_the_setup_code_creates_a_logged_in_administrator(appliance: Appliance, code: str) -> None:
    assert appliance.anonymous.get("/health").json()["setup_required"] is True
    answer = appliance.http.post("/api/v1/setup", json={"code": code.lower(), **ADA})
    assert answer.status_code == 201
    user = answer.json()["user"]
    assert user == {"id": user["id"], "name": "ada", "role": "admin"}
    assert appliance.http.get("/api/v1/session").json() == answer.json()
    assert appliance.anonymous.get("/health").json()["setup_required"] is False


@pytest.mark.parametrize("typed", ["{plain}", " {lower} ", "{spaced}"])
def test_a_setup_code_is_taken_in_any_case_with_and_without_dashes(
    appliance: Appliance, code: str, typed: str
) -> None:
    plain = code.replace("-", "")
    given = typed.format(plain=plain, lower=plain.lower(), spaced=code.replace("-", " "))
    answer = appliance.http.post("/api/v1/setup", json={"code": given, **ADA})
    assert answer.status_code == 201


def test_the_cookie_is_http_only_and_same_site(appliance: Appliance, code: str) -> None:
    answer = appliance.http.post("/api/v1/setup", json={"code": code, **ADA})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie


def test_a_second_setup_is_rejected(appliance: Appliance, code: str, csrf: str) -> None:
    answer = appliance.anonymous.post("/setup", {"code": code, **ADA})
    problem(answer, 409, "already_set_up")


def test_a_wrong_setup_code_is_rejected(appliance: Appliance, code: str) -> None:
    answer = appliance.anonymous.post("/setup", {"code": "AAAA", **ADA})
    document = problem(answer, 403, "wrong_setup_code")
    assert fields(document) == ["code"]
    assert "`" not in document["detail"]  # however Assay was started
    assert "AAAA" not in answer.text


def test_a_short_password_is_rejected_without_echoing_it(appliance: Appliance, code: str) -> None:
    answer = appliance.anonymous.post("/setup", {"code": code, "name": "a", "password": "short"})
    document = problem(answer, 422, "invalid")
    assert fields(document) == ["password"]
    assert "short" not in answer.text.replace("too_short", "")


def test_a_write_with_a_cookie_needs_the_csrf_header(appliance: Appliance, csrf: str) -> None:
    array = {"name": "vault"}
    problem(appliance.http.post("/api/v1/arrays", json=array), 403, "csrf")
    wrong = {CSRF_HEADER: "nonsense-ü".encode()}
    problem(appliance.http.post("/api/v1/arrays", json=array, headers=wrong), 403, "csrf")
    right = {CSRF_HEADER: csrf}
    assert appliance.http.post("/api/v1/arrays", json=array, headers=right).status_code == 201


def test_log_in_and_out(appliance: Appliance, csrf: str) -> None:
    appliance.http.cookies.clear()
    problem(appliance.http.get("/api/v1/session"), 401, "not_logged_in")
    opened = appliance.http.post("/api/v1/session", json=ADA)
    assert opened.status_code == 201
    headers = {CSRF_HEADER: opened.json()["csrf"]}
    kept = appliance.http.cookies[COOKIE]
    assert appliance.http.delete("/api/v1/session", headers=headers).status_code == 204
    appliance.http.cookies.set(COOKIE, kept)
    problem(appliance.http.get("/api/v1/session"), 401, "not_logged_in")


def test_a_session_ends_with_its_time(appliance: Appliance, csrf: str) -> None:
    with writing() as session:
        session.execute(update(BrowserSession).values(expires_at=now() - timedelta(seconds=1)))
    problem(appliance.http.get("/api/v1/session"), 401, "not_logged_in")


def test_wrong_password_and_unknown_name_get_the_same_response(
    appliance: Appliance, csrf: str
) -> None:
    answers = [
        appliance.anonymous.post("/session", {"name": name, "password": "wrong password"})
        for name in ("ada", "nobody")
    ]
    assert answers[0].json() == answers[1].json()
    problem(answers[0], 401, "wrong_login")


WRONG = {"name": "ada", "password": "wrong password"}


def _from(appliance: Appliance, address: str, login: dict[str, str]) -> int:
    """The status of a login that a proxy on 10.1.0.1 forwards for `address`."""
    client = TestClient(appliance.http.app, client=("10.1.0.1", 50000))
    return client.post(
        "/api/v1/session", json=login, headers={"X-Forwarded-For": address}
    ).status_code


@pytest.fixture
def behind_a_proxy(appliance: Appliance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_TRUSTED_PROXIES", "10.1.0.0/16, 192.0.2.7")
    settings.cache_clear()


@pytest.mark.usefixtures("behind_a_proxy")
def test_nobody_can_lock_an_account_from_another_address(appliance: Appliance, csrf: str) -> None:
    for _ in range(FAILURES_OF_A_PAIR):
        assert _from(appliance, "203.0.113.9", WRONG) == 401
    assert _from(appliance, "203.0.113.9", ADA) == 429
    assert _from(appliance, "203.0.113.8", ADA) == 201


def test_failures_of_one_account_do_not_lock_others_at_the_same_address(
    appliance: Appliance, csrf: str
) -> None:
    grace = {"name": "grace", "password": "battery staple"}
    assert appliance.admin.post("/users", {**grace, "role": "viewer"}).status_code == 201
    for _ in range(FAILURES_OF_A_PAIR):
        appliance.anonymous.post("/session", WRONG)
    problem(appliance.anonymous.post("/session", ADA), 429, "too_many_logins")
    assert appliance.anonymous.post("/session", grace).status_code == 201


@pytest.mark.usefixtures("behind_a_proxy")
@pytest.mark.parametrize(
    ("sender", "forwarded", "address"),
    [
        ("10.1.0.1", "203.0.113.9", "203.0.113.9"),
        ("10.1.0.1", "198.51.100.1, 203.0.113.9", "203.0.113.9"),
        ("10.1.0.1", "203.0.113.9, 192.0.2.7, 10.1.2.3", "203.0.113.9"),
        ("10.1.0.1", "203.0.113.9, unknown", "10.1.0.1"),
        ("10.1.0.1", "10.1.0.2", "10.1.0.2"),
        ("10.1.0.1", "", "10.1.0.1"),
        ("::ffff:10.1.0.1", "2001:db8::1", "2001:db8::1"),
        ("10.2.0.1", "203.0.113.9", "10.2.0.1"),
    ],
)
def test_the_client_address_is_the_last_untrusted_hop(
    sender: str, forwarded: str, address: str
) -> None:
    scope = {
        "type": "http",
        "client": (sender, 50000),
        "headers": [(b"x-forwarded-for", forwarded.encode())],
    }
    assert address_of(Request(scope)) == address


def test_forwarded_addresses_of_untrusted_proxies_are_ignored(
    appliance: Appliance, csrf: str
) -> None:
    for number in range(FAILURES_OF_A_PAIR):
        _from(appliance, f"203.0.113.{number}", WRONG)
    assert _from(appliance, "203.0.113.200", ADA) == 429


def test_an_invalid_trusted_proxy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_TRUSTED_PROXIES", "10.1.0.0/16,proxy.example")
    with pytest.raises(ValidationError) as refused:
        Settings()
    assert "ASSAY_TRUSTED_PROXIES" in invalid_settings(refused.value)


def test_after_five_failures_the_correct_password_is_throttled_too(
    appliance: Appliance, csrf: str
) -> None:
    for _ in range(5):
        appliance.anonymous.post("/session", {"name": "ada", "password": "wrong password"})
    answer = appliance.anonymous.post("/session", ADA)
    problem(answer, 429, "too_many_logins")
    assert int(answer.headers["Retry-After"]) > 0


@on_sqlite
def test_concurrent_guesses_are_throttled(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []

    def slowly(password: str, _stored: str | None) -> bool:
        tried.append(password)
        time.sleep(0.05)
        return False

    monkeypatch.setattr(login, "password_matches", slowly)
    guesses = [{"name": "ada", "password": f"guess {number}"} for number in range(20)]
    with ThreadPoolExecutor(len(guesses)) as guessers:
        answers = list(
            guessers.map(lambda guess: appliance.anonymous.post("/session", guess), guesses)
        )
    assert FAILURES_OF_A_PAIR <= len(tried) < FAILURES_OF_A_PAIR + login.CONCURRENT_HASHES
    assert [answer.status_code for answer in answers].count(429) == len(guesses) - len(tried)


def test_a_login_replaces_a_hash_of_other_costs(
    appliance: Appliance, csrf: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stored() -> str:
        with reading() as session:
            return session.scalars(select(User.password_hash)).one()

    before = stored()
    assert appliance.http.post("/api/v1/session", json=ADA).status_code == 201
    assert stored() == before
    dearer = PasswordHasher(time_cost=2, memory_cost=64, parallelism=1)
    monkeypatch.setattr(secrets, "_hasher", dearer)
    assert appliance.http.post("/api/v1/session", json=ADA).status_code == 201
    assert stored() != before
    assert not dearer.check_needs_rehash(stored())
    assert appliance.http.post("/api/v1/session", json=ADA).status_code == 201


def test_an_administrator_from_the_settings_needs_no_code(appliance: Appliance) -> None:
    with writing() as session:
        assert first_start.prepare(session, "from the settings") is None
    login = {"name": "admin", "password": "from the settings"}
    assert appliance.anonymous.post("/session", login).status_code == 201
    with writing() as session:
        assert first_start.prepare(session, "another one") is None


def test_the_first_administrator_is_in_the_audit_log(appliance: Appliance, csrf: str) -> None:
    created = next(entry for entry in appliance.audit() if entry["action"] == "user.created")
    assert (created["actor"], created["object"]) == ("setup code", "user 1 ada")
    assert created["address"] == "testclient"


def test_the_administrator_from_the_settings_is_in_the_audit_log(appliance: Appliance) -> None:
    with writing() as session:
        first_start.prepare(session, "from the settings")
    assert [entry["actor"] for entry in appliance.audit()] == ["ASSAY_ADMIN_PASSWORD"]


def test_a_token_has_no_session_to_close(appliance: Appliance) -> None:
    problem(appliance.viewer.delete("/session"), 401, "not_logged_in")
    assert appliance.audit() == []
