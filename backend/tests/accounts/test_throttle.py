"""How waits grow."""

import pytest
from assay.accounts.throttle import FORGOTTEN_AFTER_S, REMEMBERED, Throttle, TooManyLogins


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_waits_double_and_end() -> None:
    clock = Clock()
    throttle = Throttle(clock)
    for _ in range(5):
        throttle.check("ada")
        throttle.failed("ada")
    for wait in (2, 4, 8):
        with pytest.raises(TooManyLogins, match=f"{wait} s"):
            throttle.check("ada")
        clock.now += wait
        throttle.check("ada")
        throttle.failed("ada")


def test_a_success_forgets() -> None:
    throttle = Throttle(Clock())
    for _ in range(5):
        throttle.failed("ada")
    throttle.succeeded("ada")
    throttle.check("ada")


def test_old_failures_are_forgotten() -> None:
    clock = Clock()
    throttle = Throttle(clock)
    for _ in range(5):
        throttle.failed("ada")
    clock.now += FORGOTTEN_AFTER_S + 1
    throttle.failed("ada")
    throttle.check("ada")


def test_memory_is_bounded() -> None:
    throttle = Throttle(Clock())
    for number in range(REMEMBERED + 10):
        throttle.failed(f"name {number}")
    assert len(throttle._failures) == REMEMBERED
