"""The one writer of a process: it gathers, and whatever happens it goes on."""

import itertools
import threading
import time

import pytest
from assay.runs.steady import Spooled
from assay_worker.driver import together
from installation import Installation


def batch(participant_id: int) -> Spooled:
    return Spooled(participant_id, participant_id, 1, 0, b"{}\n")


def test_what_is_handed_over_while_the_writer_writes_is_stored_at_once(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups: list[list[int]] = []
    handed = together._writer()

    def note(_session: object, batches: list[Spooled]) -> dict[int, int]:
        while not groups and len(batches) + handed.qsize() < 3:  # until all are handed over
            time.sleep(0.01)
        groups.append([one.participant_id for one in batches])
        return {one.participant_id: 3 for one in batches if one.participant_id != 2}

    monkeypatch.setattr(together, "store_steady", note)
    answers: dict[int, int | None] = {}

    def hand_over(number: int) -> None:
        answers[number] = together.store(batch(number))

    threads = [threading.Thread(target=hand_over, args=[number]) for number in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(groups) <= 2
    assert sorted(itertools.chain(*groups)) == [1, 2, 3]
    assert answers == {1: 3, 2: None, 3: 3}


@pytest.mark.parametrize("error", [TypeError("a mistake"), MemoryError()])
def test_a_group_that_fails_goes_alone_and_the_next_is_stored(
    installation: Installation, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(_session: object, _batches: list[Spooled]) -> dict[int, int]:
        raise error

    monkeypatch.setattr(together, "store_steady", fail)
    assert together.store(batch(1)) is None
    monkeypatch.setattr(together, "store_steady", lambda _session, _batches: {1: 3})
    assert together.store(batch(1)) == 3
