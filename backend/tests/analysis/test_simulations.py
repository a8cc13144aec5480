"""Cliffs and shapes of simulated trials, over marks as sustained tests find them."""

import random
from collections import Counter
from collections.abc import Callable
from itertools import accumulate
from math import exp, log

import pytest
from analysis.simulated import noise
from assay.analysis import throughput
from assay.analysis.level_search import find
from assay.analysis.shape import shape
from assay.analysis.throughput import Intervals
from assay.kinds.sustained.trials import FINEST

MARK_BYTES = 10**8

FIRST = 4 * 10**7
"""The first seed; the rules were chosen with others."""

Noise = pytest.mark.parametrize("lag_one", [0, 0.7], ids=["independent", "autocorrelated"])
Seeds = pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(FIRST, FIRST + 50), id="50"),
        pytest.param(range(FIRST, FIRST + 1000), id="1000", marks=pytest.mark.nightly),
    ],
)

Levels = Callable[[random.Random, int], list[float]]


def marks(rates: list[float]) -> Intervals:
    """Return marks of equal bytes with these rates."""
    lengths = [round(MARK_BYTES * 10**9 / rate) for rate in rates]
    count = len(rates)
    return Intervals(list(accumulate(lengths)), lengths, [MARK_BYTES] * count, [None] * count)


def found(seeds: range, levels: Levels, cv: float, lag_one: float) -> Counter[str]:
    """Return how many simulated trials have a cliff, each shape, or neither (`level`)."""
    counts = Counter[str]()
    for seed in seeds:
        chance = random.Random(seed)
        count = round(exp(chance.uniform(log(100), log(5000))))
        steps = levels(chance, count)
        factors = noise(chance, count, cv, lag_one)
        seen = marks([3e8 * one * factor for one, factor in zip(steps, factors, strict=True)])
        if len(find(throughput.joined(seen, FINEST), by_bytes=True)) > 1:
            counts["cliff"] += 1
        else:
            shaped = shape(seen)
            counts[shaped.shape if shaped else "level"] += 1
    return counts


def constant(_: random.Random, count: int) -> list[float]:
    return [1.0] * count


def step(chance: random.Random, count: int) -> list[float]:
    place = chance.randrange(20, count - 19)
    return [1.0] * place + [chance.choice((0.8, 1.25))] * (count - place)


def decline(chance: random.Random, count: int) -> list[float]:
    lost = chance.uniform(0.25, 0.8)
    return [1 - lost * at / count for at in range(count)]


def sawtooth(chance: random.Random, count: int) -> list[float]:
    depth, period = chance.uniform(0.3, 0.8), chance.uniform(6, count / 5)
    begin = chance.random()
    return [1 - depth * ((at / period + begin) % 1) for at in range(count)]


@Seeds
@Noise
def test_at_most_one_in_200_steady_devices_has_a_cliff(seeds: range, lag_one: float) -> None:
    counts = found(seeds, constant, 0.1, lag_one)
    assert counts["cliff"] <= max(1, 0.005 * len(seeds))
    assert counts["level"] >= 0.99 * len(seeds)


@Seeds
@Noise
def test_95_percent_of_steps_by_20_percent_are_found(seeds: range, lag_one: float) -> None:
    assert found(seeds, step, 0.05, lag_one)["cliff"] >= 0.95 * len(seeds)


@Seeds
@Noise
@pytest.mark.parametrize("levels", [decline, sawtooth])
def test_a_linear_decline_and_a_sawtooth_are_named_and_are_no_cliffs(
    seeds: range, lag_one: float, levels: Levels
) -> None:
    counts = found(seeds, levels, 0.05, lag_one)
    assert counts[levels.__name__] >= 0.95 * len(seeds)
    assert counts["cliff"] <= 0.005 * len(seeds)
