"""The headline of a matrix and the settings that it recommends, or why there is no best rate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from assay.analysis.flags import EXCLUDED, Flag, FlagCode, Rate
from assay.analysis.levels import levels_words
from assay.analysis.noise import difference
from assay.analysis.repeats import describe
from assay.analysis.served_by import Source
from assay.base import words
from assay.base.worded import Quantity, Words, say
from assay.base.words import count
from assay.kinds.cells import most_frequent
from assay.kinds.headline import (
    BaseHeadline,
    HeadlineWords,
    doubt_of,
    excluded_words,
    nothing,
    targets_words,
    unknown_source,
)
from assay.kinds.levels import HeldLevels
from assay.kinds.matrix.best import Best, Rates
from assay.kinds.matrix.cells import Cell, Setting
from assay.kinds.matrix.parameters import NAME, Operation
from assay.kinds.selected import Selected, selected

FEWEST_REPEATS = 2
"""Minimum repeats of each cell for a statement about threads."""


@dataclass(frozen=True)
class CellLevels:
    """The levels of a cell whose rate changed for good, and in how many of its trials it did."""

    held: HeldLevels
    flagged_trials: int
    trials: int


@dataclass(frozen=True)
class ThreadsEffect:
    """The best cell with fewer threads, or else with more, compared with the best of all.

    `mean_over_cliff`: one of the two has a cliff, so that the rate is a mean over levels.
    """

    code: Literal["fewer_slower", "fewer_equal", "more_slower", "more_equal"]
    threads: int
    bytes_per_s: float
    mean_over_cliff: bool


@dataclass(frozen=True)
class HeadlineFigure:
    """The mean of the best cell, and the cell's setting.

    `bytes_per_s` is null if the cell has a cliff; `levels` replace it. `left_out_faster` counts the
    cells that were faster, but in a single reliable repeat; `threads_effect` is null if there are
    any, or too few repeats.
    """

    rate: Rate
    bytes_per_s: float | None
    levels: CellLevels | None
    block: int
    threads: int
    served_by: Source | None
    left_out_faster: int
    threads_effect: ThreadsEffect | None


@dataclass(frozen=True)
class NoResult:
    """Why there is no figure although trials were measured, and how to get one.

    Either every trial is excluded, or all those of the fastest cells (`fastest_cells`).
    `sufficient_file_size_bytes` is the file size with which trials would be long enough.
    """

    code: FlagCode
    fastest_cells: bool
    sufficient_file_size_bytes: int | None
    raise_time_limit: bool


class MatrixHeadline(BaseHeadline):
    """The finding of a run; one of `figure` and `no_result` is null."""

    kind: Literal["matrix"]
    operation: Operation
    participants: int
    figure: HeadlineFigure | None
    no_result: NoResult | None

    def worded(self) -> HeadlineWords:
        """Return the best rate and its setting, or why there is no result."""
        if self.figure is None:
            return _nothing(self.no_result)
        figure = self.figure
        rate = " durable" if figure.rate == "durable" else ""
        setting = say(
            "with {} and {} blocks{}{}{}",
            words.count(figure.threads, person(self.operation)),
            {"block_bytes": figure.block},
            targets_words(self.participants, each="each of "),
            _more(figure, person(self.operation)),
            unknown_source(figure.served_by),
        )
        if figure.levels:
            rest = say("{} {}", reached_words(None, figure.levels, rate), setting)
            return HeadlineWords(doubt_of(figure.served_by), None, rest)
        reached: Quantity = {"bytes_per_s": figure.bytes_per_s or 0.0}
        rest = say("{}{}", f"{rate.strip()} " if rate else "", setting)
        return HeadlineWords(doubt_of(figure.served_by), reached, rest)


def _nothing(found: NoResult | None) -> HeadlineWords:
    """Return why there is no result, and what would give one."""
    where = " in the fastest cells" if found and found.fastest_cells else ""
    why = excluded_words(found and found.code) + where
    if size := found and found.sufficient_file_size_bytes:
        return nothing(why, f"Files of {words.size(size)} would suffice.")
    return nothing(why, *(["Raise the time limit."] if found and found.raise_time_limit else []))


def person(operation: Operation) -> str:
    """Return what a thread is called by what it does."""
    return "writer" if operation == "write" else "reader"


def setting_words(operation: Operation, threads: int, block: int) -> Words:
    """Return a setting in words: `two writers with 256 KiB blocks`."""
    people = words.count(threads, person(operation))
    return say("{} with {} blocks", people, {"block_bytes": block})


def reached_words(bytes_per_s: float | None, levels: CellLevels | None, rate: str = "") -> Words:
    """Return a mean, or the levels of a cell with a cliff: `… durable (in 1 of 2 repeats)`.

    `rate` names the rate, with a space before it.
    """
    if levels is None:
        return say("{}{}", {"bytes_per_s": bytes_per_s or 0.0}, rate)
    seen, repeats = levels.flagged_trials, levels.trials
    some = "" if seen == repeats else f" (in {seen} of {repeats} repeats)"
    return say("{}{}{}", levels_words(levels.held), rate, some)


def _more(figure: HeadlineFigure, people: str) -> Words:
    """Return how many cells were faster in one repeat, or the effect of fewer or more threads."""
    if faster := figure.left_out_faster:
        verb = "was" if faster == 1 else "were"
        cells = words.count(faster, "cell")
        return say("; {} with a single reliable repeat {} faster", cells, verb)
    effect = figure.threads_effect
    if effect is None:
        return ""
    if effect.code == "more_slower":
        return "; more threads are slower"
    if effect.code == "more_equal":
        return "; more threads don't help"
    verb = "reaches" if effect.threads == 1 else "reach"
    others = f"; {words.count(effect.threads, people)} {verb}"
    if effect.code == "fewer_equal":
        return f"{others} as much within noise"
    average = " on average" if effect.mean_over_cliff else ""
    return say("{} only {}{}", others, {"bytes_per_s": effect.bytes_per_s}, average)


def headline(
    operation: Operation, participants: int, best: Best, rate: Rate, served_by: Source | None
) -> MatrixHeadline:
    """Return the headline of the best cell by `rate`."""
    setting = best.ranking.best
    levels = levels_of(best, setting)
    figure = HeadlineFigure(
        rate=rate,
        bytes_per_s=None if levels else best.mean,
        levels=levels,
        block=setting.block,
        threads=setting.threads,
        served_by=served_by,
        left_out_faster=best.left_out_faster,
        threads_effect=None if best.left_out_faster else _threads_effect(best),
    )
    said = None if levels else selected(describe(rates) for rates in best.rates.values())
    return _of(operation, participants, figure, None, said)


def no_headline(
    operation: Operation, participants: int, flags: Sequence[Flag], *, fastest_cells: bool
) -> MatrixHeadline | None:
    """Return why there is no figure although trials were measured, from their flags.

    It is the reason for most of them; None without a flag that excludes a trial.
    """
    code = most_frequent(flag for flag in flags if flag.code in EXCLUDED)
    if code is None:
        return None
    size = sufficient_file_size([flag for flag in flags if flag.code == code])
    nothing = NoResult(code, fastest_cells, size, code == "too_short" and size is None)
    return _of(operation, participants, None, nothing)


def _of(
    operation: Operation,
    participants: int,
    figure: HeadlineFigure | None,
    nothing: NoResult | None,
    said: Selected | None = None,
) -> MatrixHeadline:
    return MatrixHeadline(
        kind=NAME,
        operation=operation,
        participants=participants,
        figure=figure,
        no_result=nothing,
        selected=said,
    )


def sufficient_file_size(flags: Sequence[Flag]) -> int | None:
    """Return the file size with which trials with these flags would be long enough."""
    sizes = [flag.figures.get("sufficient_file_size_bytes") for flag in flags]
    return max((round(size) for size in sizes if size), default=None)


def levels_of(found: Best, setting: Setting) -> CellLevels | None:
    """Return the levels of a cell with a cliff; None without one."""
    flag = found.cliffs.get(setting)
    if flag is None:
        return None
    flagged, trials = (int(flag.figures[name]) for name in ("flagged_trials", "trials"))
    return CellLevels(list(flag.levels), flagged, trials)


def _threads_effect(found: Best) -> ThreadsEffect | None:
    """Return the effect of fewer or more threads; None with too few repeats."""
    best = found.ranking.best
    if len(found.rates[best]) < FEWEST_REPEATS:
        return None
    repeated = {s: r for s, r in found.rates.items() if len(r) >= FEWEST_REPEATS}
    fewer = _highest({s: r for s, r in repeated.items() if s.threads < best.threads})
    other = fewer or _highest({s: r for s, r in repeated.items() if s.threads > best.threads})
    if other is None:
        return None
    against = difference(found.rates[other], found.rates[best])
    if not against.significant and not against.within_noise:
        return None
    return ThreadsEffect(
        code=("fewer_slower" if against.significant else "fewer_equal")
        if fewer
        else ("more_slower" if against.significant else "more_equal"),
        threads=other.threads,
        bytes_per_s=fmean(found.rates[other]),
        mean_over_cliff=bool(found.cliffs.keys() & {other, best}),
    )


def _highest(rates: Rates) -> Setting | None:
    return max(rates, key=lambda setting: fmean(rates[setting]), default=None)


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


def best_cell(best: Best, cells: Sequence[Cell], rate: Rate) -> BestCell:
    """Return the best cell with its figures, as a comparison shows it."""
    setting = best.ranking.best
    (cell,) = (cell for cell in cells if cell.setting == setting)
    levels = levels_of(best, setting)
    return BestCell(
        block=setting.block,
        threads=setting.threads,
        bytes_per_s=None if levels else best.mean,
        levels=levels,
        served_by=cell.source(rate),
        flags=[flag.code for flag in cell.flags if rate in flag.rates],
        left_out_faster=best.left_out_faster,
    )


@dataclass(frozen=True)
class AdviceReason:
    """Why a setting is recommended: it is the best, or the cheapest within noise of it.

    `means_over_cliffs`: a compared cell has a cliff, so that its mean is over levels.
    """

    code: Literal["best", "within_noise_of_best"]
    best: Setting
    best_bytes_per_s: float
    means_over_cliffs: bool


@dataclass(frozen=True)
class Advice:
    """The cheapest setting within noise of the best, in FileCatalyst's terms (its KB is 2^10).

    With several participants it is that of each of them. `bytes_per_s` is the mean of the setting's
    cell; it is null if the cell has a cliff, and `levels` replace it. `words` say it in a sentence.
    """

    block: int
    threads: int
    settings: Mapping[str, int | float | str]
    bytes_per_s: float | None
    levels: CellLevels | None
    reason: AdviceReason
    words: Words


def advise(operation: Operation, found: Best, open_mode: str, participants: int) -> Advice:
    """Return the setting that is recommended for each participant, and its reason."""
    chosen, best = found.ranking.cheapest, found.ranking.best
    kilobytes = chosen.block // 1024 if chosen.block % 1024 == 0 else chosen.block / 1024
    settings: dict[str, int | float | str] = (
        {
            "numBlockWriters": chosen.threads,
            "writeBufferSizeKB": kilobytes,
            "writeFileMode": open_mode,
        }
        if operation == "write"
        else {"numBlockReaders": chosen.threads, "readBufferSizeKB": kilobytes}
    )
    levels = levels_of(found, chosen)
    reached = None if levels else fmean(found.rates[chosen])
    reason = AdviceReason(
        code="best" if chosen == best else "within_noise_of_best",
        best=best,
        best_bytes_per_s=found.mean,
        means_over_cliffs=bool(found.cliffs),
    )
    return Advice(
        block=chosen.block,
        threads=chosen.threads,
        settings=settings,
        bytes_per_s=reached,
        levels=levels,
        reason=reason,
        words=say(
            "{}{} {} {}{}{}.",
            setting_words(operation, chosen.threads, chosen.block),
            f" on each of {count(participants, 'target')}" if participants > 1 else "",
            "reaches" if chosen.threads == 1 else "reach",
            reached_words(reached, levels),
            " in total" if participants > 1 else "",
            _advice_words(operation, reason),
        ),
    )


def _advice_words(operation: Operation, reason: AdviceReason) -> Words:
    """Return why a setting is recommended, after its rate."""
    if reason.code == "within_noise_of_best":
        best = setting_words(operation, reason.best.threads, reason.best.block)
        return say(", within noise of the best cell ({})", best)
    return ": the highest mean" if reason.means_over_cliffs else ": the best cell"
