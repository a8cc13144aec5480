"""Correction of the best rate for selection bias.

The highest of many noisy means is too high: it was partly selected for its luck. Each repeat in
turn is held out: the other repeats select the best cell, and the held-out repeat gives the rate of
that cell. The mean over all repeats has no selection bias (leave-one-out cross-validation; Stone
1974), needs no assumption about the noise, and equals the plain mean if the same cell is always
best.
"""

from collections.abc import Mapping
from math import fsum
from statistics import fmean

from assay.kinds.matrix.ranking import Setting

RatesByRepeat = Mapping[Setting, Mapping[int, float]]
"""The rates of each setting by the number of their repeat, none of them empty."""


def corrected_best(repeats: RatesByRepeat) -> float | None:
    """Return the rate of the best setting, corrected for selection bias; null without repeats.

    It is never above the highest mean.
    """
    highest = max((fmean(rates.values()) for rates in repeats.values()), default=None)
    if highest is None:
        return None
    sums = {setting: fsum(rates.values()) for setting, rates in repeats.items()}
    held_out: list[float] = []
    for number in sorted({number for rates in repeats.values() for number in rates}):
        means = {
            setting: (sums[setting] - rates.get(number, 0.0)) / rest
            for setting, rates in repeats.items()
            if (rest := len(rates) - (number in rates))
        }
        if means:
            chosen = min(means, key=lambda setting: (-means[setting], setting.cost))
            if number in repeats[chosen]:
                held_out.append(repeats[chosen][number])
    return min(highest, fmean(held_out)) if held_out else None
