"""Pictures of a result, as data: what a static report draws beside the table of its kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RateGrid:
    """A rate in bytes per second over two axes; null where nothing was measured.

    `notes` has what limits each cell, such as its flags; `best` is the best cell's row and column.
    """

    title: str
    row_axis: str
    rows: Sequence[str]
    columns: Sequence[str]
    rates: Sequence[Sequence[float | None]]
    notes: Sequence[Sequence[str]]
    best: tuple[int, int] | None


@dataclass(frozen=True)
class RateBars:
    """A rate in bytes per second for each of several names; null where nothing was measured."""

    title: str
    bars: Sequence[tuple[str, float | None]]


Picture = RateGrid | RateBars


def mean_bars(title: str, means: Sequence[tuple[str, Mapping[str, Any] | None]]) -> list[Picture]:
    """Return the bars of rates that the API describes by their mean; none without a rate."""
    bars = [(name, stat["mean"] if stat else None) for name, stat in means]
    return [RateBars(title, bars)] if any(rate is not None for _, rate in bars) else []
