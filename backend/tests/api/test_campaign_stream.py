"""Streams of a campaign's changes, over a real connection."""

import asyncio
import functools
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from assay.api import campaign_stream as stream
from assay.api.app import app
from assay.api.campaign_stream import States
from assay.base.deadline import Deadline
from assay.base.messaging.changes import Broadcaster
from assay.base.turns import Turns
from assay.runs.changes import runs_changed
from assay.runs.recording.ingest import ingest
from assay.runs.scheduling import capacity
from assay.tables.accounts import ApiToken
from assay.tables.database import engine, now, writing
from assay.tables.runs import Participant, Run, Trial
from sqlalchemy import QueuePool, delete, select, update
from testing.api import Appliance, problem
from testing.spools import Spool


def feeds_of(broadcaster: Broadcaster) -> stream.Feeds:
    return stream.Feeds(broadcaster, States(), Turns())


@pytest.fixture
def address(served: int) -> str:
    return f"http://127.0.0.1:{served}/api/v1"


@pytest.fixture
def campaign(appliance: Appliance) -> dict[str, Any]:
    """A campaign whose run is assigned to a worker."""
    with writing() as session:
        capacity.announce(session, "worker:1", 1)
    target = appliance.target(appliance.host())
    plan = {"profile_id": appliance.profile(), "target_ids": [target]}
    return appliance.operator.post("/campaigns", plan).json()


def _events(lines: Iterator[str]) -> Iterator[dict[str, str]]:
    event: dict[str, str] = {}
    for line in lines:
        if not line:
            if event:
                yield event
            event = {}
        else:
            name, _, value = line.partition(": ")
            event[name] = value


def _follow(
    appliance: Appliance, address: str, campaign: int, **headers: str
) -> tuple[Any, dict[str, str]]:
    return httpx.stream(
        "GET",
        f"{address}/campaigns/{campaign}/stream",
        headers={"Authorization": f"Bearer {appliance.viewer.token}", **headers},
        timeout=10,
    ), headers


def _set(run: int, **values: Any) -> None:
    with writing() as session:
        session.execute(update(Run).where(Run.id == run).values(**values))
        runs_changed(session, {run: session.get_one(Run, run).campaign_id})


def _no_session_is_held() -> None:
    """Between two reads no connection of the pool is in use."""
    pool = engine().pool
    assert isinstance(pool, QueuePool)
    deadline = Deadline(30)
    while pool.checkedout():
        assert not deadline.over(), "a session is held while nothing is looked at"
        time.sleep(0.01)


def test_a_long_wait_holds_no_session(appliance: Appliance, campaign: dict[str, Any]) -> None:
    path = f"/campaigns/{campaign['id']}"
    broadcaster: Broadcaster = app.state.broadcaster
    with ThreadPoolExecutor(1) as pipeline:
        waiting = pipeline.submit(appliance.viewer.get, path, wait=60)
        deadline = Deadline(30)
        while f"campaign:{campaign['id']}" not in broadcaster._subscribers:
            assert not deadline.over()
            time.sleep(0.01)
        _no_session_is_held()
        assert not waiting.done()
        for run in campaign["runs"]:
            _set(run["id"], state="done", ended_at=now())
        assert waiting.result().json()["state"] == "done"


def test_each_change_is_an_event_whose_id_is_the_revision(
    appliance: Appliance, address: str, campaign: dict[str, Any]
) -> None:
    run = campaign["runs"][0]["id"]
    following, _ = _follow(appliance, address, campaign["id"])
    with following as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = _events(answer.iter_lines())
        first = next(events)
        assert first["event"] == "campaign"
        launched = {name: value for name, value in campaign.items() if name != "warnings"}
        assert json.loads(first["data"]) == launched
        assert first["id"] == str(campaign["revision"])
        _no_session_is_held()
        _set(run, state="running", started_at=now())
        second = next(events)
        assert json.loads(second["data"])["runs"][0]["state"] == "running"
        assert int(second["id"]) > int(first["id"])


