import random
from collections.abc import Iterator
from itertools import accumulate
from statistics import fmean

import pytest
from assay.analysis import cliff
from assay.analysis.cliff import Cliff, Intervals, find, p_of_ranks
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

SECOND = 10**9
TENTH = SECOND // 10
MB = 10**6


def course(rates: list[float], dt_ns: int = TENTH, device: float | None = None) -> Intervals:
    """Return intervals of equal length with these rates, of which the device moved a share."""
    moved = [round(max(0.0, rate) * dt_ns / SECOND) for rate in rates]
    ends = [dt_ns * (n + 1) for n in range(len(rates))]
    taken = [None if device is None else round(device * one) for one in moved]
    return Intervals(ends, [dt_ns] * len(rates), moved, taken)


def noisy(chance: random.Random, rate: float, count: int, cv: float) -> list[float]:
    return [chance.gauss(rate, cv * rate) for _ in range(count)]


def found(seen: Intervals) -> Cliff:
    one = find(seen)
    assert one is not None
    return one


seeds = st.integers(0, 2**32)
counts = st.integers(20, 700)


@settings(max_examples=200, deadline=None)
@given(seed=seeds, count=counts, cv=st.floats(0, 0.3), rate=st.floats(1e3, 1e10))
def test_a_steady_noisy_rate_has_no_cliff(seed: int, count: int, cv: float, rate: float) -> None:
    assert find(course(noisy(random.Random(seed), rate, count, cv))) is None


@settings(max_examples=200, deadline=None)
@given(seed=seeds, count=counts, share=st.floats(0, 0.3), longest=st.integers(1, 20))
def test_stalls_of_heavy_tailed_length_are_not_a_cliff(
    seed: int, count: int, share: float, longest: int
) -> None:
    chance = random.Random(seed)
    rates = noisy(chance, 1e8, count, 0.1)
    while rates.count(0) < share * count:
        begin = chance.randrange(count)
        end = min(count, begin + min(longest, int(chance.paretovariate(1))))
        rates[begin:end] = [0.0] * (end - begin)
    assert find(course(rates)) is None


@settings(max_examples=200, deadline=None)
@given(
    seed=seeds,
    count=st.integers(40, 700),
    fast=st.floats(0.3, 8),
    slow=st.floats(0.3, 8),
    low=st.floats(0, 0.5),
    cv=st.floats(0, 0.2),
)
def test_alternating_bursts_are_not_a_cliff(
    seed: int, count: int, fast: float, slow: float, low: float, cv: float
) -> None:
    """As from a token bucket: fast and slow intervals in turn."""
    assume(count >= 4 * (fast + slow))
    chance = random.Random(seed)
    begin = chance.uniform(0, fast + slow)

    def bursts() -> Iterator[float]:
        steps = 20
        for n in range(count):
            places = [(begin + n + step / steps) % (fast + slow) for step in range(steps)]
            share = sum(place < fast for place in places) / steps
            yield 1e8 * (share + (1 - share) * low) * chance.gauss(1, cv)

    assert find(course(list(bursts()))) is None


def test_a_slow_decline_is_not_a_cliff() -> None:
    assert find(course([4e8 - 3e6 * n for n in range(100)])) is None


def test_a_change_by_less_than_15_percent_is_not_a_cliff() -> None:
    assert find(course([350e6] * 100 + [305e6] * 100)) is None
    assert find(course([350e6] * 100 + [290e6] * 100)) is not None


SIMULATIONS = range(10**7, 10**7 + 1000)
"""Seeds of simulated trials; the rule was chosen with others."""


def autocorrelated(chance: random.Random, count: int, cv: float, lag_one: float) -> list[float]:
    """Return factors around 1 with this deviation and correlation of neighbors."""
    now, factors = chance.gauss(0, 1), list[float]()
    for _ in range(count):
        factors.append(1 + cv * now)
        now = lag_one * now + (1 - lag_one**2) ** 0.5 * chance.gauss(0, 1)
    return factors


def simulated(seed: int, cv: float, lag_one: float, after: float) -> Cliff | None:
    """Find the cliff of a trial whose rate changes to `after` times the first at a random place."""
    chance = random.Random(seed)
    count = chance.randrange(40, 700)
    place = chance.randrange(20, count - 19)
    noise = autocorrelated(chance, count, cv, lag_one)
    levels = [3e8] * place + [3e8 * after] * (count - place)
    return find(course([level * one for level, one in zip(levels, noise, strict=True)]))


@pytest.mark.parametrize("lag_one", [0, 0.7], ids=["independent", "autocorrelated"])
def test_at_most_one_in_200_steady_devices_with_10_percent_noise_has_a_cliff(
    lag_one: float,
) -> None:
    false = sum(simulated(seed, 0.1, lag_one, 1) is not None for seed in SIMULATIONS)
    assert false <= 0.005 * len(SIMULATIONS)


