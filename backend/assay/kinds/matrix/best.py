"""The best cell of a matrix by one rate, those within noise of it, and the cheapest of these.

A cell served by a cache is best only if all cells were; a cell whose final sync timed out is not
best if another cell's did not; a cell measured once is not compared with repeated ones. Trials with
an excluding flag are ignored.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from assay.analysis.flags import EXCLUDED, Flag, Rate, of_cell
from assay.analysis.noise import TOLERANCE, Difference, difference
from assay.kinds.matrix.cells import Cell, Setting

GIVES_AWAY = 0.10
"""Maximum share of the best rate that a recommendation may sacrifice.

With two or three repeats, half of the rate can be within noise; that is no recommendation.
"""


@dataclass(frozen=True)
class Ranking:
    """The best setting, the cheapest within noise of it, and the difference of each other one."""

    best: Setting
    cheapest: Setting
    differences: Mapping[Setting, Difference]


Rates = Mapping[Setting, Sequence[float]]
"""The rates of each setting's repeats; none of them is empty."""


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


RatesByRepeat = Mapping[Setting, Mapping[int, float]]
"""The rates of each setting by the number of their repeat, none of them empty."""


@dataclass(frozen=True)
class Best:
    """The eligible cells, and the best of them with its mean.

    Rates are bytes per second. If a cell has a cliff, its mean is a rate that was never reached;
    its flag in `cliffs` has the levels. `left_out_faster` counts the cells that were faster beyond
    noise, but are not compared: they have a single reliable repeat, or none (for instance because
    their trials were too short). `excluding` has the flags of the latter's trials.
    """

    rates: Rates
    ranking: Ranking
    mean: float
    cliffs: Mapping[Setting, Flag] = field(default_factory=dict[Setting, Flag])
    left_out_faster: int = 0
    excluding: Sequence[Flag] = ()


def best_of(cells: Sequence[Cell], rate: Rate) -> Best | None:
    """Return the best of these cells; null if no trial has a reliable rate."""
    sound = sound_repeats(cells, rate)
    eligible = _eligible(cells, sound, rate)
    repeats = {s: rates for s, rates in eligible.items() if len(rates) > 1} or eligible
    rates = {setting: list(values.values()) for setting, values in repeats.items()}
    ranking = rank(rates)
    if ranking is None:
        return None
    mean = fmean(rates[ranking.best])
    doubtful = [c for c in cells if c.setting not in sound or c.setting in eligible.keys() - rates]
    faster = [cell for cell in doubtful if _is_faster(cell, rate, mean)]
    return Best(
        rates,
        ranking,
        mean,
        {s: flag for s, flag in cliffs_of(cells, rate).items() if s in rates},
        len(faster),
        [
            flag
            for cell in faster
            if cell.setting not in sound
            for trial in cell.trials
            for flag in trial.flags
            if flag.code in EXCLUDED and rate in flag.rates
        ],
    )


def _is_faster(cell: Cell, rate: Rate, mean: float) -> bool:
    own = cell.mean(rate)
    return own is not None and own > mean * (1 + TOLERANCE)


def sound_repeats(cells: Sequence[Cell], rate: Rate) -> dict[Setting, dict[int, float]]:
    """Return the rates of each cell's reliable trials, by repeat; omit cells without any."""
    found = {
        cell.setting: {
            trial.repeat: value
            for trial in cell.trials
            if trial.is_sound(rate) and (value := trial.rate(rate)) is not None
        }
        for cell in cells
    }
    return {setting: values for setting, values in found.items() if values}


def cliffs_of(cells: Sequence[Cell], rate: Rate) -> dict[Setting, Flag]:
    """Return the cliff of each cell whose reliable trials have one in this rate, with counts."""
    return {
        cell.setting: flag
        for cell in cells
        for flag in of_cell(
            [
                [flag for flag in trial.flags if flag.code == "cliff" and rate in flag.rates]
                for trial in cell.trials
                if trial.is_sound(rate)
            ]
        )
    }


def _eligible(cells: Sequence[Cell], repeats: RatesByRepeat, rate: Rate) -> RatesByRepeat:
    """Return the rates that may be best: those with the fewest caveats."""

    def flaws(cell: Cell) -> tuple[bool, bool]:
        stat = cell.of(rate)
        return cell.is_cached(rate), stat is not None and stat.bounded

    found = {cell.setting: flaws(cell) for cell in cells if cell.setting in repeats}
    least = min(found.values(), default=None)
    return {setting: values for setting, values in repeats.items() if found[setting] == least}


def ratios(a: RatesByRepeat, b: RatesByRepeat) -> dict[Setting, Difference]:
    """Divide A by B for each setting that both measured."""
    return {
        setting: difference(list(rates.values()), list(b[setting].values()))
        for setting, rates in a.items()
        if b.get(setting)
    }
