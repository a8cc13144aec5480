"""Levels of trials, on examples and on simulated trials with seeds that chose no rule."""

import random
from collections.abc import Callable, Iterator
from itertools import accumulate, groupby, pairwise
from math import exp, log
from operator import mul
from statistics import median

import pytest
from analysis.simulated import noise
from assay.analysis import throughput as courses
from assay.analysis.level_search import find
from assay.analysis.levels import LEAST_CHANGE, HeldRate, Level, without
from assay.analysis.throughput import Intervals
from assay.kinds.sustained.trials import FINEST
from hypothesis import assume, given, settings
from hypothesis import strategies as st

SECOND = 10**9
TENTH = SECOND // 10
MB = 10**6

FIRST = 6 * 10**7
"""The first seed; the rules were chosen with others."""

Noise = pytest.mark.parametrize("lag_one", [0, 0.4, 0.7], ids=["independent", "0.4", "0.7"])
Seeds = pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(FIRST, FIRST + 40), id="40"),
        pytest.param(range(FIRST, FIRST + 1000), id="1000", marks=pytest.mark.nightly),
    ],
)


def course(rates: list[float], device: float | None = None) -> Intervals:
    """Return intervals of 0.1 s with these rates, of which the device moved a share."""
    moved = [round(max(0.0, rate) * TENTH / SECOND) for rate in rates]
    ends = [TENTH * (n + 1) for n in range(len(rates))]
    taken = [None if device is None else round(device * one) for one in moved]
    return Intervals(ends, [TENTH] * len(rates), moved, taken)


def by_bytes(rates: list[float], size: int = 20 * MB) -> Intervals:
    """Return intervals of equal bytes with these rates."""
    lengths = [round(size * SECOND / rate) for rate in rates]
    return Intervals(list(accumulate(lengths)), lengths, [size] * len(rates), [None] * len(rates))


def noisy(chance: random.Random, rates: list[float], cv: float, lag_one: float) -> list[float]:
    factors = noise(chance, len(rates), cv, lag_one)
    return [3e8 * rate * factor for rate, factor in zip(rates, factors, strict=True)]


def held(levels: list[tuple[float, int]]) -> list[float]:
    """Return each rate as often as its number of intervals says."""
    return [rate for rate, count in levels for _ in range(count)]


def rates_of(found: list[Level]) -> list[float]:
    return [level.bytes_per_s for level in found]


MIB = 2**20


@pytest.mark.parametrize(
    "levels",
    [
        [(300, 32), (100, 67), (30, 95)],
        [(300, 100), (200, 100), (100, 100)],
        [(300, 32), (40, 60), (300, 60)],
        [(400, 100), (300, 100), (200, 100), (100, 100)],
        [(300, 60), (40, 100)],
    ],
    ids=lambda levels: "-".join(str(rate) for rate, _ in levels),
)
@pytest.mark.parametrize("cv", [0, 0.05])
@pytest.mark.parametrize("marks", [False, True], ids=["samples", "marks"])
def test_each_level_has_its_rate_and_its_end(
    levels: list[tuple[float, int]], cv: float, marks: bool
) -> None:
    chance = random.Random(FIRST)
    of_seconds = [(rate * MIB / 3e8, count) for rate, count in levels]
    if marks:  # as many marks as take that time
        of_seconds = [(one, round(3e8 * one * n * 0.1 / (20 * MB))) for one, n in of_seconds]
    rates = noisy(chance, held(of_seconds), cv, 0)
    found = find(by_bytes(rates), by_bytes=True) if marks else find(course(rates))
    assert rates_of(found) == pytest.approx([rate * MIB for rate, _ in levels], rel=0.03)
    ends = list(accumulate(count * TENTH for _, count in levels))
    assert [level.to_ns for level in found] == pytest.approx(ends, rel=0.03, abs=2 * TENTH)


