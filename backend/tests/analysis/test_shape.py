import random
from collections.abc import Callable

import pytest
from assay.analysis import cliff
from assay.analysis.course import rates
from assay.analysis.shape import Shaped, shape
from assay.analysis.slow_down import slow_down

from .test_cliff import autocorrelated, course

SIMULATIONS = range(2 * 10**7, 2 * 10**7 + 300)
"""Seeds of simulated trials; the rules were chosen with others."""

Noise = pytest.mark.parametrize("lag_one", [0, 0.7], ids=["independent", "autocorrelated"])


def shaped(
    seed: int, cv: float, lag_one: float, level: Callable[[random.Random, int], list[float]]
) -> tuple[Shaped | None, bool]:
    """Return the shape of a simulated trial, and whether it has a cliff."""
    chance = random.Random(seed)
    count = chance.randrange(60, 700)
    levels = level(chance, count)
    noise = autocorrelated(chance, count, cv, lag_one)
    seen = course([3e8 * one * factor for one, factor in zip(levels, noise, strict=True)])
    return shape(seen), cliff.find(seen) is not None


def level(_: random.Random, count: int) -> list[float]:
    return [1.0] * count


def decline(chance: random.Random, count: int) -> list[float]:
    lost = chance.uniform(0.25, 0.8)
    return [1 - lost * at / count for at in range(count)]


def sawtooth(chance: random.Random, count: int) -> list[float]:
    depth, period = chance.uniform(0.3, 0.8), chance.uniform(6, count / 5)
    begin = chance.random()
    return [1 - depth * ((at / period + begin) % 1) for at in range(count)]


@Noise
def test_a_steady_device_has_no_shape(lag_one: float) -> None:
    seen = [shaped(seed, 0.1, lag_one, level) for seed in SIMULATIONS]
    assert sum(one is not None for one, _ in seen) <= 0.01 * len(seen)


@Noise
def test_a_linear_decline_is_named_and_is_no_cliff(lag_one: float) -> None:
    seen = [shaped(seed, 0.05, lag_one, decline) for seed in SIMULATIONS]
    assert sum(one is not None and one.shape == "decline" for one, _ in seen) >= 0.95 * len(seen)
    assert sum(is_cliff for _, is_cliff in seen) <= 0.01 * len(seen)


@Noise
def test_a_sawtooth_is_named_and_is_no_cliff(lag_one: float) -> None:
    seen = [shaped(seed, 0.05, lag_one, sawtooth) for seed in SIMULATIONS]
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


@Noise
def test_about_one_in_20_steady_devices_has_a_certain_trend(lag_one: float) -> None:
    """The trend's confidence is 95 %."""
    certain = 0
    for seed in SIMULATIONS:
        chance = random.Random(seed)
        found = slow_down(course([3e8 * one for one in autocorrelated(chance, 400, 0.1, lag_one)]))
        assert found
        assert found.trend
        certain += found.trend.certain
    assert certain <= 0.1 * len(SIMULATIONS)


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
