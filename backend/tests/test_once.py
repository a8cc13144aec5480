"""What a process has one of."""

import threading
import time

import pytest
from assay.once import once


def test_threads_that_come_first_together_get_the_same_one() -> None:
    made: list[object] = []

    @once
    def slow() -> object:
        time.sleep(0.05)
        made.append(object())
        return made[-1]

    ready = threading.Barrier(10)
    found: list[object] = []

    def ask() -> None:
        ready.wait()
        found.append(slow())

    threads = [threading.Thread(target=ask) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert found == made * 10


def test_what_is_cleared_is_made_anew() -> None:
    @once
    def one() -> object:
        return object()

    first = one()
    assert one() is first
    one.cache_clear()
    assert one() is not first


def test_what_could_not_be_made_is_tried_again() -> None:
    tries: list[int] = []

    @once
    def second_time() -> int:
        tries.append(1)
        if len(tries) == 1:
            raise OSError("not yet")
        return len(tries)

    with pytest.raises(OSError, match="not yet"):
        second_time()
    assert second_time() == 2