@pytest.mark.parametrize("lag_one", [0, 0.4])
def test_memory_that_is_full_in_a_short_window_ends_the_first_level(lag_one: float) -> None:
    """From 123 to 29.6 MB/s after 1.9 s of 6 s, and the kernel lets writers wait now and then."""
    for seed in range(FIRST, FIRST + 20):
        chance = random.Random(seed)
        levels = [(123 * MB / 3e8, 19), (29.6 * MB / 3e8, 41)]
        rates = noisy(chance, held(levels), 0.1, lag_one)
        rates[30:33] = [0.0] * 3
        found = find(course(rates))
        assert found[0].to_ns == pytest.approx(1.9 * SECOND, abs=2 * TENTH)
        first, *later = rates_of(found)
        assert first == pytest.approx(123 * MB, rel=0.1)
        assert later and max(later) < 35 * MB


Lengths = Callable[[random.Random], int]


def ten(_: random.Random) -> int:
    return 10


def ten_to_sixty(chance: random.Random) -> int:
    return chance.randint(10, 60)


def twenty_to_six_hundred(chance: random.Random) -> int:
    return round(exp(chance.uniform(log(20), log(600))))


def least(chance: random.Random) -> float:
    return chance.choice((0.8, 1.25))


def more(chance: random.Random) -> float:
    return chance.choice((chance.uniform(0.3, 0.8), chance.uniform(1.25, 3)))


@Seeds
@Noise
@pytest.mark.parametrize(
    ("count", "length"),
    [(2, twenty_to_six_hundred), (3, ten), (4, ten), (3, ten_to_sixty), (4, ten_to_sixty)],
)
@pytest.mark.parametrize("change", [least, more])
def test_95_percent_of_staircases_have_exactly_their_steps(
    seeds: range,
    lag_one: float,
    count: int,
    length: Lengths,
    change: Callable[[random.Random], float],
) -> None:
    """At 5 % noise; each step within two intervals, and one too many is wrong."""
    exact = 0
    for seed in seeds:
        chance = random.Random(seed)
        rates = list(accumulate((change(chance) for _ in range(count - 1)), mul, initial=1.0))
        lengths = [length(chance) for _ in rates]
        seen = course(noisy(chance, held(list(zip(rates, lengths, strict=True))), 0.05, lag_one))
        found = [level.to_ns / TENTH for level in find(seen)]
        exact += len(found) == count and all(
            abs(one - end) <= 2 for one, end in zip(found, accumulate(lengths), strict=True)
        )
    chance_of_few = 0 if len(seeds) >= 1000 else 2 * (0.95 * 0.05 * len(seeds)) ** 0.5
    assert exact >= 0.95 * len(seeds) - chance_of_few


@Seeds
@Noise
@pytest.mark.parametrize("count", [30, 60, 119, 400])
def test_at_most_one_in_200_steady_devices_has_several_levels(
    seeds: range, lag_one: float, count: int
) -> None:
    """At 10 % noise."""
    false = 0
    for seed in seeds:
        chance = random.Random(seed)
        false += len(find(course(noisy(chance, [1.0] * count, 0.1, lag_one)))) != 1
    assert false <= 0.005 * len(seeds)


def decline(chance: random.Random, count: int) -> list[float]:
    lost = chance.uniform(0.25, 0.8)
    return [1 - lost * at / count for at in range(count)]


def rise(chance: random.Random, count: int) -> list[float]:
    return decline(chance, count)[::-1]


def sawtooth(chance: random.Random, count: int) -> list[float]:
    depth, period = chance.uniform(0.3, 0.8), chance.uniform(6, count / 5)
    begin = chance.random()
    return [1 - depth * ((at / period + begin) % 1) for at in range(count)]


