"""Comparison of two matrices, cell by cell, with the answer as text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from assay.analysis import words
from assay.analysis.cliff import levels_of_cell
from assay.analysis.flags import Rate
from assay.analysis.noise import Difference, difference
from assay.kinds.matrix.best import Best, best_of, cliffs_of, look, sound_repeats
from assay.kinds.matrix.cells import Cell
from assay.kinds.matrix.ranking import Setting
from assay.kinds.matrix.selection import RatesByRepeat


@dataclass(frozen=True)
class Named:
    """One side of the comparison: its name, and its cells by one rate.

    `repeats` are those of its reliable cells, `levels` both levels of each cell with a cliff.
    `measured` is whether there is any figure, even an unreliable one.
    """

    name: str
    best: Best | None
    repeats: RatesByRepeat
    levels: Mapping[Setting, str]
    measured: bool

    @classmethod
    def of(cls, name: str, cells: Sequence[Cell], rate: Rate) -> Self:
        """Return a run's side by `rate`."""
        levels = {s: levels_of_cell(flag.figures) for s, flag in cliffs_of(cells, rate).items()}
        measured = any(look(cell, rate)[0] for cell in cells)
        return cls(name, best_of(cells, rate), sound_repeats(cells, rate), levels, measured)


def ratios(a: RatesByRepeat, b: RatesByRepeat) -> dict[Setting, Difference]:
    """Divide A by B for each setting that both measured."""
    return {
        setting: difference(list(rates.values()), list(b[setting].values()))
        for setting, rates in a.items()
        if b.get(setting)
    }


def answer(a: Named, b: Named, rate: Rate) -> str:
    """Describe which run is faster, at its best and cell by cell.

    A mean over a cliff is a rate that was never reached, so nothing is called faster by it. A best
    cell that is slower than an excluded cell is not the best.
    """
    if not a.best or not b.best:
        missing = [
            f"{side.name} {'has' if side.measured else 'measured'} no {rate} rate"
            f"{' to rely on' if side.measured else ''}"
            for side in (a, b)
            if not side.best
        ]
        return f"Nothing to compare yet: {', and '.join(missing)}."
    best_a, best_b = a.best.ranking.best, b.best.ranking.best
    at_best = difference(a.best.rates[best_a], b.best.rates[best_b])
    rate_a, rate_b = a.best.rate, b.best.rate
    ratio = rate_a / rate_b if rate_b else at_best.ratio
    # the test is of the means; a difference that comes only from selection bias does not count
    lucky = (ratio > 1) != (at_best.ratio > 1)
    reached = f"{words.rate(rate_a)} against {words.rate(rate_b)} {rate}"
    outrun = [
        f"on {side.name}, {_outrun(best.left_out_faster)} faster than the best of the others"
        for side, best in ((a, a.best), (b, b.best))
        if best.left_out_faster
    ]
    if outrun:
        sentence = f"Cannot compare the best rates: {'; '.join(outrun)}."
    elif best_a in a.levels or best_b in b.levels:
        of_a = a.levels.get(best_a, words.rate(rate_a))
        of_b = b.levels.get(best_b, words.rate(rate_b))
        sentence = (
            f"At its best, {a.name} reaches {of_a}, and {b.name} reaches {of_b} {rate}. "
            "Their means are not compared, because a rate changed permanently during a trial."
        )
    elif at_best.too_few:
        sentence = (
            f"Too few repeats to tell whether {a.name} and {b.name} differ at their best: "
            f"{reached}."
        )
    elif not at_best.significant or lucky:
        sentence = f"At their best, {a.name} and {b.name} do not differ: {reached}."
    elif ratio > 1:
        times = words.figure(ratio)
        sentence = f"At its best, {a.name} is {times} × as fast as {b.name}: {reached}."
    elif ratio > 0:
        sentence = f"At its best, {a.name} reaches {words.percent(ratio)} of {b.name}: {reached}."
    else:
        sentence = f"{a.name} transferred nothing: {reached}."
    found = ratios(a.repeats, b.repeats)
    held = {s: one for s, one in found.items() if s not in a.levels and s not in b.levels}
    return f"{sentence} {_cells(a.name, held, len(found) - len(held))}"


def _outrun(cells: int) -> str:
    verb = "was" if cells == 1 else "were"
    return f"{words.count(cells, 'cell')} excluded as unreliable {verb}"


def _cells(name: str, held: Mapping[Setting, Difference], changed: int) -> str:
    """Describe the cells whose rate was constant, and count those where it changed permanently."""
    if not held and not changed:
        return "They have no cell in common."
    common = words.count(len(held) + changed, "common cell")
    if not held:
        return f"The rate changed permanently in {common}: none can be compared."
    faster = sum(d.significant and d.ratio > 1 for d in held.values())
    slower = sum(d.significant and d.ratio < 1 for d in held.values())
    same = sum(d.within_noise for d in held.values())
    few = len(held) - faster - slower - same
    unknown = f"; {few} have too few repeats to tell" if few else ""
    changes = f"; the rate changed permanently in {changed}" if changed else ""
    return (
        f"Cell by cell, {name} is faster in {faster}, slower in {slower}, "
        f"and within noise in {same} of {common}{unknown}{changes}."
    )
