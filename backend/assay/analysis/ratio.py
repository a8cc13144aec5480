"""Two matrices held against each other, cell by cell, and the answer in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from assay.analysis import words
from assay.analysis.noise import Difference, difference
from assay.analysis.ranking import Rates, Setting
from assay.analysis.selection import Repeats, corrected_best


@dataclass(frozen=True)
class Named:
    """One side: what to call it, and its rates by repeat."""

    name: str
    repeats: Repeats

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
    """Which is faster, at its best and cell by cell. `rate` is durable or application."""
    if not a.rates or not b.rates:
        missing = [side.name for side in (a, b) if not side.rates]
        return f"Nothing to compare yet: {' and '.join(missing)} measured no {rate} rate."
    best_a, best_b = _best(a.rates), _best(b.rates)
    at_best = difference(a.rates[best_a], b.rates[best_b])
    rate_a = corrected_best(a.repeats) or fmean(a.rates[best_a])
    rate_b = corrected_best(b.repeats) or fmean(b.rates[best_b])
    ratio = rate_a / rate_b if rate_b else at_best.ratio
    reached = f"{words.rate(rate_a)} against {words.rate(rate_b)} {rate}"
    if at_best.too_few:
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
    return f"{sentence} {_cells(a.name, ratios(a.repeats, b.repeats))}"


def _cells(name: str, found: Mapping[Setting, Difference]) -> str:
    if not found:
        return "They have no cell in common."
    faster = sum(d.significant and d.ratio > 1 for d in found.values())
    slower = sum(d.significant and d.ratio < 1 for d in found.values())
    same = sum(d.within_noise for d in found.values())
    few = len(found) - faster - slower - same
    unknown = f", and in {few} there are too few repeats to tell" if few else ""
    return (
        f"Of {words.count(len(found), 'common cell')}, {name} is faster in {faster}, "
        f"slower in {slower}, and within noise in {same}{unknown}."
    )


def _best(rates: Rates) -> Setting:
    return min(rates, key=lambda setting: (-fmean(rates[setting]), setting.cost))