@Seeds
@pytest.mark.parametrize("lag_one", [0, 0.7], ids=["independent", "0.7"])
@pytest.mark.parametrize("shape", [decline, rise, sawtooth])
@pytest.mark.parametrize("marks", [False, True], ids=["samples", "marks"])
def test_no_staircase_is_seen_in_a_smooth_change_or_a_sawtooth(
    seeds: range,
    lag_one: float,
    shape: Callable[[random.Random, int], list[float]],
    marks: bool,
) -> None:
    false = 0
    for seed in seeds:
        chance = random.Random(seed)
        if marks:
            rates = noisy(chance, shape(chance, chance.randint(100, 4000)), 0.05, lag_one)
            found = find(courses.joined(by_bytes(rates, 100 * MB), FINEST), by_bytes=True)
        else:
            rates = noisy(chance, shape(chance, chance.randint(60, 400)), 0.05, lag_one)
            found = find(course(rates))
        false += len(found) != 1
    assert false <= 0.005 * len(seeds)


seeds_of_any = st.integers(0, 2**32)
counts = st.integers(20, 700)


@settings(max_examples=60, deadline=None)
@given(seed=seeds_of_any, count=counts, share=st.floats(0, 0.3), longest=st.integers(1, 20))
def test_stalls_of_heavy_tailed_length_are_no_levels(
    seed: int, count: int, share: float, longest: int
) -> None:
    chance = random.Random(seed)
    rates = noisy(chance, [0.33] * count, 0.1, 0)
    while rates.count(0) < share * count:
        begin = chance.randrange(count)
        end = min(count, begin + min(longest, int(chance.paretovariate(1))))
        rates[begin:end] = [0.0] * (end - begin)
    moving = [len(list(run)) for moves, run in groupby(rates, bool) if moves]
    # else they are blocks that take longer than an interval
    assume(not moving or median(moving) > 1)
    assert len(find(course(rates))) == 1


@settings(max_examples=60, deadline=None)
@given(
    seed=seeds_of_any,
    count=st.integers(40, 700),
    fast=st.floats(0.3, 8),
    slow=st.floats(0.3, 8),
    low=st.floats(0, 0.5),
    cv=st.floats(0, 0.2),
)
def test_alternating_bursts_are_no_levels(
    seed: int, count: int, fast: float, slow: float, low: float, cv: float
) -> None:
    """As from a token bucket: fast and slow intervals in turn.

    A period of hardly more than two intervals is not seen as one, but as slow changes.
    """
    assume(3 <= fast + slow <= count / 4)
    chance = random.Random(seed)
    begin = chance.uniform(0, fast + slow)

    def bursts() -> Iterator[float]:
        steps = 20
        for n in range(count):
            places = [(begin + n + step / steps) % (fast + slow) for step in range(steps)]
            share = sum(place < fast for place in places) / steps
            yield 1e8 * (share + (1 - share) * low) * chance.gauss(1, cv)

    assert len(find(course(list(bursts())))) == 1


@pytest.mark.parametrize(
    "rates",
    [
        [3e8] * 100 + [1e8] * 9,
        [3e8] * 9 + [1e8] * 100,
        [3e8] * 50 + [1e8] * 4 + [3e8] * 50,
        [3e8] * 50 + [2e9] * 4 + [3e8] * 50,
        [3e8] * 100 + [0] * 30,
        [350e6] * 100 + [320e6] * 100,
        [3e8] * 100,
        [0] * 100,
    ],
    ids=[
        "brief end",
        "brief start",
        "dip",
        "burst",
        "hang until the end",
        "below the smallest change",
        "constant",
        "nothing moved",
    ],
)
def test_what_does_not_last_is_no_level(rates: list[float]) -> None:
    assert len(find(course(rates))) == 1


def test_without_intervals_there_are_no_levels() -> None:
    assert find(course([])) == []


def test_a_rate_that_recovers_has_three_levels() -> None:
    assert rates_of(find(course([3e8] * 30 + [1e8] * 100 + [3e8] * 10))) == [3e8, 1e8, 3e8]


