"""Two matrices held against each other, cell by cell, and the answer in words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean

from assay.analysis import words
from assay.analysis.noise import Difference, difference
from assay.analysis.ranking import Rates, Setting
from assay.analysis.selection import Repeats, corrected_best


@dataclass(frozen=True)
class Named:
    """One side: what to call it, its rates by repeat, and both levels of a cell with a cliff.

    `left_out` are the means of the cells without any trial that counts (too short, for instance).
    """

    name: str
    repeats: Repeats
    levels: Mapping[Setting, str] = field(default_factory=dict[Setting, str])
    left_out: Mapping[Setting, float] = field(default_factory=dict[Setting, float])

    @property
    def rates(self) -> Rates:
        """The rates of each setting."""
        return {setting: list(rates.values()) for setting, rates in self.repeats.items()}


def ratios(a: Repeats, b: Repeats) -> dict[Setting, Difference]:
    """A against B for each setting that both measured."""
    return {
        setting: difference(list(rates.values()), list(b[setting].values()))
        for setting, rates in a.items()
        if b.get(setting)
    }


def answer(a: Named, b: Named, rate: str) -> str:
    """Which is faster, at its best and cell by cell. `rate` is durable or application.

    A mean over a cliff is no rate that held, so nothing is called faster by it; and a best that a
    cell left out of it outran is no best.
    """
    if not a.rates or not b.rates:
        missing = [side.name for side in (a, b) if not side.rates]
        return f"Nothing to compare yet: {' and '.join(missing)} measured no {rate} rate."
    best_a, best_b = _best(a.rates), _best(b.rates)
    at_best = difference(a.rates[best_a], b.rates[best_b])
    rate_a = corrected_best(a.repeats) or fmean(a.rates[best_a])
    rate_b = corrected_best(b.repeats) or fmean(b.rates[best_b])
    ratio = rate_a / rate_b if rate_b else at_best.ratio
    reached = f"{words.rate(rate_a)} against {words.rate(rate_b)} {rate}"
    outrun = [
        f"on {side.name}, {_outrun(faster)} faster than the best of the others"
        for side, best in ((a, best_a), (b, best_b))
        if (faster := sum(left > fmean(side.rates[best]) for left in side.left_out.values()))
    ]
    if outrun:
        sentence = f"Which is faster at its best cannot be told: {'; '.join(outrun)}."
    elif best_a in a.levels or best_b in b.levels:
        of_a = a.levels.get(best_a, words.rate(rate_a))
        of_b = b.levels.get(best_b, words.rate(rate_b))
        sentence = (
            f"At its best, {a.name} reaches {of_a}, and {b.name} reaches {of_b} {rate}. "
            "Their means are not compared, because a rate changed for good during a trial."
        )
    elif at_best.too_few:
        sentence = (
            f"Too few repeats to tell whether {a.name} and {b.name} differ at their best: "
            f"{reached}."
        )
    elif not at_best.significant:
        sentence = f"At their best, {a.name} and {b.name} do not differ: {reached}."
    elif ratio > 1:
        times = words.figure(ratio)
        sentence = f"At its best, {a.name} is {times} × as fast as {b.name}: {reached}."
    elif ratio > 0:
        sentence = f"At its best, {a.name} reaches {words.percent(ratio)} of {b.name}: {reached}."
    else:
        sentence = f"{a.name} moved nothing: {reached}."
    found = ratios(a.repeats, b.repeats)
    held = {s: one for s, one in found.items() if s not in a.levels and s not in b.levels}
    return f"{sentence} {_cells(a.name, held, len(found) - len(held))}"


def _outrun(cells: int) -> str:
    verb = "was" if cells == 1 else "were"
    return f"{words.count(cells, 'cell')} left out as doubtful {verb}"


def _cells(name: str, held: Mapping[Setting, Difference], changed: int) -> str:
    """How cells compare in which the rate held, and in how many it changed for good."""
    if not held and not changed:
        return "They have no cell in common."
    common = words.count(len(held) + changed, "common cell")
    if not held:
        return f"The rate changed for good in {common}, and held in none."
    faster = sum(d.significant and d.ratio > 1 for d in held.values())
    slower = sum(d.significant and d.ratio < 1 for d in held.values())
    same = sum(d.within_noise for d in held.values())
    few = len(held) - faster - slower - same
    unknown = f", and in {few} there are too few repeats to tell" if few else ""
    told = f"; in {changed} the rate changed for good" if changed else ""
    return (
        f"Of {common}, {name} is faster in {faster}, "
        f"slower in {slower}, and within noise in {same}{unknown}{told}."
    )


def _best(rates: Rates) -> Setting:
    return min(rates, key=lambda setting: (-fmean(rates[setting]), setting.cost))
