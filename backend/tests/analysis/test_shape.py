import random
from collections.abc import Callable

import pytest
from assay.analysis.level_search import find
from assay.analysis.shape import Shaped, fading, shape, slow_down
from assay.analysis.throughput import Intervals, first_part, rates

from .test_levels import course, noise

FIRST = 2 * 10**7
"""The first seed of simulated trials; the rules were chosen with others."""

Seeds = pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(FIRST, FIRST + 60), id="60"),
        pytest.param(range(FIRST, FIRST + 300), id="300", marks=pytest.mark.nightly),
    ],
)

Noise = pytest.mark.parametrize("lag_one", [0, 0.7], ids=["independent", "autocorrelated"])


def shaped(
    seed: int, cv: float, lag_one: float, level: Callable[[random.Random, int], list[float]]
) -> tuple[Shaped | None, bool]:
    """Return the shape of a simulated trial, and whether it has a cliff."""
    chance = random.Random(seed)
    count = chance.randrange(60, 700)
    levels = level(chance, count)
    factors = noise(chance, count, cv, lag_one)
    seen = course([3e8 * one * factor for one, factor in zip(levels, factors, strict=True)])
    return shape(seen), len(find(seen)) > 1


def level(_: random.Random, count: int) -> list[float]:
    return [1.0] * count


def decline(chance: random.Random, count: int) -> list[float]:
    lost = chance.uniform(0.25, 0.8)
    return [1 - lost * at / count for at in range(count)]


def sawtooth(chance: random.Random, count: int) -> list[float]:
    depth, period = chance.uniform(0.3, 0.8), chance.uniform(6, count / 5)
    begin = chance.random()
    return [1 - depth * ((at / period + begin) % 1) for at in range(count)]


@Seeds
@Noise
def test_a_steady_device_has_no_shape(seeds: range, lag_one: float) -> None:
    seen = [shaped(seed, 0.1, lag_one, level) for seed in seeds]
    assert sum(one is not None for one, _ in seen) <= 0.01 * len(seen)


@Seeds
@Noise
def test_a_linear_decline_is_named_and_is_no_cliff(seeds: range, lag_one: float) -> None:
    seen = [shaped(seed, 0.05, lag_one, decline) for seed in seeds]
    assert sum(one is not None and one.shape == "decline" for one, _ in seen) >= 0.95 * len(seen)
    assert sum(is_cliff for _, is_cliff in seen) <= 0.01 * len(seen)


@Seeds
@Noise
def test_a_sawtooth_is_named_and_is_no_cliff(seeds: range, lag_one: float) -> None:
    seen = [shaped(seed, 0.05, lag_one, sawtooth) for seed in seeds]
    assert sum(one is not None and one.shape == "sawtooth" for one, _ in seen) >= 0.95 * len(seen)
    assert sum(is_cliff for _, is_cliff in seen) <= 0.01 * len(seen)


def test_the_period_of_a_sawtooth_is_its_length() -> None:
    found = shape(course([3e8 - 1e7 * (at % 20) for at in range(400)]))
    assert found
    assert found.shape == "sawtooth"
    assert found.period_ns == pytest.approx(2e9, rel=0.05)


def test_a_rise_is_named() -> None:
    found = shape(course([3e8 + 1e6 * at for at in range(200)]))
    assert found
    assert (found.shape, found.period_ns) == ("rise", None)
    assert found.change == pytest.approx(0.5, rel=0.01)


@Seeds
@Noise
def test_about_one_in_20_steady_devices_has_a_certain_trend(seeds: range, lag_one: float) -> None:
    """The trend's confidence is 95 %."""
    certain = 0
    for seed in seeds:
        chance = random.Random(seed)
        found = slow_down(course([3e8 * one for one in noise(chance, 400, 0.1, lag_one)]))
        assert found
        assert found.trend
        certain += found.trend.certain
    assert certain <= 0.1 * len(seeds)


def test_the_slow_down_compares_the_last_tenth_with_the_first() -> None:
    found = slow_down(course([4e8] * 10 + [3e8] * 80 + [1e8] * 10))
    assert found
    assert found.first_bytes_per_s == pytest.approx(4e8)
    assert found.last_bytes_per_s == pytest.approx(1e8)
    assert found.share == pytest.approx(0.75)


def test_a_trial_of_few_intervals_has_no_slow_down() -> None:
    assert slow_down(course([3e8] * 9)) is None


def test_resampling_keeps_all_bytes() -> None:
    seen = course([1e8, 2e8, 7e8, 1e6, 3e8, 5e8, 9e8])
    for parts in (1, 2, 3, 5, 13):
        moved = sum(one * sum(seen.dt_ns) / 1e9 / parts for one in rates(seen, parts))
        assert moved == pytest.approx(sum(seen.bytes), rel=1e-9)


@pytest.mark.parametrize("stalled", [30, 50, 100, 200])
def test_a_long_stall_or_a_step_is_no_line(stalled: int) -> None:
    """It explains as much of the variance as a line may, but two rates explain more."""
    steady = [3e8] * 100
    assert shape(course([*steady, *[0.0] * (stalled - 1), 3e8])) is None
    assert shape(course([*[0.0] * (stalled - 1), 3e8, *steady])) is None


def seconds(*rates: float) -> Intervals:
    """Return tenths of a second, ten of each rate."""
    sizes = [round(rate * 1e7) for rate in rates for _ in range(10)]
    ends = [10**8 * (at + 1) for at in range(len(sizes))]
    return Intervals(ends, [10**8] * len(sizes), sizes, [None] * len(sizes))


def test_a_rate_that_fell_fades() -> None:
    assert fading(seconds(*[100] * 5, *[30] * 7)) == pytest.approx((1e10, 3e9))
    assert fading(seconds(*[100] * 9, *[30] * 3)) is not None, "most of the last third is low"


def test_a_stall_in_the_last_third_does_not_fade() -> None:
    """It may take a third of that time, so that its mean is far lower."""
    assert fading(seconds(*[100] * 9, 0, 100, 100)) is None
    assert fading(seconds(*[100] * 11, 0)) is None


def test_a_rate_with_few_intervals_fades_by_its_means() -> None:
    few = Intervals([10**9 * n for n in range(1, 7)], [10**9] * 6, [9, 9, 9, 9, 3, 3], [None] * 6)
    assert fading(few) == (9, 3)
    assert fading(first_part(few, 5 * 10**9)) is None
