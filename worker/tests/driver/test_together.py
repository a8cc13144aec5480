"""The one writer of a process: it gathers, and whatever happens it goes on."""

import itertools
import threading
import time

import pytest
from assay.recording.ingest import Batch, Ingested, ingest_all
from assay_worker.driver import together
from sqlalchemy.orm import Session
from testing.installation import Installation


def batch(participant_id: int) -> Batch:
    return Batch(participant_id, 1, 0, b"{}\n")


def test_what_is_handed_over_while_the_writer_writes_is_stored_at_once(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups: list[list[int]] = []
    handed = together._writer()

    def note(_session: object, batches: list[Batch]) -> list[Ingested | Exception]:
        while not groups and len(batches) + handed.qsize() < 3:  # until all are handed over
            time.sleep(0.01)
        groups.append([one.participant_id for one in batches])
        return [
            Ingested(3, one.participant_id) if one.participant_id != 2 else LookupError("two")
            for one in batches
        ]

    monkeypatch.setattr(together, "ingest_all", note)
    answers: dict[int, int | str] = {}

    def hand_over(number: int) -> None:
        try:
            answers[number] = together.store(batch(number)).consumed
        except LookupError as error:
            answers[number] = str(error)

    threads = [threading.Thread(target=hand_over, args=[number]) for number in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(groups) <= 2
    assert sorted(itertools.chain(*groups)) == [1, 2, 3]
    assert answers == {1: 1, 2: "two", 3: 3}


@pytest.mark.parametrize("error", [TypeError("a mistake"), MemoryError()])
def test_a_group_that_fails_goes_alone_and_the_next_is_stored(
    installation: Installation, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    calls: list[int] = []

    def fail_at_first(session: Session, batches: list[Batch]) -> list[Ingested | Exception]:
        calls.append(len(batches))
        if len(calls) == 1:
            raise error
        return ingest_all(session, batches)

    monkeypatch.setattr(together, "ingest_all", fail_at_first)
    for attempts in (2, 3):
        with pytest.raises(LookupError, match="no participant 1"):
            together.store(batch(1))
        assert len(calls) == attempts