def test_a_stall_does_not_hide_a_change_and_is_part_of_its_level() -> None:
    found = find(course([350e6] * 60 + [0] * 8 + [350e6] * 60 + [41e6] * 80))
    assert [level.to_ns for level in found] == pytest.approx([12.8 * SECOND, 20.8 * SECOND])
    assert rates_of(found) == pytest.approx([350e6 * 120 / 128, 41e6])


def test_blocks_that_take_several_intervals_do_not_hide_a_change() -> None:
    block = 671e6
    rates = [block if n % 2 else 0 for n in range(100)] + [
        block if n % 8 == 7 else 0 for n in range(100)
    ]
    found = find(course(rates))
    assert found[0].to_ns == pytest.approx(10 * SECOND, abs=SECOND)
    assert rates_of(found) == pytest.approx([block / 2, block / 8], rel=0.1)


@pytest.mark.parametrize(("marks", "count"), [(4, 1), (5, 2), (10, 2), (30, 2)])
def test_memory_that_is_full_within_moments_is_a_level_of_the_marks(marks: int, count: int) -> None:
    rates = [4e9] * marks + [42e6] * (100 - marks)
    found = find(by_bytes(rates, 32 * MB), by_bytes=True)
    assert len(found) == count
    assert count == 1 or found[0].bytes == marks * 32 * MB


def test_a_start_of_half_a_second_that_is_somewhat_faster_is_no_level_of_its_own() -> None:
    assert len(find(by_bytes([480e6] * 12 + [370e6] * 90), by_bytes=True)) == 1
    assert len(find(by_bytes([800e6] * 12 + [370e6] * 90), by_bytes=True)) == 2


@settings(max_examples=60, deadline=None)
@given(
    seed=seeds_of_any,
    lengths=st.lists(st.integers(15, 80), min_size=1, max_size=4),
    part=st.floats(0, 1),
)
def test_levels_are_neighbors_far_apart_and_add_up_to_the_total(
    seed: int, lengths: list[int], part: float
) -> None:
    chance = random.Random(seed)
    rates = list(accumulate((more(chance) for _ in lengths[1:]), mul, initial=1.0))
    seen = course(noisy(chance, held(list(zip(rates, lengths, strict=True))), 0.1, 0), device=part)
    found = find(seen)
    assert found[0].from_ns == 0
    assert found[-1].to_ns == seen.end_ns[-1]
    assert all(one.to_ns == other.from_ns for one, other in pairwise(found))
    assert sum(level.bytes for level in found) == sum(seen.bytes)
    assert sum(level.device_bytes or 0 for level in found) == sum(
        one or 0 for one in seen.device_bytes
    )
    for one, other in pairwise(rates_of(found)):
        assert min(one, other) <= (1 - LEAST_CHANGE) * max(one, other)


def sliced(levels: list[tuple[float, float]], mark: float) -> Intervals:
    """Return marks of a disk that a throttle lets pass at 3 GB/s up to its share of each 0.1 s."""
    now, left, ends, moved = 0.0, 0.0, list[int](), 0.0
    for rate, size in levels:
        rest = size
        while rest > 1:
            if left < 1:
                now, left = (int(now * 10 + 1e-6) + 1) / 10, rate / 10
            part = min(rest, left, mark - moved)
            now, left, rest, moved = now + part / 3e9, left - part, rest - part, moved + part
            if moved > mark - 1:
                ends.append(round(now * SECOND))
                moved = 0.0
    lengths = [end - begin for begin, end in pairwise([0, *ends])]
    return Intervals(ends, lengths, [round(mark)] * len(ends), [None] * len(ends))


