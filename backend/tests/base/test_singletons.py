"""Thread-safe lazy singletons."""

import threading
import time

import pytest
from assay.base.singletons import singleton


def test_concurrent_first_calls_return_the_same_object() -> None:
    made: list[object] = []

    @singleton
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


def test_a_cleared_object_is_created_again() -> None:
    @singleton
    def one() -> object:
        return object()

    first = one()
    assert one() is first
    one.cache_clear()
    assert one() is not first


def test_a_failed_creation_is_retried() -> None:
    tries: list[int] = []

    @singleton
    def second_time() -> int:
        tries.append(1)
        if len(tries) == 1:
            raise OSError("not yet")
        return len(tries)

    with pytest.raises(OSError, match="not yet"):
        second_time()
    assert second_time() == 2
