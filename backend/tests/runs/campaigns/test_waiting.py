"""Requests that wait for the end of a campaign, by the dozen."""

import asyncio
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import anyio.to_thread
import httpx
import pytest
from assay.api.accounts import authentication
from assay.api.app import app
from assay.api.http import waiting
from assay.base.settings import settings
from assay.runs.campaigns import queries
from assay.runs.changes import runs_changed
from assay.tables.accounts import ApiToken
from assay.tables.database import now, writing
from assay.tables.runs import Run
from sqlalchemy import delete, update
from testing.api import Appliance, on_both, problem
from testing.appliance import until

CROWD = 60


@pytest.fixture
def campaign(appliance: Appliance) -> dict[str, Any]:
    """A campaign with an active run on each of two hosts."""
    targets = [appliance.target(appliance.host(f"web-{n}")) for n in range(2)]
    plan = {"profile_id": appliance.profile(), "target_ids": targets}
    return appliance.operator.post("/campaigns", plan).json()


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The campaign at each of its reads as a whole."""
    found: list[int] = []
    written = queries.one

    def counted(session: Any, campaign_id: int) -> Any:
        found.append(campaign_id)
        return written(session, campaign_id)

    monkeypatch.setattr(queries, "one", counted)
    return found


def change(run: dict[str, Any], **values: Any) -> None:
    with writing() as session:
        session.execute(update(Run).where(Run.id == run["id"]).values(**values))
        runs_changed(session, {run["id"]: session.get_one(Run, run["id"]).campaign_id})


def end(runs: Sequence[dict[str, Any]]) -> None:
    for run in runs:
        change(run, state="done", ended_at=now())


def number_waiting(appliance: Appliance) -> int:
    token = {"Authorization": f"Bearer {appliance.viewer.token}"}
    text = appliance.http.get("/metrics", headers=token).text
    (number,) = re.findall(r"^assay_waiting_requests (\d+)", text, re.MULTILINE)
    return int(number)


def crowd(
    port: int,
    token: object,
    paths: Sequence[str],
    meanwhile: Callable[[], object],
) -> list[httpx.Response]:
    """Request all paths at once, do something else meanwhile, and return the responses."""

    async def ask() -> list[httpx.Response]:
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}/api/v1",
            headers={"Authorization": f"Bearer {token}"},
            limits=httpx.Limits(max_connections=None),
            timeout=60,
        ) as client:
            asked = [asyncio.create_task(client.get(path)) for path in paths]
            await asyncio.to_thread(meanwhile)
            return await asyncio.gather(*asked)

    return asyncio.run(ask())


@on_both
def test_one_read_answers_all_who_wait(
    appliance: Appliance, served: int, campaign: dict[str, Any], reads: list[int]
) -> None:
    def measure_and_end() -> None:
        until("the wait", lambda: number_waiting(appliance) == CROWD)
        for done in range(5):
            change(campaign["runs"][0], trials_done=done)
            time.sleep(0.1)
        end(campaign["runs"])

    paths = [f"/campaigns/{campaign['id']}?wait=60"] * CROWD
    answers = crowd(served, appliance.viewer.token, paths, measure_and_end)
    assert {one.status_code for one in answers} == {200}
    assert len(reads) <= 2
    shown = appliance.viewer.get(f"/campaigns/{campaign['id']}")
    assert all(one.json() == shown.json() for one in answers)
    assert {one.headers["ETag"] for one in answers} == {shown.headers["ETag"]}
    assert number_waiting(appliance) == 0


@on_both
def test_who_waits_in_vain_gets_the_state_of_then(
    appliance: Appliance, served: int, campaign: dict[str, Any]
) -> None:
    """No response is older than the newest change before its wait was over."""
    changed: list[tuple[float, int]] = []

    def measure() -> None:
        for done in range(12):
            change(campaign["runs"][0], trials_done=done)
            changed.append((time.monotonic(), done))
            time.sleep(0.1)

    waits = [random.Random(n).uniform(0.2, 1.2) for n in range(CROWD)]
    begun = time.monotonic()
    paths = [f"/campaigns/{campaign['id']}?wait={one}" for one in waits]
    answers = crowd(served, appliance.viewer.token, paths, measure)
    for one, seconds in zip(answers, waits, strict=True):
        known = max((done for at, done in changed if at < begun + seconds), default=0)
        assert one.json()["runs"][0]["trials_done"] >= known


@pytest.mark.parametrize("seed", range(5))
def test_the_last_change_is_never_lost(
    appliance: Appliance, served: int, campaign: dict[str, Any], seed: int
) -> None:
    chance = random.Random(seed)

    def measure_and_end() -> None:
        for run in campaign["runs"]:
            for done in range(chance.randrange(4)):
                change(run, trials_done=done)
                time.sleep(chance.uniform(0, 0.4))
            end([run])

    paths = [f"/campaigns/{campaign['id']}?wait=30"] * 5
    begun = time.monotonic()
    answers = crowd(served, appliance.viewer.token, paths, measure_and_end)
    assert [one.json()["state"] for one in answers] == ["done"] * 5
    assert time.monotonic() - begun < 20


def test_the_deletion_of_the_campaign_ends_the_wait(
    appliance: Appliance, served: int, campaign: dict[str, Any]
) -> None:
    where = f"/campaigns/{campaign['id']}"

    def delete_it() -> None:
        until("the wait", lambda: number_waiting(appliance) == 5)
        assert appliance.operator.delete(f"{where}?cancel=true").status_code == 200

    for one in crowd(served, appliance.viewer.token, [f"{where}?wait=30"] * 5, delete_it):
        problem(one, 404, "not_found")


def _remove() -> None:
    with writing() as session:
        session.execute(delete(ApiToken).where(ApiToken.name == "viewer"))


def _expire() -> None:
    with writing() as session:
        past = now().replace(year=2020)
        session.execute(update(ApiToken).where(ApiToken.name == "viewer").values(expires_at=past))


def _narrow() -> None:
    with writing() as session:
        session.execute(update(ApiToken).where(ApiToken.name == "viewer").values(scopes=["launch"]))


@pytest.mark.parametrize(
    ("revoke", "status", "code"),
    [
        (_remove, 401, "not_logged_in"),
        (_expire, 401, "token_expired"),
        (_narrow, 403, "scope_missing"),
    ],
)
def test_a_login_that_was_revoked_meanwhile_gets_nothing_and_others_do(
    appliance: Appliance,
    served: int,
    campaign: dict[str, Any],
    revoke: Callable[[], None],
    status: int,
    code: str,
) -> None:
    path = f"/campaigns/{campaign['id']}?wait=30"
    others: list[httpx.Response] = []

    def wait_as_operator() -> None:
        others.extend(crowd(served, appliance.operator.token, [path] * 3, lambda: None))

    def revoke_and_end() -> None:
        until("the wait", lambda: number_waiting(appliance) == 6)
        revoke()
        end(campaign["runs"])

    second = threading.Thread(target=wait_as_operator)
    second.start()
    revoked = crowd(served, appliance.viewer.token, [path] * 3, revoke_and_end)
    second.join()
    for one in revoked:
        problem(one, status, code)
    assert [one.status_code for one in others] == [200] * 3


def test_many_requests_with_one_login_authenticate_with_few_reads(
    appliance: Appliance,
    served: int,
    campaign: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[str] = []
    written = authentication._by_token

    def counted(request: Any, token: str) -> Any:
        found.append(request.url.path)
        return written(request, token)

    monkeypatch.setattr(authentication, "_by_token", counted)
    where = f"/campaigns/{campaign['id']}"

    def end_it() -> None:
        until("the wait", lambda: number_waiting(appliance) == CROWD)
        end(campaign["runs"])

    crowd(served, appliance.viewer.token, [f"{where}?wait=30"] * CROWD, end_it)
    assert 2 <= found.count(f"/api/v1{where}") <= CROWD // 4


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setenv("ASSAY_WAITING_REQUESTS", "3")
    settings.cache_clear()
    yield 3
    settings.cache_clear()


def test_a_request_beyond_the_limit_is_refused_and_says_when_to_come_back(
    appliance: Appliance, served: int, campaign: dict[str, Any], places: int
) -> None:
    where = f"/campaigns/{campaign['id']}"
    host = campaign["runs"][0]["participants"][0]["host"]["id"]
    refused: list[httpx.Response] = []

    def ask_more() -> None:
        until("the wait", lambda: number_waiting(appliance) == places)
        refused.append(appliance.viewer.get(where, wait=1))
        refused.append(appliance.viewer.get(f"{where}/stream"))
        refused.append(appliance.operator.post(f"/hosts/{host}/check?wait=1"))
        assert appliance.viewer.get(where).status_code == 200
        assert appliance.anonymous.get("/health").status_code == 200
        end(campaign["runs"])

    answers = crowd(served, appliance.viewer.token, [f"{where}?wait=30"] * places, ask_more)
    assert [one.status_code for one in answers] == [200] * places
    for one in refused:
        found = problem(one, 503, "too_many_waiting")
        assert one.headers["Retry-After"] == str(waiting.RETRY_AFTER_S)
        assert "ASSAY_WAITING_REQUESTS" in found["remedy"] and "3 " in found["detail"]
    assert appliance.viewer.get(where, wait=1).status_code == 200  # the places are free again


def test_the_limit_leaves_files_for_everything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting.resource, "getrlimit", lambda _which: (1024, 4096))
    assert waiting.limit() == 1024 - waiting.OTHER_FILES
    assert "open files" in str(waiting.TooManyWaiting(waiting.limit()))
    monkeypatch.setattr(waiting.resource, "getrlimit", lambda _which: (20_000, 20_000))
    assert waiting.limit() == settings().waiting_requests
    assert "ASSAY_WAITING_REQUESTS" in str(waiting.TooManyWaiting(waiting.limit()))


@pytest.mark.parametrize(
    "request_line",
    [
        "GET /api/v1/campaigns/{campaign}?wait=60",
        "GET /api/v1/campaigns/{campaign}/stream",
        "POST /api/v1/hosts/{host}/check?wait=60",
    ],
)
def test_a_disconnected_client_frees_its_place(
    appliance: Appliance, served: int, campaign: dict[str, Any], request_line: str
) -> None:
    ids = {"campaign": campaign["id"], "host": appliance.host("checked")}

    async def connect_and_leave() -> None:
        head = f"Host: assay\r\nAuthorization: Bearer {appliance.operator.token}\r\n\r\n"
        asked = request_line.format(**ids)
        writers: list[asyncio.StreamWriter] = []
        for _ in range(3):
            _, writer = await asyncio.open_connection("127.0.0.1", served)
            writer.write(f"{asked} HTTP/1.1\r\n{head}".encode())
            writers.append(writer)
        await asyncio.to_thread(until, "the wait", lambda: number_waiting(appliance) == 3)
        for writer in writers:
            writer.close()

    asyncio.run(connect_and_leave())
    until("the wait", lambda: number_waiting(appliance) == 0)
    assert f"campaign:{campaign['id']}" not in app.state.broadcaster._subscribers


def test_health_responds_while_all_threads_are_busy(appliance: Appliance) -> None:
    go_on = threading.Event()

    async def occupy() -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(int(anyio.to_thread.current_default_thread_limiter().total_tokens)):
                tasks.start_soon(anyio.to_thread.run_sync, go_on.wait, 30)

    portal = appliance.http.portal
    assert portal is not None
    busy = portal.start_task_soon(occupy)
    try:
        begun = time.monotonic()
        assert appliance.anonymous.get("/health").status_code == 200
        assert time.monotonic() - begun < 15
    finally:
        go_on.set()
        busy.result()
