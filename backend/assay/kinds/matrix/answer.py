"""Comparison of two matrices, at their best and cell by cell, as data that clients word."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field

from assay.analysis.flags import FlagCode, Rate
from assay.analysis.noise import Difference, difference
from assay.analysis.served_by import Source
from assay.kinds.matrix.best import (
    Best,
    RatesByRepeat,
    best_of,
    cliffs_of,
    look,
    sound_repeats,
)
from assay.kinds.matrix.cells import Cell
from assay.kinds.matrix.headline import CellLevels, levels_of
from assay.kinds.matrix.ranking import Setting


@dataclass(frozen=True)
class BestCell:
    """The best cell of a run by the leading rate.

    `bytes_per_s` is the cell's mean; it is null if the cell has a cliff, and `levels` replace it.
    `flags` are those of the cell that concern the rate. `left_out_faster` counts the
    cells that are excluded as unreliable although they were faster.
    """

    block: int
    threads: int
    bytes_per_s: float | None
    levels: CellLevels | None
    served_by: Source | None
    flags: list[FlagCode]
    left_out_faster: int


@dataclass(frozen=True)
class ComparedSide:
    """One of the two runs. `measured` is whether there is any figure of the rate.

    `best` is null if there is none, or if none is reliable.
    """

    run_id: int
    measured: bool
    best: BestCell | None


class BestsCompared(BaseModel):
    """How the best rates of both runs compare."""

    code: Literal["faster", "slower", "no_difference", "too_few_repeats"] = Field(
        description="Whether A is faster or slower than B at its best; `too_few_repeats`: the "
        "means differ, but noise may explain it"
    )
    ratio: float | None = Field(
        description="Mean of A's best cell divided by that of B's; null if B transferred nothing"
    )
    p: float | None = Field(
        description="P-value of Welch's test of the means; null if one has a single repeat, "
        "where a difference over 3 % counts"
    )


@dataclass(frozen=True)
class NotComparable:
    """Why the best rate of a run cannot be compared.

    `not_measured`: the run has no such rate. `unreliable`: it has none without caveats.
    `left_out_faster`: `cells` cells were faster, but are excluded as unreliable. `cliff`: the rate
    changed permanently during a trial, so its mean was never reached.
    """

    run_id: int
    code: Literal["not_measured", "unreliable", "left_out_faster", "cliff"]
    cells: int | None = None


class BestsNotCompared(BaseModel):
    """Why the best rates of both runs cannot be compared."""

    code: Literal["cannot_compare"]
    reasons: list[NotComparable]


@dataclass(frozen=True)
class CellCounts:
    """The number of cells that both runs measured, and how they compare: A against B.

    Each is counted once: `cliff` where the rate changed permanently during a trial of either run,
    `unreliable` where either run has no reliable rate.
    """

    common: int
    faster: int
    slower: int
    within_noise: int
    too_few_repeats: int
    cliff: int
    unreliable: int


class MatrixAnswer(BaseModel):
    """How run A compares with run B by the leading rate, at its best and cell by cell."""

    rate: Rate
    a: ComparedSide
    b: ComparedSide
    best: Annotated[BestsCompared | BestsNotCompared, Field(discriminator="code")]
    cells: CellCounts


@dataclass(frozen=True)
class Side:
    """A run by one rate; `repeats` are those of its reliable cells.

    `measured` are the cells with any figure, `cliffs` those whose rate changed permanently.
    """

    run_id: int
    best: Best | None
    best_cell: BestCell | None
    repeats: RatesByRepeat
    measured: frozenset[Setting]
    cliffs: frozenset[Setting]

    @classmethod
    def of(cls, run_id: int, cells: Sequence[Cell], rate: Rate) -> Self:
        """Return a run's side by `rate`."""
        best = best_of(cells, rate)
        return cls(
            run_id,
            best,
            best and _best_cell(best, cells, rate),
            sound_repeats(cells, rate),
            frozenset(cell.setting for cell in cells if look(cell, rate)[0]),
            frozenset(cliffs_of(cells, rate)),
        )

    @property
    def compared(self) -> ComparedSide:
        """The side as the answer has it."""
        return ComparedSide(self.run_id, bool(self.measured), self.best_cell)


def _best_cell(best: Best, cells: Sequence[Cell], rate: Rate) -> BestCell:
    setting = best.ranking.best
    (cell,) = (cell for cell in cells if cell.setting == setting)
    served_by = look(cell, rate)[1]
    levels = levels_of(best, setting)
    return BestCell(
        block=setting.block,
        threads=setting.threads,
        bytes_per_s=None if levels else best.mean,
        levels=levels,
        served_by=served_by.source if served_by else None,
        flags=[flag.code for flag in cell.flags if rate in flag.rates],
        left_out_faster=best.left_out_faster,
    )


def ratios(a: RatesByRepeat, b: RatesByRepeat) -> dict[Setting, Difference]:
    """Divide A by B for each setting that both measured."""
    return {
        setting: difference(list(rates.values()), list(b[setting].values()))
        for setting, rates in a.items()
        if b.get(setting)
    }


def answer(a: Side, b: Side, rate: Rate) -> MatrixAnswer:
    """Compare run A with run B, at their best and cell by cell.

    A mean over a cliff is a rate that was never reached, so nothing is called faster by it. A best
    cell that is slower than an excluded cell is not the best.
    """
    reasons = [*_reasons(a), *_reasons(b)]
    best = (
        BestsNotCompared(code="cannot_compare", reasons=reasons)
        if reasons or not a.best or not b.best
        else _compared(a.best, b.best)
    )
    return MatrixAnswer(rate=rate, a=a.compared, b=b.compared, best=best, cells=_counts(a, b))


def _reasons(side: Side) -> list[NotComparable]:
    """Return why the best rate of one side cannot be compared."""
    best = side.best
    if best is None:
        return [NotComparable(side.run_id, "unreliable" if side.measured else "not_measured")]
    found: list[NotComparable] = []
    if best.left_out_faster:
        found.append(NotComparable(side.run_id, "left_out_faster", best.left_out_faster))
    if best.ranking.best in best.cliffs:
        found.append(NotComparable(side.run_id, "cliff"))
    return found


def _compared(a: Best, b: Best) -> BestsCompared:
    found = difference(a.rates[a.ranking.best], b.rates[b.ranking.best])
    code: Literal["faster", "slower", "no_difference", "too_few_repeats"] = "no_difference"
    if found.too_few:
        code = "too_few_repeats"
    elif found.significant:
        code = "faster" if found.ratio > 1 else "slower"
    return BestsCompared(code=code, ratio=found.ratio if isfinite(found.ratio) else None, p=found.p)


def _counts(a: Side, b: Side) -> CellCounts:
    common, cliffs = a.measured & b.measured, a.cliffs | b.cliffs
    found = ratios(a.repeats, b.repeats)
    held = [one for setting, one in found.items() if setting not in cliffs]
    return CellCounts(
        common=len(common),
        faster=sum(one.significant and one.ratio > 1 for one in held),
        slower=sum(one.significant and one.ratio < 1 for one in held),
        within_noise=sum(one.within_noise for one in held),
        too_few_repeats=sum(one.too_few for one in held),
        cliff=len(found) - len(held),
        unreliable=len(common - found.keys()),
    )
