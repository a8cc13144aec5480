"""The asyncio loop of a process."""

import asyncio
import threading

import pytest
from assay.base import logs
from assay.tables.database import reading
from assay.tables.hosts import Host
from assay_worker import loop
from sqlalchemy import select
from testing.installation import Installation


async def which() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


def test_concurrent_first_calls_share_one_loop() -> None:
    loop._loop.cache_clear()  # pyright: ignore[reportPrivateUsage]
    barrier = threading.Barrier(20)
    found: set[asyncio.AbstractEventLoop] = set()

    def ask() -> None:
        barrier.wait()
        found.add(loop.wait_for(which()))

    threads = [threading.Thread(target=ask) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 1


def hosts() -> tuple[int, str]:
    with reading() as session:
        found = len(session.scalars(select(Host)).all())
    return found, threading.current_thread().name


def test_a_coroutine_uses_the_database_in_another_thread(installation: Installation) -> None:
    installation.local_host()
    found, thread = loop.wait_for(loop.in_thread(hosts))
    assert found == 1
    assert thread != loop.NAME


def test_the_test_guard_rejects_a_statement_on_the_loop(
    installation: Installation, statements_on_the_loop: list[str]
) -> None:
    async def use_database() -> None:
        hosts()

    with pytest.raises(AssertionError, match="on the loop"):
        loop.wait_for(use_database())
    assert len(statements_on_the_loop) == 1
    statements_on_the_loop.clear()


def test_a_call_in_a_database_thread_has_the_coroutines_log_ids() -> None:
    async def drive(run_id: int) -> int | None:
        logs.run_id.set(run_id)
        return await loop.in_thread(logs.run_id.get)

    assert [loop.wait_for(drive(run_id), 10) for run_id in (1, 2)] == [1, 2]
    assert logs.run_id.get() is None