def test_a_client_with_the_newest_revision_receives_only_later_changes(
    appliance: Appliance, address: str, campaign: dict[str, Any]
) -> None:
    seen = {"Last-Event-ID": str(campaign["revision"])}
    following, _ = _follow(appliance, address, campaign["id"], **seen)
    with following as answer:
        events = _events(answer.iter_lines())
        time.sleep(0.3)
        _set(campaign["runs"][0]["id"], trials_done=1)
        event = next(events)
        assert int(event["id"]) > campaign["revision"]
        assert json.loads(event["data"])["runs"][0]["trials_done"] == 1


def test_the_stream_ends_with_the_campaign(
    appliance: Appliance, address: str, campaign: dict[str, Any]
) -> None:
    following, _ = _follow(appliance, address, campaign["id"])
    with following as answer:
        events = _events(answer.iter_lines())
        next(events)
        for run in campaign["runs"]:
            _set(run["id"], state="done", ended_at=now())
        rest = [json.loads(event["data"])["state"] for event in events if "data" in event]
    assert rest[-1] == "done"
    following, _ = _follow(appliance, address, campaign["id"])
    with following as answer:
        (only,) = _events(answer.iter_lines())
    assert json.loads(only["data"])["state"] == "done"


def test_the_stream_ends_with_the_deletion_of_the_campaign(
    appliance: Appliance, address: str, campaign: dict[str, Any]
) -> None:
    path = f"/campaigns/{campaign['id']}"
    following, _ = _follow(appliance, address, campaign["id"])
    with following as answer:
        events = _events(answer.iter_lines())
        next(events)
        assert appliance.operator.delete(f"{path}?cancel=true").status_code == 200
        assert [event["event"] for event in events][-1] == "deleted"
    following, _ = _follow(appliance, address, campaign["id"])
    with following as answer:
        assert answer.status_code == 404
    renamed = appliance.operator.post(f"{path}/undelete").json()
    following, _ = _follow(appliance, address, campaign["id"])
    with following as answer:
        events = _events(answer.iter_lines())
        assert json.loads(next(events)["data"]) == renamed


def test_a_rename_is_an_event(appliance: Appliance, address: str, campaign: dict[str, Any]) -> None:
    following, _ = _follow(appliance, address, campaign["id"])
    with following as answer:
        events = _events(answer.iter_lines())
        next(events)
        appliance.operator.patch(f"/campaigns/{campaign['id']}", {"name": "vault 2"})
        assert json.loads(next(events)["data"])["name"] == "vault 2"


async def valid() -> bool:
    return True


def test_one_check_of_a_login_is_enough_for_all_its_subscribers() -> None:
    checks: list[str] = []

    async def check_all() -> list[bool]:
        feeds = feeds_of(Broadcaster())

        def check(login: str) -> bool:
            checks.append(login)
            return login == "valid"

        logins = ["valid", "ended"] * 20
        return await asyncio.gather(
            *(feeds.may_listen(one, functools.partial(check, one)) for one in logins)
        )

    assert asyncio.run(check_all()) == [True, False] * 20
    assert sorted(checks) == ["ended", "valid"]


