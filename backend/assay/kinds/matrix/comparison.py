"""Comparison of matrices: which of the first two is faster, at its best and cell by cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from assay.analysis.flags import BOTH, Rate
from assay.analysis.noise import Difference, difference
from assay.analysis.served_by import Source
from assay.base.worded import Part, Words, joined, listed, say
from assay.base.words import count
from assay.kinds.cells import Rated
from assay.kinds.comparison import faster_words, run
from assay.kinds.examples import example
from assay.kinds.matrix.best import (
    Best,
    RatesByRepeat,
    best_of,
    cliffs_of,
    ratios,
    sound_repeats,
)
from assay.kinds.matrix.cells import Cell, Setting
from assay.kinds.matrix.headline import BestCell, best_cell, reached_words
from assay.kinds.matrix.parameters import NAME
from assay.kinds.matrix.result import MatrixResult
from assay.kinds.result import BaseComparison


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
            best and best_cell(best, cells, rate),
            sound_repeats(cells, rate),
            frozenset(cell.setting for cell in cells if cell.of(rate)),
            frozenset(cliffs_of(cells, rate)),
        )

    @property
    def compared(self) -> ComparedSide:
        """The side as the answer has it."""
        return ComparedSide(self.run_id, bool(self.measured), self.best_cell)


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


def answer_words(found: MatrixAnswer) -> Words:
    """Return how run A compares with run B, at their best and cell by cell."""
    a, b, best = found.a, found.b, found.best
    if a.best is None or b.best is None:
        return _why(found)
    reached = [
        say("{} ({})", reached_words(one.bytes_per_s, one.levels, rate), _place(one))
        for one, rate in ((a.best, f" {found.rate}"), (b.best, ""))
    ]
    if best.code == "cannot_compare":
        names = (run(a.run_id), run(b.run_id))
        at_best = say(
            "{} Best cells: {} {}; {} {}.", _why(found), names[0], reached[0], names[1], reached[1]
        )
    else:
        at_best = say("{}: {} versus {}.", _best(found, best), *reached)
    return joined(" ", [at_best, *_doubts(found, a.best, b.best), _cells(found)])


def _place(best: BestCell) -> Words:
    threads = "1 thread" if best.threads == 1 else f"{best.threads} threads"
    return say("{} × {}", {"block_bytes": best.block}, threads)


_NEITHER = {"not_measured": "has any", "unreliable": "has a reliable"}
"""What two runs lack that have no rate for the same reason."""


def _why(found: MatrixAnswer) -> Words:
    reasons = found.best.reasons if found.best.code == "cannot_compare" else []
    codes = {reason.code for reason in reasons}
    if len(reasons) == 2 and len(codes) == 1 and (has := _NEITHER.get(reasons[0].code)):
        one, other = (run(reason.run_id) for reason in reasons)
        sentence = "Cannot compare the best rates: neither {} nor {} {} {} rate."
        return say(sentence, one, other, has, found.rate)
    clauses = joined("; ", [_reason(reason, found.rate) for reason in reasons])
    return say("Cannot compare the best rates: {}.", clauses)


def _reason(reason: NotComparable, rate: Rate) -> Words:
    name, cells = run(reason.run_id), reason.cells or 0
    match reason.code:
        case "not_measured":
            return say("{} has no {} rate", name, rate)
        case "unreliable":
            return say("{} has no reliable {} rate", name, rate)
        case "left_out_faster":
            return say(
                "{} of {}, excluded as unreliable, {} faster than its best cell",
                count(cells, "cell"),
                name,
                "was" if cells == 1 else "were",
            )
        case "cliff":
            return say("the rate of {} changed permanently during a trial", name)


def _best(found: MatrixAnswer, best: BestsCompared) -> Words:
    a, b = run(found.a.run_id), run(found.b.run_id)
    if best.code == "no_difference":
        return say("At their best, {} and {} are equal within noise", a, b)
    if best.code == "too_few_repeats":
        return say("Too few repeats to tell whether {} or {} is faster at its best", a, b)
    if not best.ratio:
        return say("{} transferred nothing", b if best.ratio is None else a)
    return say("At its best, {} is {} {}", a, faster_words(best.ratio), b)


_DOUBTS: dict[Source, str] = {
    "page_cache": "The page cache served {}.",
    "array_cache": "The array's cache possibly served {}.",
    "unknown": "It is unknown what served {}.",
}
"""What a rate is worth that the device did not provably serve."""


def _doubts(found: MatrixAnswer, a: BestCell, b: BestCell) -> list[Words]:
    if a.served_by == b.served_by:
        doubt = a.served_by and _DOUBTS.get(a.served_by)
        return [say(doubt, "both best rates")] if doubt else []
    return [
        say(doubt, say("the best rate of {}", run(side.run_id)))
        for side, best in ((found.a, a), (found.b, b))
        if best.served_by and (doubt := _DOUBTS.get(best.served_by))
    ]


def _cells(found: MatrixAnswer) -> Words:
    a, b, cells = run(found.a.run_id), run(found.b.run_id), found.cells
    common = cells.common
    if common == 0:
        return "The runs have no cell in common."
    told = (
        (cells.too_few_repeats, "too few repeats in"),
        (cells.cliff, "permanent rate change in"),
        (cells.unreliable, "no reliable rate in"),
    )
    inconclusive = ", ".join(f"{what} {number}" for number, what in told if number)
    compared: list[tuple[int, Words, str]] = [
        (cells.faster, say("faster than {}", b), "faster"),
        (cells.slower, say("slower than {}", b), "slower"),
        (cells.within_noise, say("equal to {} within noise", b), "equal within noise"),
    ]
    some = [one for one in compared if one[0]]
    if not some:
        which = "The only common cell" if common == 1 else f"None of the {common} common cells"
        if cells.unreliable == common:
            has = "does not have" if common == 1 else "has"
            return f"{which} {has} a reliable rate in both runs."
        can = "cannot" if common == 1 else "can"
        return f"{which} {can} be compared: {inconclusive}."
    number, words, _ = some[0]
    where = "the only common cell" if common == 1 else f"all {common} common cells"
    if number < common:
        where = f"{number} of {common} common cells"
    places: list[Part | Words] = [
        say("{} in {}", words, where),
        *(f"{later} in {number}" for number, _, later in some[1:]),
    ]
    sentence = say("Cell by cell, {} is {}.", a, listed(places))
    return say("{} Inconclusive: {}.", sentence, inconclusive) if inconclusive else sentence


class CellRatio(BaseModel):
    """A divided by B in one cell; `significant` is of the leading rate.

    Each p-value, and whether there are too few repeats to compare A and B, is of its own rate. The
    rates of A and B are null where they are not compared.
    """

    block: int
    threads: int
    durable: float | None
    application: float | None
    a: Rated
    b: Rated
    significant: bool
    durable_p: float | None
    application_p: float | None
    durable_too_few_repeats: bool
    application_too_few_repeats: bool


class Ratios(BaseModel):
    """Run `a` divided by run `b`, in each cell that both measured."""

    a: int
    b: int
    rate: Literal["durable", "application"] = Field(
        description="The leading rate: durable if every run has it, else application"
    )
    cells: list[CellRatio]


class Scale(BaseModel):
    """Minimum and maximum mean of all cells of all runs, for a shared color scale."""

    min_bytes_per_s: float
    max_bytes_per_s: float


class Scales(BaseModel):
    """The shared scale of each rate."""

    durable: Scale | None
    application: Scale | None


class MatrixComparison(BaseComparison):
    """Two or more matrices; the ratio and the answer are of the first two."""

    model_config = ConfigDict(json_schema_extra=example("matrix", "comparison"))

    kind: Literal["matrix"]
    answer: MatrixAnswer
    ratio: Ratios
    scale: Scale | None
    scales: Scales


def compare(results: Sequence[MatrixResult]) -> MatrixComparison:
    """Compare the first matrix with the second."""
    a, b = results[:2]
    # a read has no durable rate: if a run is a read, the application rate leads
    leading: Rate = "durable" if all("durable" in r.rates for r in results) else "application"
    scales = Scales(durable=_scale(results, "durable"), application=_scale(results, "application"))
    found = answer(
        Side.of(a.run_id, a.cells, leading), Side.of(b.run_id, b.cells, leading), leading
    )
    return MatrixComparison(
        kind=NAME,
        sentences=[answer_words(found)],
        answer=found,
        ratio=_ratio(a, b, leading),
        scale=scales.durable if leading == "durable" else scales.application,
        scales=scales,
    )


def _ratio(a: MatrixResult, b: MatrixResult, leading: Rate) -> Ratios:
    durable, application = (
        ratios(sound_repeats(a.cells, rate), sound_repeats(b.cells, rate)) for rate in BOTH
    )
    cells: list[CellRatio] = []
    for setting in sorted(durable | application, key=lambda s: (s.block, s.threads)):
        d, app = durable.get(setting), application.get(setting)
        decisive = d if leading == "durable" else app
        cells.append(
            CellRatio(
                block=setting.block,
                threads=setting.threads,
                durable=d.ratio if d else None,
                application=app.ratio if app else None,
                a=_rates(a, setting, d, app),
                b=_rates(b, setting, d, app),
                significant=decisive is not None and decisive.significant,
                durable_p=d.p if d else None,
                application_p=app.p if app else None,
                durable_too_few_repeats=d is not None and d.too_few,
                application_too_few_repeats=app is not None and app.too_few,
            )
        )
    return Ratios(a=a.run_id, b=b.run_id, rate=leading, cells=cells)


def _rates(
    matrix: MatrixResult,
    setting: Setting,
    durable: Difference | None,
    application: Difference | None,
) -> Rated:
    """Return the mean rates of a cell that have a ratio."""
    cell = next(one for one in matrix.cells if one.setting == setting)
    return Rated(
        durable_bytes_per_s=cell.mean("durable") if durable else None,
        application_bytes_per_s=cell.mean("application") if application else None,
    )


def _scale(matrices: Sequence[MatrixResult], rate: Rate) -> Scale | None:
    found = [cell.mean(rate) for matrix in matrices for cell in matrix.cells]
    means = [mean for mean in found if mean is not None]
    return Scale(min_bytes_per_s=min(means), max_bytes_per_s=max(means)) if means else None
