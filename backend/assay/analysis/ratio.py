"""Two matrices held against each other, cell by cell, and the answer in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from assay.analysis import words
from assay.analysis.noise import Difference, difference
from assay.analysis.ranking import Rates, Setting


@dataclass(frozen=True)
class Named:
    """One side: what to call it, and its rates."""

    name: str
    rates: Rates


def ratios(a: Rates, b: Rates) -> dict[Setting, Difference]:
    """A against B for each setting that both measured."""
    return {
        setting: difference(values, b[setting]) for setting, values in a.items() if b.get(setting)
    }


def answer(a: Named, b: Named, rate: str) -> str:
    """Which is faster, at its best and cell by cell. `rate` is durable or application."""
    if not a.rates or not b.rates:
        missing = [side.name for side in (a, b) if not side.rates]
        return f"Nothing to compare yet: {' and '.join(missing)} measured no {rate} rate."
    best_a, best_b = _best(a.rates), _best(b.rates)
    at_best = difference(a.rates[best_a], b.rates[best_b])
    reached = (
        f"{words.rate(fmean(a.rates[best_a]))} against {words.rate(fmean(b.rates[best_b]))} {rate}"
    )
    if not at_best.significant:
        sentence = f"At their best, {a.name} and {b.name} do not differ: {reached}."
    elif at_best.ratio > 1:
        times = words.figure(at_best.ratio)
        sentence = f"At its best, {a.name} is {times} × as fast as {b.name}: {reached}."
    elif at_best.ratio > 0:
        sentence = (
            f"At its best, {a.name} reaches {words.percent(at_best.ratio)} of {b.name}: {reached}."
        )
    else:
        sentence = f"{a.name} moved nothing: {reached}."
    return f"{sentence} {_cells(a.name, ratios(a.rates, b.rates))}"


def _cells(name: str, found: Mapping[Setting, Difference]) -> str:
    if not found:
        return "They have no cell in common."
    faster = sum(d.significant and d.ratio > 1 for d in found.values())
    slower = sum(d.significant and d.ratio < 1 for d in found.values())
    same = len(found) - faster - slower
    return (
        f"Of {words.count(len(found), 'common cell')}, {name} is faster in {faster}, "
        f"slower in {slower}, and within noise in {same}."
    )


def _best(rates: Rates) -> Setting:
    return min(rates, key=lambda setting: (-fmean(rates[setting]), setting.cost))
