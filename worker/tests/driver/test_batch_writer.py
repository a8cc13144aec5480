"""The writer of a process: batching, fairness and recovery from errors."""

import asyncio
import itertools
import time

import pytest
from assay.runs.recording.ingest import Batch, Ingested, ingest_all
from assay_worker.driver import batch_writer
from assay_worker.loop import wait_for
from sqlalchemy.orm import Session
from testing.installation import Installation

Answers = list[Ingested | Exception]


def batch(participant_id: int, data: bytes = b"{}\n") -> Batch:
    return Batch(participant_id, 1, 0, data)


async def stored(*batches: Batch) -> list[Ingested | BaseException]:
    return await asyncio.gather(*map(batch_writer.store, batches), return_exceptions=True)


def test_batches_that_arrive_during_a_write_share_the_next_transaction(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups: list[list[int]] = []
    waiting = batch_writer._queue()

    def note(_session: object, batches: list[Batch]) -> Answers:
        while not groups and len(batches) + waiting.qsize() < 3:  # until all are submitted
            time.sleep(0.01)
        groups.append([one.participant_id for one in batches])
        return [
            Ingested(3, one.participant_id) if one.participant_id != 2 else LookupError("two")
            for one in batches
        ]

    monkeypatch.setattr(batch_writer, "ingest_all", note)
    first, second, third = wait_for(stored(batch(1), batch(2), batch(3)))
    assert len(groups) <= 2
    assert sorted(itertools.chain(*groups)) == [1, 2, 3]
    assert isinstance(first, Ingested)
    assert isinstance(second, LookupError)
    assert isinstance(third, Ingested)
    assert (first.consumed, third.consumed) == (1, 3)


def test_a_queue_that_fills_transactions_is_stored_without_gathering(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else many runs queue up while the writer sleeps, and their samples arrive late."""
    sleep, gathered, groups = time.sleep, list[float](), list[int]()
    waiting = batch_writer._queue()

    def note(_session: object, batches: list[Batch]) -> Answers:
        while not groups and len(batches) + waiting.qsize() < 20:  # until all are submitted
            sleep(0.01)
        groups.append(len(batches))
        return [Ingested(3, 3) for _ in batches]

    def pause(seconds: float) -> None:
        if seconds == batch_writer.GATHER_S:
            gathered.append(seconds)
        sleep(seconds)

    monkeypatch.setattr(batch_writer, "ingest_all", note)
    monkeypatch.setattr(batch_writer, "MAX_BATCHES", 2)
    monkeypatch.setattr(batch_writer, "GATHER_S", 0.0123)
    monkeypatch.setattr(batch_writer.time, "sleep", pause)
    wait_for(stored(*map(batch, range(1, 21))))
    assert sum(groups) == 20 and max(groups) == 2
    assert len(gathered) <= 2, "only the last batches are too few"


def test_a_flooding_run_gets_one_batch_per_transaction(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups: list[list[int]] = []

    def note(_session: object, batches: list[Batch]) -> Answers:
        groups.append([one.participant_id for one in batches])
        return [Ingested(3, 3) for _ in batches]

    async def flood() -> None:
        while not quiet.done():
            await batch_writer.store(batch(1, b"x" * batch_writer.MAX_BYTES))

    async def both() -> None:
        nonlocal quiet
        quiet = asyncio.get_running_loop().create_future()
        flooding = asyncio.ensure_future(flood())
        await asyncio.sleep(0.1)
        for _ in range(3):
            await batch_writer.store(batch(2))
        quiet.set_result(None)
        await flooding

    quiet: asyncio.Future[None]
    monkeypatch.setattr(batch_writer, "ingest_all", note)
    monkeypatch.setattr(batch_writer, "GATHER_S", 0.01)
    wait_for(both(), 30)
    assert all(len(set(group)) == len(group) for group in groups)
    places = [number for number, group in enumerate(groups) if 2 in group]
    assert len(places) == 3
    assert all(later - earlier <= 2 for earlier, later in itertools.pairwise(places))


@pytest.mark.parametrize("error", [TypeError("a mistake"), MemoryError()])
def test_batches_of_a_failed_transaction_are_stored_one_by_one(
    installation: Installation, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    calls: list[int] = []

    def fail_at_first(session: Session, batches: list[Batch]) -> Answers:
        calls.append(len(batches))
        if len(calls) == 1:
            raise error
        return ingest_all(session, batches)

    monkeypatch.setattr(batch_writer, "ingest_all", fail_at_first)
    for attempts in (2, 3):
        with pytest.raises(LookupError, match="no participant 1"):
            wait_for(batch_writer.store(batch(1)))
        assert len(calls) == attempts