@pytest.mark.parametrize("mark", [5 * MB, 10 * MB, 20 * MB, 40 * MB])
@pytest.mark.parametrize(
    "levels",
    [
        [(300 * MIB, 4000 * MB)],
        [(200 * MIB, 700 * MB), (40 * MIB, 200 * MB), (200 * MIB, 700 * MB)],
        [(300 * MIB, 1000 * MB), (100 * MIB, 700 * MB), (30 * MIB, 300 * MB)],
        [(300 * MIB, 2200 * MB), (200 * MIB, 1500 * MB), (100 * MIB, 800 * MB)],
    ],
    ids=lambda levels: "-".join(f"{rate / MIB:.0f}" for rate, _ in levels),
)
def test_marks_that_a_throttle_lets_pass_in_slices_hide_no_level(
    levels: list[tuple[float, float]], mark: float
) -> None:
    found = find(sliced(levels, mark), by_bytes=True)
    assert rates_of(found) == pytest.approx([rate for rate, _ in levels], rel=0.06)
    ends = list(accumulate(size for _, size in levels))
    moved = list(accumulate(level.bytes for level in found))
    assert moved == pytest.approx(ends, rel=0.05)


@pytest.mark.parametrize("cv", [0.02, 0.1])
def test_a_rate_that_a_full_memory_lowers_by_degrees_has_levels_and_no_decline(cv: float) -> None:
    """The kernel lets writers wait longer and longer, within two or three seconds."""
    degrees = [95, 88, 78, 66, 64, 62, 60, 57, 54, 50, 47, 43, 41, 40, 38, 36, 34, 33, 31, 30]
    for seed in range(FIRST, FIRST + 20):
        chance = random.Random(seed)
        rates = [123.0] * 30 + [float(one) for one in degrees] + [26.0] * 30
        found = rates_of(find(course([1e6 * one * chance.gauss(1, cv) for one in rates])))
        assert found[0] == pytest.approx(118e6, rel=0.2)
        assert found[-1] < 42e6


def held_at(*levels: tuple[float, float]) -> list[HeldRate]:
    """Return levels of rates in MB/s until times in s."""
    found: list[HeldRate] = []
    for rate, until_s in levels:
        begin, at = (found[-1].to_ns, found[-1].to_bytes) if found else (0, 0)
        end = round(until_s * 1e9)
        size = round(rate * MB * (end - begin) / 1e9)
        found.append(HeldRate(rate * MB, end - begin, size, begin, end, at, at + size))
    return found


@pytest.mark.parametrize(
    ("levels", "others", "kept"),
    [
        # the rate recovers when others end, or rises: the change is theirs
        ([(100, 5), (60, 8), (100, 12)], (5, 8), []),
        ([(57, 8), (104, 16)], (0, 8), []),
        ([(100, 5), (60, 8), (97, 12)], (5.4, 7.8), []),
        ([(100, 5), (60, 8), (100, 12), (30, 20)], (5, 8), [99.6, 30]),
        # it stays low: the change is the storage's
        ([(300, 5), (30, 20)], (4.5, 7.5), [300, 30]),
        ([(300, 5), (150, 8), (30, 20)], (5, 8), [300, 150, 30]),
        ([(100, 10), (50, 20)], (10, 20), [100, 50]),
        ([(300, 5), (100, 10), (30, 15)], None, [300, 100, 30]),
        ([(300, 5), (100, 10), (30, 15)], (12.5, 13), [300, 100, 30]),
    ],
)
def test_changes_that_others_explain_are_no_levels(
    levels: list[tuple[float, float]],
    others: tuple[float, float] | None,
    kept: list[float],
) -> None:
    def foreign(at_ns: int) -> bool:
        return others is not None and (others[0] - 1) * 1e9 <= at_ns <= (others[1] + 1) * 1e9

    whole = held_at(*levels)
    found = without(whole, foreign)
    assert [one.bytes_per_s / MB for one in found] == pytest.approx(kept, rel=0.15)
    if found:
        assert sum(one.bytes for one in found) == sum(one.bytes for one in whole)
        assert all(one.to_ns == after.from_ns for one, after in pairwise(found))
        assert (found[0].from_ns, found[-1].to_ns) == (0, whole[-1].to_ns)
