"""Time that is excluded for all participants: what is left of each is as fast as before."""

from random import Random

import pytest
from assay.analysis.throughput import Intervals
from assay.analysis.together import LeftOut, Part, left_out

SECOND = 10**9
STEP = SECOND // 10
RATE = 10**8
"""Bytes per second, steadily; ten times as fast in the ramp-up."""


def steady(seconds: int, *, ramp: int = 0, delay: float = 0, synced: int = 0) -> Part:
    """Return an attempt whose course begins with a ramp-up, which is in no other figure."""
    steps = 10 * (ramp + seconds)
    ends = [STEP * (at + 1) - ramp * SECOND for at in range(steps)]
    sizes = [10 * RATE // 10 if end <= 0 else RATE // 10 for end in ends]
    whole = Intervals(ends, [STEP] * steps, sizes, [None] * steps)
    took = (seconds + synced) * SECOND
    return Part(RATE * seconds, round(delay * SECOND), seconds * SECOND, took, whole)


def test_stretches_are_joined_and_begin_with_the_agreed_start() -> None:
    found = left_out([(5, 9), (-8, -2), (-3, 2), (8, 12), (20, 21), (-5, 0)])
    assert found == LeftOut([(0, 2), (5, 12), (20, 21)])


@pytest.mark.parametrize("seed", range(200))
def test_the_rate_of_what_is_left_is_that_of_the_whole(seed: int) -> None:
    random = Random(seed)
    part = steady(20, ramp=random.choice([0, 3]), delay=random.choice([0, 0.7]))
    edges = sorted(random.uniform(-4, 24) for _ in range(2 * random.randrange(1, 4)))
    pairs = zip(edges[::2], edges[1::2], strict=True)
    out = left_out([(round(a * SECOND), round(b * SECOND)) for a, b in pairs])
    found = out.without(part)
    assert 0 <= found.bytes <= part.bytes
    assert found.bytes == pytest.approx(RATE * found.app_ns / SECOND, abs=2 * len(edges))
    assert found.app_ns <= part.app_ns
    assert found.durable_ns is not None
    assert found.durable_ns >= found.app_ns


def test_a_standstill_in_the_ramp_up_changes_nothing() -> None:
    part = steady(10, ramp=3, synced=1)
    assert left_out([(-2 * SECOND, -SECOND)]).without(part) == part


def test_the_clock_shows_a_stretchs_begin_and_end_as_one_time() -> None:
    out = left_out([(0, 5), (10, 12)])
    assert (out.moment(0), out.resumed(0)) == (0, 5)
    assert (out.moment(5), out.resumed(5)) == (10, 12)
    assert (out.moment(6), out.resumed(6)) == (13, 13)
    assert [out.shown(at) for at in (0, 5, 10, 12, 13)] == [0, 0, 5, 5, 6]