@pytest.mark.parametrize("lag_one", [0, 0.7], ids=["independent", "autocorrelated"])
def test_95_percent_of_changes_by_20_percent_are_found_at_5_percent_noise(lag_one: float) -> None:
    """Half of them fall, half rise."""
    changes = [simulated(seed, 0.05, lag_one, (0.8, 1.25)[seed % 2]) for seed in SIMULATIONS]
    assert sum(one is not None for one in changes) >= 0.95 * len(SIMULATIONS)


def by_bytes(rates: list[float], size: int = 10 * MB) -> Intervals:
    """Return intervals of equal bytes with these rates."""
    lengths = [round(size * SECOND / rate) for rate in rates]
    return Intervals(list(accumulate(lengths)), lengths, [size] * len(rates), [None] * len(rates))


@pytest.mark.parametrize("lag_one", [0, 0.7], ids=["independent", "autocorrelated"])
def test_marks_find_a_cliff_at_its_place_with_both_levels(lag_one: float) -> None:
    """From 300 to 40 MiB/s after 2 GB, with 5 % noise, as on a slow disk with a write cache."""
    fast, slow, exact = 300 * 2**20, 40 * 2**20, 0
    for seed in range(10**7, 10**7 + 100):
        chance = random.Random(seed)
        noise = autocorrelated(chance, 500, 0.05, lag_one)
        levels = [fast] * 200 + [slow] * 300
        one = find(
            by_bytes([level * x for level, x in zip(levels, noise, strict=True)]), by_bytes=True
        )
        assert one is not None
        assert one.before.bytes == pytest.approx(2e9, rel=0.02)
        near = pytest.approx
        exact += one.before.bytes_per_s == near(fast, rel=0.03)
        exact += one.after.bytes_per_s == near(slow, rel=0.03)
    assert exact >= 195


@pytest.mark.parametrize(("marks", "found"), [(4, False), (5, True), (10, True), (30, True)])
def test_memory_that_is_full_within_moments_is_a_level_of_the_marks(
    marks: int, found: bool
) -> None:
    """At 4 GB/s memory takes 32 MB in 8 ms; then the disk's 42 MB/s are left."""
    rates = [4e9] * marks + [42e6] * (100 - marks)
    one = find(by_bytes(rates, 32 * MB), by_bytes=True)
    assert (one is not None) == found
    assert one is None or one.before.bytes == marks * 32 * MB


def test_a_start_of_half_a_second_that_is_somewhat_faster_is_no_level_of_its_own() -> None:
    """A throttled disk passes a burst of some 100 ms before its rate holds."""
    assert find(by_bytes([480e6] * 12 + [370e6] * 90, 20 * MB), by_bytes=True) is None
    assert find(by_bytes([800e6] * 12 + [370e6] * 90, 20 * MB), by_bytes=True) is not None


def test_a_first_level_in_which_every_tenth_interval_stalls_is_one() -> None:
    rates = [4e9, 2e8, *[4e9] * 8, *[42e6] * 90]
    assert find(by_bytes(rates), by_bytes=True) is not None


def test_a_rate_that_recovers_is_not_a_cliff() -> None:
    assert find(course([3e8] * 30 + [1e8] * 100 + [3e8] * 10)) is None
    assert find(course([1e8] * 20 + [3e8] * 60 + [1e8] * 60)) is None


def test_half_a_second_at_another_rate_is_not_a_level() -> None:
    assert find(course([3e8] * 100 + [1e8] * 9)) is None
    assert find(course([3e8] * 9 + [1e8] * 100)) is None
    assert find(course([3e8] * 10 + [1e8] * 9)) is None


def test_a_hang_until_the_end_is_a_stall_and_not_a_level() -> None:
    assert find(course([3e8] * 100 + [0] * 30)) is None


def test_a_trial_without_intervals_has_no_cliff() -> None:
    assert find(course([])) is None


@settings(max_examples=200, deadline=None)
@given(
    seed=seeds,
    before=st.integers(20, 300),
    after=st.integers(20, 300),
    high=st.floats(1e6, 1e10),
    ratio=st.floats(0.01, 0.5),
    cv=st.floats(0, 0.08),
    part=st.floats(0, 1),
    falls=st.booleans(),
)
def test_a_clear_change_is_found_at_its_place_with_both_levels(
    seed: int,
    before: int,
    after: int,
    high: float,
    ratio: float,
    cv: float,
    part: float,
    falls: bool,
) -> None:
    """`part` is the share of the first level in the interval in which the rate changes."""
    chance = random.Random(seed)
    one, other = (high, high * ratio) if falls else (high * ratio, high)
    first, second = noisy(chance, one, before, cv), noisy(chance, other, after, cv)
    one_found = found(course([*first, part * one + (1 - part) * other, *second]))
    assert one_found.at_ns == pytest.approx((before + part) * TENTH, abs=TENTH)
    for level, rates in ((one_found.before, first), (one_found.after, second)):
        # the interval of the change is divided by an estimate, which noise may put off
        divided = abs(one - other) / len(rates) / 2
        mean = fmean(rates)
        assert level.bytes_per_s == pytest.approx(mean, abs=0.04 * mean + divided)
    assert ("fell" if falls else "rose") in one_found.sentence()
    assert "stayed there" in one_found.sentence()


