"""When a test that depends on time may run again."""

import os

import pytest
from testing.contention import Waits

CORES = os.cpu_count() or 1


@pytest.mark.parametrize(
    ("stolen_s", "waited_s", "why"),
    [
        (0.0, 0.0, ""),
        (0.1 * CORES, 2.0, ""),
        (0.5 * CORES, 0.0, "5% of the processors was stolen, 0% of the time waited for"),
        (0.0, 4.0, "0% of the processors was stolen, 40% of the time waited for"),
    ],
)
def test_a_test_was_disturbed_if_much_was_stolen_or_waited_for(
    stolen_s: float, waited_s: float, why: str
) -> None:
    assert Waits(100.0, 7.0, 5.0).disturbance(Waits(110.0, 7 + stolen_s, 5 + waited_s)) == why


def test_the_counters_of_this_machine_only_grow() -> None:
    first, then = Waits.now(), Waits.now()
    assert first.at <= then.at
    assert first.stolen <= then.stolen
    assert first.waited <= then.waited
