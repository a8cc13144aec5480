"""A steady device that a throttle lets move data in slices: its rate does not alternate.

The slices are those of the kernel (100 ms, 20 ms on flash). Marks and samples that are out of step
with them show rates that repeat.
"""

from random import Random

import pytest
from assay.analysis import level_search
from assay.analysis.shape import shape
from assay.analysis.throughput import Intervals

MIB = 2**20
SECOND = 10**9
FEWEST = 20
SEEDS = range(3 * 10**7, 3 * 10**7 + 120)


def throttled(
    chance: Random, rate: float, slice_s: float, block: int, length_s: float
) -> list[int]:
    """Return when each block was done, in ns.

    A slice's data may move as soon as the slice begins, and then moves at the device's own rate.
    Some throttles carry a block over to the next slice, others let it begin and take what it owes
    from the next one; timers are late by some time, and a clock may be a few percent slow.
    """
    device = chance.uniform(1.5, 4) * rate + 200 * MIB
    late_s = chance.choice([0.0, 0.0005, 0.004])
    drift = chance.choice([1.0, 1.0, 1.04, 0.997])
    owes = chance.random() < 0.5
    now, moved, done = 0.0, 0, list[int]()
    while now < length_s:
        data = moved if owes else moved + block - 1
        begins = data // (rate * slice_s) * slice_s * drift
        if begins > now:
            now = begins + abs(chance.gauss(0, late_s))
        now += block / device
        moved += block
        done.append(round(now * SECOND))
    return done


def marks(done: list[int], block: int, size: int) -> Intervals:
    ends = done[size // block - 1 :: size // block]
    begins = [0, *ends[:-1]]
    return Intervals(
        ends,
        [end - begin for begin, end in zip(begins, ends, strict=True)],
        [size] * len(ends),
        [None] * len(ends),
    )


def samples(done: list[int], block: int, step_ns: int) -> Intervals:
    count = done[-1] // step_ns
    moved = [0] * count
    for end in done:
        if end // step_ns < count:
            moved[end // step_ns] += block
    return Intervals(
        [step_ns * (n + 1) for n in range(count)], [step_ns] * count, moved, [None] * count
    )


def simulated(seed: int, *, by_marks: bool) -> Intervals:
    chance = Random(seed)
    rate = chance.uniform(8, 600) * MIB
    block = chance.choice([2**16, 2**18, MIB, 4 * MIB]) if rate < 100 * MIB else MIB
    done = throttled(chance, rate, chance.choice([0.02, 0.05, 0.1, 0.1]), block, 25)
    if by_marks:
        return marks(done, block, max(block, chance.choice([1, 2, 4, 8, 10, 16, 32, 64]) * MIB))
    return samples(done, block, chance.choice([100, 200, 500, 1000]) * SECOND // 1000)


@pytest.mark.parametrize("by_marks", [True, False], ids=["marks", "samples"])
def test_slices_out_of_step_with_intervals_are_no_sawtooth(by_marks: bool) -> None:
    found = [simulated(seed, by_marks=by_marks) for seed in SEEDS]
    seen = [shape(one) for one in found if len(one.dt_ns) >= FEWEST]
    assert len(seen) >= 0.9 * len(found)
    assert [one for one in seen if one is not None] == []


def test_marks_of_ten_mebibytes_at_the_rates_that_alternated_in_them() -> None:
    """At these rates marks and slices are out of step by a small part of a slice."""
    for rate in (62, 68, 72, 87, 92, 110, 112, 115):
        for seed in range(6):
            done = throttled(Random(seed), rate * MIB, 0.1, MIB, 20)
            assert shape(marks(done, MIB, 10 * MIB)) is None, rate


@pytest.mark.parametrize("period_s", [3, 6, 12])
def test_a_device_that_alternates_behind_a_throttle_is_one(period_s: int) -> None:
    """Half of each period it moves a third of what the throttle allows."""
    for seed in range(10):
        chance = Random(seed)
        done = throttled(chance, 100 * MIB, 0.1, MIB, 60)
        now, last, slowed = 0.0, 0, list[int]()
        for end in done:
            slow = now / SECOND % period_s > period_s / 2
            now += (end - last) * (3 if slow else 1)
            last = end
            slowed.append(round(now))
        found = shape(marks(slowed, MIB, 10 * MIB))
        assert found
        assert found.shape == "sawtooth"
        assert found.period_ns == pytest.approx(period_s * SECOND, rel=0.1)
        assert len(level_search.find(marks(slowed, MIB, 10 * MIB), by_bytes=True)) == 1


@pytest.mark.parametrize("half_s", [0.4, 0.5, 1.0])
def test_a_period_of_few_marks_is_found_in_the_samples(half_s: float) -> None:
    """150 MiB/s and 50 MiB/s by turns: 8 to 20 marks of 10 MiB in a period."""
    for seed in range(4):
        chance, now, done = Random(seed), 0.0, list[int]()
        while now < 30:
            fast = now / half_s % 2 < 1
            now += chance.gauss(1, 0.03) / (150 if fast else 50)
            done.append(round(now * SECOND))
        found = shape(marks(done, MIB, 10 * MIB), samples(done, MIB, SECOND // 10))
        assert found, seed
        assert found.shape == "sawtooth"
        assert found.period_ns == pytest.approx(2 * half_s * SECOND, rel=0.1)