@settings(max_examples=100, deadline=None)
@given(seed=seeds, before=st.integers(15, 200), after=st.integers(15, 200))
def test_both_levels_add_up_to_the_total(seed: int, before: int, after: int) -> None:
    chance = random.Random(seed)
    rates = noisy(chance, 3e8, before, 0.1) + noisy(chance, 5e7, after, 0.1)
    lengths = [chance.randrange(TENTH - 10**6, TENTH + 10**6) for _ in rates]
    lengths[chance.randrange(1, len(lengths))] = 10**6  # the end of a phase leaves a fragment
    moved = [round(rate * dt / SECOND) for rate, dt in zip(rates, lengths, strict=True)]
    taken = [one + 4096 for one in moved]
    one = found(Intervals(list(accumulate(lengths)), lengths, moved, taken))
    assert one.before.duration_ns + one.after.duration_ns == sum(lengths)
    assert one.before.bytes + one.after.bytes == sum(moved)
    assert (one.before.device_bytes or 0) + (one.after.device_bytes or 0) == sum(taken)
    assert one.at_ns == one.before.duration_ns


def test_blocks_that_take_several_intervals_do_not_hide_a_cliff() -> None:
    # 64 MiB in each interval of 0.1 s that one ends in: every other one, then every eighth
    block = 671e6
    rates = [block if n % 2 else 0 for n in range(100)] + [
        block if n % 8 == 7 else 0 for n in range(100)
    ]
    one = found(course(rates))
    assert one.at_ns == pytest.approx(10 * SECOND, abs=SECOND)
    assert one.before.bytes_per_s == pytest.approx(block / 2, rel=0.1)
    assert one.after.bytes_per_s == pytest.approx(block / 8, rel=0.1)


def test_a_stall_in_one_level_does_not_hide_the_cliff() -> None:
    rates = [350e6] * 60 + [0] * 8 + [350e6] * 60 + [41e6] * 80
    assert found(course(rates)).at_ns == pytest.approx(12.8 * SECOND, abs=TENTH)


def test_the_sentence_names_time_bytes_and_both_rates() -> None:
    one = found(course([350e6] * 123 + [41e6] * 100))
    assert one.sentence() == (
        "After 12.3 s and 4.30 GB the rate fell from 350 MB/s to 41.0 MB/s and stayed there."
    )


def test_a_level_that_changes_too_is_not_reported_as_permanent() -> None:
    one = found(course([350e6] * 100 + [100e6] * 60 + [41e6] * 60))
    assert one.again
    assert one.sentence().endswith("; the rate changed again within one of them.")


@pytest.mark.parametrize(
    ("device", "copies", "expected"), [(1.0, 1, True), (0.2, 1, False), (1.0, 2, False)]
)
def test_levels_reached_the_device_if_it_received_their_bytes(
    device: float, copies: int, expected: bool
) -> None:
    seen = course([350e6] * 50 + [41e6] * 50, device=device)
    assert found(seen).reached_device(copies) is expected


def test_without_a_counter_it_is_unknown_what_reached_the_device() -> None:
    assert found(course([350e6] * 50 + [41e6] * 50)).reached_device(1) is None


@settings(max_examples=100, deadline=None)
@given(
    values=st.lists(st.integers(0, 10**6), min_size=50, max_size=80, unique=True),
    split=st.integers(5, 45),
)
def test_the_p_value_is_that_of_scipy(values: list[float], split: int) -> None:
    small = min(split, len(values) - split) <= cliff.EXACT
    method = "exact" if small else "asymptotic"
    expected = mannwhitneyu(values[:split], values[split:], method=method).pvalue
    assert p_of_ranks(values, split) == pytest.approx(expected, rel=1e-6)


def test_ties_are_counted_as_scipy_counts_them() -> None:
    values = [1.0] * 30 + [2.0] * 30 + [1.0] * 10
    expected = mannwhitneyu(values[:35], values[35:], method="asymptotic").pvalue
    assert p_of_ranks(values, 35) == pytest.approx(expected, rel=1e-6)
    assert p_of_ranks([1.0] * 60, 30) == 1.0
