"""A request that is repeated with its key is executed once, whatever happens in between."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from assay.api.accounts.authentication import CSRF_HEADER
from assay.api.idempotency import execution, keys
from assay.tables.arrays import Array
from assay.tables.clock import moment
from assay.tables.database import reading, writing
from assay.tables.idempotency import IdempotencyKey
from sqlalchemy import func, select, update
from sqlalchemy.exc import OperationalError
from testing.api import FOUND, Appliance, problem
from testing.furnished import Furnished

KEY = "6f1d1c58-3b0c-4d7e-9b7e-0d0f6f3a7c11"


def count(table: type[Any] = Array) -> int:
    with reading() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def rows() -> list[IdempotencyKey]:
    with reading() as session:
        return list(session.scalars(select(IdempotencyKey)))


def age(**columns: Any) -> None:
    with writing() as session:
        session.execute(update(IdempotencyKey).values(**columns))


def test_a_repeated_request_gets_the_same_response_and_creates_nothing(
    appliance: Appliance,
) -> None:
    first, again = (appliance.operator.post("/arrays", {"name": "vault"}, KEY) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert count() == 1
    for name in ("Location", "ETag", "Content-Type"):
        assert again.headers[name] == first.headers[name]
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"


def test_a_body_with_its_fields_in_another_order_is_the_same(appliance: Appliance) -> None:
    first = appliance.operator.post("/arrays", {"name": "vault", "shared": True}, KEY)
    again = appliance.operator.post("/arrays", {"shared": True, "name": "vault"}, f'"{KEY}"')
    assert again.content == first.content
    assert again.headers["Idempotent-Replayed"] == "true"


def test_a_key_with_another_body_is_rejected(appliance: Appliance) -> None:
    appliance.operator.post("/arrays", {"name": "vault"}, KEY)
    found = problem(
        appliance.operator.post("/arrays", {"name": "attic"}, KEY), 422, "idempotency_key_reused"
    )
    assert (found["errors"][0]["field"], found["errors"][0]["value"]) == ("Idempotency-Key", KEY)
    assert count() == 1


def test_a_key_belongs_to_its_principal_and_path(appliance: Appliance) -> None:
    made = [
        appliance.operator.post("/arrays", {"name": "vault"}, KEY),
        appliance.admin.post("/arrays", {"name": "attic"}, KEY),
        appliance.admin.post("/hosts", {"name": "web-1", "connection": "local"}, KEY),
    ]
    assert [one.status_code for one in made] == [201, 201, 201]
    assert not any("Idempotent-Replayed" in one.headers for one in made)


def test_an_internal_error_is_not_stored(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("assay.api.endpoints.arrays.record", lambda *_, **__: 1 / 0)
        problem(appliance.operator.post("/arrays", {"name": "vault"}, KEY), 500, "internal")
    assert (count(), rows()) == (0, [])
    assert appliance.operator.post("/arrays", {"name": "vault"}, KEY).status_code == 201


def test_a_rejected_caller_claims_no_key(appliance: Appliance) -> None:
    problem(appliance.viewer.post("/arrays", {"name": "vault"}, KEY), 403, "not_allowed")
    problem(appliance.anonymous.post("/arrays", {"name": "vault"}, KEY), 401, "not_logged_in")
    assert rows() == []


def test_a_concurrent_duplicate_is_told_to_retry(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, leave = threading.Event(), threading.Event()
    written = execution.keys.claim

    def slow(wanted: keys.KeyedRequest) -> object:
        own = written(wanted)
        if isinstance(own, keys.Claim):
            entered.set()
            leave.wait(20)
        return own

    monkeypatch.setattr(keys, "claim", slow)
    with ThreadPoolExecutor(1) as other:
        first = other.submit(appliance.operator.post, "/arrays", {"name": "vault"}, KEY)
        assert entered.wait(20)
        duplicate = appliance.operator.post("/arrays", {"name": "vault"}, KEY)
        leave.set()
        assert first.result().status_code == 201
    problem(duplicate, 409, "request_in_progress")
    assert int(duplicate.headers["Retry-After"]) >= 1
    assert count() == 1


def test_the_object_and_its_key_are_stored_together_or_not_at_all(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OperationalError("UPDATE", {}, Exception("the database is gone"))

    with monkeypatch.context() as broken:
        broken.setattr(keys, "store", fail)
        problem(appliance.operator.post("/arrays", {"name": "vault"}, KEY), 503, "unavailable")
    assert count() == 0
    assert appliance.operator.post("/arrays", {"name": "vault"}, KEY).status_code == 201
    assert count() == 1


def test_the_claim_of_a_dead_process_is_taken_over(appliance: Appliance) -> None:
    appliance.operator.post("/arrays", {"name": "vault"}, KEY)
    age(status=None, body=None)
    problem(appliance.operator.post("/arrays", {"name": "vault"}, KEY), 409, "request_in_progress")
    age(claimed_until=moment(timedelta(seconds=-1)))
    # it is executed, and finds what the dead process had created
    problem(appliance.operator.post("/arrays", {"name": "vault"}, KEY), 409, "name_taken")


def test_a_claim_that_the_clock_was_set_back_behind_is_taken_over(appliance: Appliance) -> None:
    appliance.operator.post("/arrays", {"name": "vault"}, KEY)
    age(status=None, body=None, claimed_until=moment(keys.CLAIM + timedelta(minutes=1)))
    problem(appliance.operator.post("/arrays", {"name": "vault"}, KEY), 409, "name_taken")


def test_a_slow_request_whose_claim_was_taken_over_creates_nothing(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = keys.store

    def late(session: Any, own: keys.Claim, response: keys.StoredResponse) -> None:
        written(session, keys.Claim(own.key_id, "of another request"), response)

    monkeypatch.setattr(keys, "store", late)
    problem(appliance.operator.post("/arrays", {"name": "vault"}, KEY), 409, "request_in_progress")
    assert count() == 0


def test_a_key_is_new_after_its_time(appliance: Appliance) -> None:
    first = appliance.operator.post("/arrays", {"name": "vault"}, KEY)
    age(expires_at=moment(timedelta(seconds=-1)))
    again = appliance.operator.post("/arrays", {"name": "attic"}, KEY)
    assert again.status_code == 201
    assert again.json()["id"] != first.json()["id"]
    assert len(rows()) == 1


def test_only_expired_keys_are_swept(appliance: Appliance) -> None:
    appliance.operator.post("/arrays", {"name": "vault"}, "old")
    age(expires_at=moment(timedelta(seconds=-1)))
    appliance.operator.post("/arrays", {"name": "attic"}, "new")
    assert keys.sweep()
    assert [row.key for row in rows()] == ["new"]
    assert not keys.sweep()


def test_keys_are_kept_for_thirty_days(appliance: Appliance) -> None:
    appliance.operator.post("/arrays", {"name": "vault"}, KEY)
    (row,) = rows()
    assert timedelta(days=30) - timedelta(minutes=1) < row.expires_at - row.created_at
    assert row.expires_at - row.created_at <= timedelta(days=30)


@pytest.mark.parametrize("key", ["", '""', "a b", "x" * 256, "\t", 'a"b'])
def test_a_malformed_key_is_rejected(appliance: Appliance, key: str) -> None:
    found = problem(appliance.operator.post("/arrays", {"name": "vault"}, key), 422, "invalid")
    assert found["errors"][0]["field"] == "Idempotency-Key"
    assert count() == 0


def test_a_secret_is_never_replayed_nor_stored(furnished: Furnished) -> None:
    cookie, csrf = furnished.log_in("operator")
    headers = {CSRF_HEADER: csrf, "Idempotency-Key": KEY}
    furnished.http.cookies.set("assay_session", cookie)
    body = {"name": "ci", "role": "viewer"}
    first, again = (
        furnished.http.post("/api/v1/tokens", json=body, headers=headers) for _ in range(2)
    )
    assert first.status_code == 201
    found = problem(again, 409, "secret_not_replayed")
    assert found["existing_id"] == first.json()["id"]
    assert first.headers["Location"] in found["detail"]
    (row,) = rows()
    assert row.body is None
    assert first.json()["token"] not in str(row.headers)


def test_a_password_cannot_be_guessed_from_the_stored_fingerprint(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"name": "grace", "password": "battery staple", "role": "viewer"}
    appliance.admin.post("/users", body, KEY)
    (one,) = rows()
    monkeypatch.setattr(execution, "derived", lambda _purpose: b"the key of another appliance")
    appliance.admin.post("/users", body, "other")
    assert one.fingerprint not in [row.fingerprint for row in rows() if row.key == "other"]


def test_a_target_is_registered_once(appliance: Appliance) -> None:
    body = {"host_id": appliance.host(), "path": "/mnt/a"}
    with appliance.answering(FOUND):
        first, again = (appliance.operator.post("/targets", body, KEY) for _ in range(2))
    assert (first.status_code, again.content) == (201, first.content)
