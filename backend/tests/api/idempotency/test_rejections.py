"""A rejected request releases its key, unless it would always be rejected."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from assay.base.errors import Invalid, Problem
from assay.base.field_errors import FieldError
from assay.base.settings import settings
from assay.tables.database import reading, writing
from assay.tables.hosts import Host
from assay.tables.idempotency import IdempotencyKey
from assay.tables.targets import Target
from sqlalchemy import func, select, update
from testing.api import FOUND, GB, Appliance, Caller, problem

KEY = "6f1d1c58-3b0c-4d7e-9b7e-0d0f6f3a7c11"
REPLAYED = "Idempotent-Replayed"

Case = tuple[Callable[[], Any], Callable[[], object]]
"""A request that is refused, and what makes it possible."""


def keys() -> int:
    with reading() as session:
        return session.scalar(select(func.count()).select_from(IdempotencyKey)) or 0


def change(table: type[Any], **columns: Any) -> None:
    with writing() as session:
        session.execute(update(table).values(**columns))


def no_space(appliance: Appliance) -> Case:
    target = appliance.target(appliance.host(), free_bytes=1 * GB)
    plan = {"profile_id": appliance.profile(), "target_ids": [target]}

    return (
        lambda: appliance.operator.post("/campaigns", plan, KEY),
        lambda: change(Target, facts=FOUND),
    )


def no_target(appliance: Appliance) -> Case:
    host = appliance.host()
    plan = {"profile_id": appliance.profile(), "target_ids": [1]}
    return (
        lambda: appliance.operator.post("/campaigns", plan, KEY),
        lambda: appliance.target(host),
    )


def no_host_of_that_name(appliance: Appliance) -> Case:
    plan = {"profile_id": appliance.profile(), "targets": ["web-9/mnt/a"]}
    return (
        lambda: appliance.operator.post("/campaigns", plan, KEY),
        lambda: appliance.target(appliance.host("web-9")),
    )


def name_taken(appliance: Appliance) -> Case:
    other = appliance.operator.post("/arrays", {"name": "vault"}).json()["id"]
    return (
        lambda: appliance.operator.post("/arrays", {"name": "vault"}, KEY),
        lambda: appliance.operator.delete(f"/arrays/{other}"),
    )


def not_found(appliance: Appliance) -> Case:
    newest = max(one["id"] for one in appliance.viewer.get("/profiles", limit=200).json()["items"])
    return (
        lambda: appliance.operator.post(f"/profiles/{newest + 1}/copy", {"name": "second"}, KEY),
        lambda: appliance.operator.post(f"/profiles/{newest}/copy", {"name": "first"}),
    )


def host_not_ready(appliance: Appliance) -> Case:
    host = appliance.host(state="unreachable")

    def register() -> Any:
        with appliance.answering(FOUND):
            return appliance.operator.post("/targets", {"host_id": host, "path": "/mnt/a"}, KEY)

    return register, lambda: change(Host, state="ready")


def role_too_low(appliance: Appliance) -> Case:
    callers = iter([appliance.viewer, appliance.operator])
    return lambda: next(callers).post("/arrays", {"name": "vault"}, KEY), lambda: None


@pytest.mark.parametrize(
    ("case", "status", "code"),
    [
        (no_space, 422, "does_not_fit"),
        (no_target, 422, "invalid"),
        (no_host_of_that_name, 422, "invalid"),
        (name_taken, 409, "name_taken"),
        (not_found, 404, "not_found"),
        (host_not_ready, 409, "host_not_ready"),
        (role_too_low, 403, "not_allowed"),
    ],
)
def test_a_request_that_was_refused_is_executed_once_its_cause_is_gone(
    appliance: Appliance, case: Callable[[Appliance], Case], status: int, code: str
) -> None:
    ask, remedy = case(appliance)
    problem(ask(), status, code)
    assert keys() == 0
    remedy()
    made = ask()
    assert made.status_code == 201, made.text
    assert REPLAYED not in made.headers
    if case is not role_too_low:
        assert ask().headers[REPLAYED] == "true"


def kinds(kind: type[Problem] = Problem) -> Iterator[type[Problem]]:
    yield kind
    for one in kind.__subclasses__():
        yield from kinds(one)


REFUSALS = sorted({(one.status, code) for one in kinds() for code in one.codes or (one.code,)})


@pytest.mark.parametrize("status", sorted({status for status, _ in REFUSALS}))
def test_no_refusal_by_an_endpoint_is_stored(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    """Whatever an endpoint refuses depends on what exists, and so may change."""
    for code in [code for one, code in REFUSALS if one == status]:

        def refuse(*_: Any, status: int = status, code: str = code, **__: Any) -> None:
            if code == Invalid.code:
                raise Invalid([FieldError("name", "is not possible now", "Try again.", "vault")])
            refused = Problem("Not now.")
            refused.status, refused.code, refused.title = status, code, "Not now"
            raise refused

        with monkeypatch.context() as refusing:
            refusing.setattr("assay.api.endpoints.arrays.record", refuse)
            body = {"name": f"vault {code}"}
            assert appliance.operator.post("/arrays", body, code).status_code == status
        assert keys() == 0, code
        assert appliance.operator.post("/arrays", body, code).status_code == 201
        change(IdempotencyKey, key="done")
        with writing() as session:
            session.execute(IdempotencyKey.__table__.delete())


@pytest.mark.parametrize(
    "body",
    [{}, {"shard": 1}, {"name": 7}, {"name": ""}, {"name": "a\tb"}, [], "vault", None],
    ids=str,
)
def test_a_body_that_is_never_valid_is_refused_in_the_same_way(
    appliance: Appliance, body: object
) -> None:
    first, again = (appliance.operator.post("/arrays", body, KEY) for _ in range(2))
    assert problem(again, 422, "invalid") == problem(first, 422, "invalid")
    assert REPLAYED not in first.headers
    assert again.headers[REPLAYED] == "true"


def test_the_next_attempt_may_have_another_body_after_a_refusal(appliance: Appliance) -> None:
    appliance.operator.post("/arrays", {"name": "vault"})
    problem(appliance.operator.post("/arrays", {"name": "vault"}, KEY), 409, "name_taken")
    assert appliance.operator.post("/arrays", {"name": "attic"}, KEY).status_code == 201


def test_a_caller_that_was_too_quick_is_served_later(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(caller: Caller) -> Any:
        return caller.post("/arrays", {"name": "vault"}, KEY)

    monkeypatch.setenv("ASSAY_REQUESTS_PER_SECOND", "1")
    settings.cache_clear()
    while appliance.operator.get("/arrays").status_code == 200:
        pass
    problem(ask(appliance.operator), 429, "too_many_requests")
    monkeypatch.setenv("ASSAY_REQUESTS_PER_SECOND", "0")
    settings.cache_clear()
    assert ask(appliance.operator).status_code == 201
