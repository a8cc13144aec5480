"""Interleaved rounds of several ways to do the same, so that drift cancels in their ratios."""

from collections.abc import Callable

from intervals import Interval, of_median


def interleaved(ways: dict[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """Measure each way once in each round, every other round in the reverse order."""
    found: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(rounds):
        for name in sorted(ways, reverse=turn % 2 == 1):
            found[name].append(ways[name]())
    return found


def ratio(one: list[float], other: list[float]) -> Interval:
    """Return the median of the rounds' ratios."""
    return of_median([a / b for a, b in zip(one, other, strict=True)])
