"""Steady state by the rule of SNIA's Performance Test Specification.

Rounds are steady if the last `WINDOW` of them spread by at most 20 % of their mean, and the line
through them (least squares) changes by at most 10 % of the mean across the window. All arithmetic
is in floats around the window's middle, so that no number of samples overflows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from statistics import fmean

WINDOW = 5
"""Rounds of a window."""

MOST_ROUNDS = 25
"""A device that is not steady after so many rounds is not steady."""

ROUND_NS = 60 * 10**9
"""Duration of a round, in ns."""

MOST_SPREAD = 0.20
"""Maximum of (maximum − minimum) ÷ mean."""

MOST_SLOPE = 0.10
"""Maximum change of the line across the window ÷ mean."""


@dataclass(frozen=True)
class SteadyWindow:
    """Neighboring rounds; shares are of their mean.

    `slope_share` is the change of the least-squares line from the first to the last round.
    """

    mean: float
    spread_share: float
    slope_share: float

    @property
    def steady(self) -> bool:
        """Whether both limits hold."""
        return self.spread_share <= MOST_SPREAD and abs(self.slope_share) <= MOST_SLOPE


@dataclass(frozen=True)
class Steady:
    """The first steady window, or the last one that was tried. `first_round` counts from 1."""

    reached: bool
    rounds: int
    first_round: int
    window: SteadyWindow


def window(values: Sequence[float]) -> SteadyWindow | None:
    """Return the figures of a window; None below two values or without a positive mean."""
    if len(values) < 2 or (mean := fmean(values)) <= 0:
        return None
    middle = (len(values) - 1) / 2
    squares = fsum((at - middle) ** 2 for at in range(len(values)))
    slope = fsum((at - middle) * (value - mean) for at, value in enumerate(values)) / squares
    return SteadyWindow(
        mean=mean,
        spread_share=(max(values) - min(values)) / mean,
        slope_share=slope * (len(values) - 1) / mean,
    )


def steady(rounds: Sequence[float], length: int = WINDOW, most: int = MOST_ROUNDS) -> Steady | None:
    """Return the first steady window of `length` rounds; None with fewer rounds than a window."""
    tried: Steady | None = None
    for end in range(length, min(len(rounds), most) + 1):
        found = window(rounds[end - length : end])
        if found is None:
            continue
        tried = Steady(found.steady, end, end - length + 1, found)
        if tried.reached:
            return tried
    return tried
