"""Messages are sent after the commit, discarded by a rollback, and never fail a request."""

import asyncio
import socket
from collections.abc import Iterator
from time import monotonic
from typing import Any

import pytest
from assay.base.messaging.changes import Broadcaster, _client, announce, ping, wait_for
from assay.base.messaging.queue import (
    OUTAGE_S,
    TIMEOUT_S,
    QueueNotConfiguredError,
    broker_url,
    enqueue,
    redis_url,
    trying,
)
from assay.base.settings import settings
from assay.runs.changes import runs_changed
from assay.tables.database import reading, writing
from redis.connection import AbstractConnection


@pytest.fixture
def queue(configured: str) -> Any:
    server = _client(redis_url())
    server.delete("celery")
    return server


def test_a_message_is_sent_after_the_commit(queue: Any) -> None:
    with writing() as session:
        enqueue("assay.drive_run", 7, after=session)
        assert queue.llen("celery") == 0
    assert queue.llen("celery") == 1


def test_a_rollback_discards_the_message(queue: Any) -> None:
    with pytest.raises(ZeroDivisionError), writing() as session:
        enqueue("assay.drive_run", 7, after=session)
        raise ZeroDivisionError
    assert queue.llen("celery") == 0
    with writing():
        pass
    assert queue.llen("celery") == 0


def test_an_unreachable_queue_does_not_fail_requests(
    configured: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("ASSAY_REDIS_URL", "unix:///nowhere/s")
    settings.cache_clear()
    enqueue("assay.drive_run", 7)
    announce("campaign:7")
    assert "assay.drive_run not sent" in caplog.text
    assert "change of campaign:7 not published" in caplog.text


def test_a_client_error_at_a_timeout_does_not_fail_requests(
    queue: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_self: object) -> None:
        raise ValueError("I/O operation on closed file.")  # as redis-py has done

    monkeypatch.setattr(AbstractConnection, "connect", fail)
    _client(redis_url()).connection_pool.disconnect()
    announce("campaign:7")
    assert "change of campaign:7 not published" in caplog.text
    assert ping() == "I/O operation on closed file."


@pytest.fixture
def silent(configured: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A queue that accepts connections and never responds."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("ASSAY_REDIS_URL", f"redis://127.0.0.1:{server.getsockname()[1]}")
        settings.cache_clear()
        yield server


def test_a_silent_queue_delays_one_message_and_skips_the_others(
    silent: socket.socket,
) -> None:
    begun = monotonic()
    for number in range(100):
        enqueue("assay.drive_run", number)
        announce(f"campaign:{number}")
    assert monotonic() - begun < 3 * TIMEOUT_S
    assert ping() is not None


def test_a_recovered_queue_gets_messages_again(queue: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "assay.base.messaging.queue._away_until", {}
    )  # the next test has the same queue
    with pytest.raises(ZeroDivisionError), trying(ZeroDivisionError):
        raise ZeroDivisionError
    enqueue("assay.drive_run", 7)
    assert queue.llen("celery") == 0
    monkeypatch.setattr("assay.base.messaging.queue.monotonic", lambda: monotonic() + OUTAGE_S)
    enqueue("assay.drive_run", 7)
    assert queue.llen("celery") == 1


def test_a_missing_queue_address_is_reported(on: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_REDIS_URL")
    settings.cache_clear()
    with pytest.raises(QueueNotConfiguredError, match="assay up"):
        redis_url()


def test_a_unix_socket_has_the_scheme_of_each_library(
    on: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for given in ("unix:///run/q", "redis+socket:///run/q"):
        monkeypatch.setenv("ASSAY_REDIS_URL", given)
        settings.cache_clear()
        assert redis_url() == "unix:///run/q"
        assert broker_url() == "redis+socket:///run/q"
    monkeypatch.setenv("ASSAY_REDIS_URL", "redis://db:6379/1")
    settings.cache_clear()
    assert redis_url() == broker_url() == "redis://db:6379/1"


def test_a_change_wakes_the_subscribers_of_its_topic(configured: str) -> None:
    async def wait() -> tuple[bool, bool]:
        broadcaster = Broadcaster()
        async with broadcaster.running():
            with (
                broadcaster.subscription("check:1") as mine,
                broadcaster.subscription("check:2") as other,
            ):
                while not mine.is_set():
                    await asyncio.to_thread(announce, "check:1")
                    await asyncio.sleep(0.02)
                return mine.is_set(), other.is_set()

    assert asyncio.run(wait()) == (True, False)


def test_the_broadcaster_reconnects_to_the_queue_server(
    configured: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.base.messaging.changes.RECONNECT_S", 0.05)

    async def wait(address: str) -> None:
        broadcaster = Broadcaster()
        monkeypatch.setenv("ASSAY_REDIS_URL", "unix:///nowhere/s")
        settings.cache_clear()
        async with broadcaster.running():
            await asyncio.sleep(0.1)
            monkeypatch.setenv("ASSAY_REDIS_URL", address)
            settings.cache_clear()
            with broadcaster.subscription("check:1") as bell:
                while not bell.is_set():
                    await asyncio.to_thread(announce, "check:1")
                    await asyncio.sleep(0.02)

    asyncio.run(wait(redis_url()))


def test_the_broadcaster_can_be_stopped_at_any_time(configured: str) -> None:
    async def begin_and_end() -> None:
        for microseconds in range(0, 6000, 100):
            async with asyncio.timeout(5), Broadcaster().running():
                await asyncio.sleep(microseconds / 1e6)

    asyncio.run(begin_and_end())


def test_waiting_ends_at_the_timeout(configured: str) -> None:
    async def wait() -> float:
        loop = asyncio.get_running_loop()
        began = loop.time()
        await wait_for(asyncio.Event(), 0.05)
        return loop.time() - began

    assert asyncio.run(wait()) >= 0.05


def test_an_empty_change_does_nothing(configured: str) -> None:
    with writing() as session:
        runs_changed(session, {99: 99})
        runs_changed(session, {})
    with reading():
        pass
