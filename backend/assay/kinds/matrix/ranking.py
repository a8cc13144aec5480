"""The best setting, the settings within noise of it, and the cheapest of those."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, median

from assay.analysis.noise import Difference, difference, variance

GIVES_AWAY = 0.10
"""Maximum share of the best rate that a recommendation may sacrifice.

With two or three repeats, half of the rate can be within noise; that is no recommendation.
"""


@dataclass(frozen=True)
class Setting:
    """A cell of the matrix."""

    block: int
    threads: int

    @property
    def cost(self) -> tuple[int, int]:
        """Fewest threads first, then least memory in buffers."""
        return self.threads, self.threads * self.block


@dataclass(frozen=True)
class Stat:
    """The repeats of a cell, in bytes per second, compared with the best cell.

    `sd_bytes_per_s` needs two repeats; `p` is Welch's against the best cell, null without repeats
    or comparison; with `too_few_repeats` the cell cannot be distinguished from the best. `bounded`:
    a final sync timed out, so the true mean is lower.
    """

    mean_bytes_per_s: float
    median_bytes_per_s: float
    worst_bytes_per_s: float
    sd_bytes_per_s: float | None
    n: int
    bounded: bool = False
    best: bool = False
    within_noise: bool = False
    too_few_repeats: bool = False
    p: float | None = None


@dataclass(frozen=True)
class Ranking:
    """The best setting, the cheapest within noise of it, and the difference of each other one."""

    best: Setting
    cheapest: Setting
    differences: Mapping[Setting, Difference]


Rates = Mapping[Setting, Sequence[float]]
"""The rates of each setting's repeats; none of them is empty."""


def describe(rates: Sequence[float], *, bounded: bool = False) -> Stat:
    """Return the figures of one cell; `rates` is not empty."""
    return Stat(
        mean_bytes_per_s=fmean(rates),
        median_bytes_per_s=median(rates),
        worst_bytes_per_s=min(rates),
        sd_bytes_per_s=sqrt(variance(rates)) if len(rates) > 1 else None,
        n=len(rates),
        bounded=bounded,
    )


def rank(rates: Rates) -> Ranking | None:
    """Rank by mean, then by cost. Null if there is nothing to rank."""
    if not rates:
        return None
    means = {setting: fmean(values) for setting, values in rates.items()}
    best = min(rates, key=lambda setting: (-means[setting], setting.cost))
    differences = {
        setting: difference(values, rates[best])
        for setting, values in rates.items()
        if setting != best
    }
    return Ranking(best, _cheapest(best, differences), differences)


def _cheapest(best: Setting, differences: Mapping[Setting, Difference]) -> Setting:
    equals: Collection[Setting] = [
        s for s, d in differences.items() if d.within_noise and d.ratio >= 1 - GIVES_AWAY
    ]
    return min([best, *equals], key=lambda setting: setting.cost)
