"""Reads that many requests share."""

import asyncio
import itertools
import threading
import time

import pytest
from assay.base import shared_reads
from assay.base.shared_reads import SharedReads


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_reads, "PAUSE_S", 0.02)
    monkeypatch.setattr(shared_reads, "LONGEST_PAUSE_S", 0.02)


def test_one_read_answers_all_who_asked_before_it_began() -> None:
    counted = itertools.count()

    async def ask() -> list[int]:
        reads = SharedReads[str, int]()
        return await asyncio.gather(*(reads.get("a", lambda: next(counted)) for _ in range(100)))

    assert asyncio.run(ask()) == [0] * 100


def test_a_read_that_has_begun_answers_nobody_else() -> None:
    begun, value = threading.Event(), ["before"]
    go_on = threading.Event()

    def read() -> str:
        seen = value[0]
        begun.set()
        assert go_on.wait(20)
        return seen

    async def ask() -> tuple[str, str]:
        reads = SharedReads[str, str]()
        first = asyncio.create_task(reads.get("a", read))
        await asyncio.to_thread(begun.wait, 20)
        value[0] = "after"
        second = asyncio.create_task(reads.get("a", read))
        await asyncio.sleep(0.05)
        go_on.set()
        return await first, await second

    assert asyncio.run(ask()) == ("before", "after")


def test_reads_of_one_key_pause_and_those_of_others_do_not_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared_reads, "PAUSE_S", 0.5)
    monkeypatch.setattr(shared_reads, "LONGEST_PAUSE_S", 0.5)

    async def ask() -> list[float]:
        reads = SharedReads[str, float]()
        return [await reads.get(key, time.monotonic) for key in ("a", "b", "a")]

    first, other, second = asyncio.run(ask())
    assert other - first < 0.4
    assert second - first >= 0.5


def test_an_error_is_everybodys_and_the_next_read_is_another() -> None:
    async def ask() -> tuple[list[str], int]:
        reads = SharedReads[str, int]()
        failed = await asyncio.gather(
            *(reads.get("a", lambda: 1 // 0) for _ in range(3)), return_exceptions=True
        )
        return [type(one).__name__ for one in failed], await reads.get("a", lambda: 1)

    assert asyncio.run(ask()) == (["ZeroDivisionError"] * 3, 1)


def test_one_who_stops_waiting_takes_the_read_from_nobody() -> None:
    go_on = threading.Event()

    async def ask() -> int:
        reads = SharedReads[str, int]()
        first, second = (
            asyncio.create_task(reads.get("a", lambda: int(go_on.wait(20)))) for _ in range(2)
        )
        await asyncio.sleep(0.05)
        first.cancel()
        await asyncio.sleep(0)
        go_on.set()
        return await second

    assert asyncio.run(ask()) == 1