def test_a_change_is_read_once_for_all_subscribers(
    campaign: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[int] = []
    read = stream._Reader.changes

    def counted(reader: stream._Reader) -> stream._Changes:
        found = read(reader)
        if found.state is not None:
            reads.append(found.state.campaign.revision)
        return found

    monkeypatch.setattr(stream._Reader, "changes", counted)

    async def follow(feeds: stream.Feeds) -> list[str]:
        ids: list[str] = []
        async for news in stream.events(feeds, campaign["id"], -1, anyio.Event(), valid):
            ids += re.findall(r"^id: (\d+)", news.decode(), re.MULTILINE)
            if len(ids) == 1:
                begun.release()
        return ids

    async def all_of_them() -> list[list[str]]:
        feeds = feeds_of(Broadcaster())
        following = [asyncio.create_task(follow(feeds)) for _ in range(20)]
        for _ in following:
            await begun.acquire()
        for run in campaign["runs"]:
            await asyncio.to_thread(_set, run["id"], state="done", ended_at=now())
        return await asyncio.gather(*following)

    begun = asyncio.Semaphore(0)
    received = asyncio.run(all_of_them())
    assert len(reads) == 2  # the state at the start, and the end
    assert received == [[str(revision) for revision in reads]] * 20


def test_the_stream_of_a_slow_subscriber_ends(
    campaign: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "MOST_BEHIND", 1)
    monkeypatch.setattr(stream, "SHORTEST_PAUSE_S", 0.01)
    run = campaign["runs"][0]["id"]

    async def received_slowly() -> int:
        broadcaster = Broadcaster()
        feeds = feeds_of(broadcaster)
        slow = stream.events(feeds, campaign["id"], -1, anyio.Event(), valid)
        received = [await anext(slow)]
        with feeds.following(campaign["id"]) as feed:
            for done in range(1, 4):
                await asyncio.to_thread(_set, run, trials_done=done)
                broadcaster.notify(f"campaign:{campaign['id']}")
                while feed.newest.number <= done:
                    await asyncio.sleep(0.01)
            received += [event async for event in slow]
        return len(received)

    assert asyncio.run(received_slowly()) == 1


def test_new_samples_are_sent_once(
    appliance: Appliance, address: str, campaign: dict[str, Any]
) -> None:
    run = campaign["runs"][0]["id"]
    following, _ = _follow(appliance, address, campaign["id"])
    with following as answer:
        events = _events(answer.iter_lines())
        next(events)
        sent: list[list[int]] = []
        for number in range(2):
            _measure(run, number)
            event = next(events)
            assert event["event"] == "samples"
            data = json.loads(event["data"])
            assert data["run_id"] == run
            sent.extend(data["points"])
            assert next(events)["event"] == "campaign"
    assert [point[2] for point in sent] == [1000, 1001]


def _measure(run: int, number: int) -> None:
    """Store a sample as a worker does."""
    with writing() as session:
        trial = session.scalars(select(Trial.position).where(Trial.run_id == run)).first()
        participant = session.scalars(select(Participant).where(Participant.run_id == run)).one()
        assert trial is not None
        spool = Spool().hello().trial(trial)
        for size in range(1000, 1001 + number):
            spool.sample(trial, bytes=size)
        start = participant.offset
        ingest(session, participant.id, 0, start, spool.data[start:])


def test_the_stream_ends_with_the_login(
    appliance: Appliance,
    address: str,
    campaign: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stream, "LOGIN_RECHECK_S", 0.0)
    app.state.feeds = feeds_of(app.state.broadcaster)
    following, _ = _follow(appliance, address, campaign["id"])
    with following as answer, ThreadPoolExecutor(1) as pipeline:
        events = _events(answer.iter_lines())
        next(events)
        path = f"/campaigns/{campaign['id']}"
        waiting = pipeline.submit(appliance.viewer.get, path, wait=60)
        topic = f"campaign:{campaign['id']}"
        while len(app.state.broadcaster._subscribers[topic]) < 2:
            time.sleep(0.01)
        with writing() as session:
            session.execute(delete(ApiToken).where(ApiToken.name == "viewer"))
        _set(campaign["runs"][0]["id"], state="done", ended_at=now())
        assert list(events) == []
        problem(waiting.result(), 401, "not_logged_in")


def test_an_unknown_campaign_is_not_found(appliance: Appliance, address: str) -> None:
    problem(appliance.viewer.get("/campaigns/99/stream"), 404, "not_found")


def test_a_stream_ends_by_itself_when_the_server_does(
    appliance: Appliance, campaign: dict[str, Any]
) -> None:
    with tempfile.TemporaryDirectory(prefix="assay-api-", dir="/tmp") as folder:
        socket = Path(folder) / "s"
        command = ["uvicorn", "assay.api.app:app", "--uds", str(socket), "--log-level", "warning"]
        server = subprocess.Popen(
            [sys.executable, "-m", *command, "--timeout-graceful-shutdown", "5"],
            stderr=subprocess.PIPE,
        )
        while not socket.exists():
            time.sleep(0.02)
        transport = httpx.HTTPTransport(uds=str(socket))
        with (
            httpx.Client(transport=transport, base_url="http://assay", timeout=10) as client,
            client.stream(
                "GET",
                f"/api/v1/campaigns/{campaign['id']}/stream",
                headers={"Authorization": f"Bearer {appliance.viewer.token}"},
            ) as answer,
        ):
            assert answer.status_code == 200
            events = _events(answer.iter_lines())
            next(events)
            server.send_signal(signal.SIGINT)
            assert list(events) == []
        _, told = server.communicate(timeout=10)
        assert told == b""
