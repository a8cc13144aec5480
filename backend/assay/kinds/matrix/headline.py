"""The headline of a matrix: the best rate and its setting, or why there is none."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from assay.analysis.flags import CODES, EXCLUDED, Flag, FlagCode, Rate
from assay.analysis.noise import difference
from assay.analysis.repeats import describe
from assay.analysis.served_by import ServedBy, Source
from assay.kinds.levels import HeldLevels
from assay.kinds.matrix.best import Best
from assay.kinds.matrix.parameters import NAME, Operation
from assay.kinds.matrix.ranking import Rates, Setting
from assay.kinds.result import BaseHeadline
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


def headline(
    operation: Operation, participants: int, best: Best, rate: Rate, served_by: ServedBy | None
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
        served_by=served_by.source if served_by else None,
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
    codes = Counter(flag.code for flag in flags if flag.code in EXCLUDED)
    if not codes:
        return None
    code = max(CODES, key=codes.__getitem__)
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
