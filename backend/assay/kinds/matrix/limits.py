"""Limitations of a result, the most severe first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assay.analysis.flags import UNSTABLE, Flag, Rate, of_most_trials
from assay.analysis.together import LEAST_OVERLAP
from assay.base.worded import say
from assay.base.words import block, capital, count, duration, percent, size
from assay.kinds import limits as shared
from assay.kinds import writeback
from assay.kinds.cells import by_rate
from assay.kinds.limits import BaseLimit
from assay.kinds.matrix.cells import Cell, MatrixTrial
from assay.kinds.matrix.headline import sufficient_file_size
from assay.kinds.run_record import CutShort

LimitCode = Literal[
    "verify_errors",
    "suspended",
    "starved",
    "contended",
    "served_by_page_cache",
    "served_by_array_cache",
    "served_by_unknown",
    "failed",
    "too_short",
    "short_overlap",
    "timed_out",
    "bounded",
    "cliff",
    "unstable",
    "no_repeats",
    "writeback_delay",
    "below_repeats",
    "cut_short",
]


@dataclass(frozen=True)
class Limit(BaseLimit):
    """One limitation of the result: `code` and `figures` contain everything that programs need.

    The names of figures contain their units; `trials` or `cells` is the number affected. `rate` is
    null if both are affected. The reason for `cut_short` is the run's state. `message` is the same
    as text; programs need not parse it.
    """

    code: LimitCode


def limits(
    trials: Sequence[MatrixTrial], cells: Sequence[Cell], *, allocates: bool = True
) -> list[Limit]:
    """Return all limitations of the result; `allocates`: writes are the first to their files."""
    found = [
        *_wrong_data(trials),
        *_served_by(cells),
        *_failed(trials),
        *_disturbed(trials),
        *_contended(trials),
        *_too_short(trials),
        *_short_overlap(trials),
        *_timed_out(trials),
        *_bounded(trials),
        *_cliffs(cells),
        *_unstable(cells),
    ]
    found += _of_writeback(cells)
    found += _below(trials, cells, allocates=allocates)
    if single := shared.single_repeats(cells):
        found.append(Limit("no_repeats", *single))
    return found


def _of_writeback(cells: Sequence[Cell]) -> list[Limit]:
    """Return what page-cache rates include, said of the fastest cell."""
    said = writeback.delay([(_place(cell, cells), cell.writeback) for cell in by_rate(cells)])
    return [Limit("writeback_delay", *said, "durable")] if said else []


def _below(trials: Sequence[MatrixTrial], cells: Sequence[Cell], *, allocates: bool) -> list[Limit]:
    """Return the trial that is far below its repeats."""
    writes = any(cell.durable for cell in cells)
    rate: Rate = "durable" if writes else "application"
    of_cells = [(_place(cell, cells), writeback.repeats_of(cell.trials, rate)) for cell in cells]
    first = trials[0].id if trials else 0
    said = writeback.below(of_cells, first_trial_id=first, allocates=writes and allocates)
    return [Limit("below_repeats", *said, rate)] if said else []


def _place(cell: Cell, cells: Sequence[Cell]) -> str:
    """Return where one of several cells was measured: `with 256 KiB blocks and two threads`."""
    if len(cells) == 1:
        return ""
    return f"with {block(cell.block)} blocks and {count(cell.threads, 'thread')}"


def cut_short(why: CutShort | None, cells: Sequence[Cell]) -> list[Limit]:
    """Return the limitation that not all planned trials were measured, if so."""
    said = shared.unfinished(why, cells)
    return [Limit("cut_short", *said)] if said else []


def _wrong_data(trials: Sequence[MatrixTrial]) -> list[Limit]:
    wrong = sum(trial.verify_errors for trial in trials)
    if not wrong:
        return []
    message, figures = shared.wrong_data(wrong)
    return [Limit("verify_errors", message, figures)]


def _served_by(cells: Sequence[Cell]) -> list[Limit]:
    found: list[Limit] = []
    for one in shared.sources(cells):
        first = one.found[0]
        message = say("{} in {}. {}", one.said, _share(len(one.found), len(cells)), first.evidence)
        counts = {"cells": float(len(one.found)), "of_cells": float(len(cells))}
        found.append(Limit(one.code, message, {**first.figures, **counts}, one.rate))
    return found


def _failed(trials: Sequence[MatrixTrial]) -> list[Limit]:
    number = sum(trial.status == "failed" for trial in trials)
    verb = "has" if number == 1 else "have"
    return _of_trials("failed", number, f"failed and {verb} no figures")


def _timed_out(trials: Sequence[MatrixTrial]) -> list[Limit]:
    number = sum(trial.status == "timed_out" for trial in trials)
    return _of_trials("timed_out", number, "timed out: the bytes transferred until then count")


def _bounded(trials: Sequence[MatrixTrial]) -> list[Limit]:
    number = sum(trial.is_counted and trial.bounded for trial in trials)
    words = "did not finish the final sync in time: the true durable rate is lower"
    return _of_trials("bounded", number, words)


def _cliffs(cells: Sequence[Cell]) -> list[Limit]:
    every = ([flag for flag in cell.flags if flag.code == "cliff"] for cell in cells)
    found = [of_most_trials(flags) for flags in every if flags]
    if not found:
        return []
    message = say(
        "In {} the rate changed for good during a trial, so the mean is a rate that "
        "was never reached. {}",
        _share(len(found), len(cells)),
        found[0].evidence,
    )
    counts = {"cells": float(len(found)), "of_cells": float(len(cells))}
    return [Limit("cliff", message, {**found[0].figures, **counts})]


def _share(number: int, cells: int) -> str:
    return f"{number} of {cells} cells" if cells > 1 else "the only cell"


def _of_trials(code: LimitCode, number: int, words: str) -> list[Limit]:
    if not number:
        return []
    return [Limit(code, f"{capital(count(number, 'trial'))} {words}.", {"trials": number})]


def _disturbed(trials: Sequence[MatrixTrial]) -> list[Limit]:
    """Return trials whose every attempt was suspended or starved, by the last one's status."""
    said: dict[Literal["suspended", "starved"], str] = {
        "suspended": "the host or the probe was suspended in the last attempt",
        "starved": "in the last attempt the probe did not get enough CPU time: free the host's "
        "CPUs or raise the quota",
    }
    found: list[Limit] = []
    for status, why in said.items():
        number = sum(trial.status == status and not trial.again for trial in trials)
        whose = (
            "was suspended or starved in every attempt, so its cell is"
            if number == 1
            else ("were suspended or starved in every attempt, so their cells are")
        )
        found += _of_trials(status, number, f"{whose} inconclusive: {why}")
    return found


def _contended(trials: Sequence[MatrixTrial]) -> list[Limit]:
    found = [flag for trial in trials for flag in trial.flags if flag.code == "contended"]
    if not found:
        return []
    verb = "was" if len(found) == 1 else "were"
    message = say(
        "{} {} contended and excluded from headline and recommendation. {}",
        capital(count(len(found), "trial")),
        verb,
        found[0].evidence,
    )
    figures = {**found[0].figures, "trials": float(len(found))}
    return [Limit("contended", message, figures)]


def _too_short(trials: Sequence[MatrixTrial]) -> list[Limit]:
    """Return trials without a reliable rate, then those without a reliable application rate."""
    whole: list[Flag] = []
    application: list[Flag] = []
    for trial in trials:
        short = (
            [flag for flag in trial.flags if flag.code == "too_short"] if trial.is_counted else []
        )
        (application if trial.is_sound("durable") else whole).extend(short)
    suffices = sufficient_file_size([*whole, *application])
    found: list[Limit] = []
    sides: tuple[tuple[Rate | None, list[Flag]], ...] = (
        (None, whole),
        ("application", application),
    )
    for rate, short in sides:
        if not short:
            continue
        shortest = min(flag.figures["measured_ns"] for flag in short)
        verb = "was" if rate or len(short) == 1 else "were"
        who = f"{'the application rate of ' if rate else ''}{count(len(short), 'trial')}"
        figures = {"trials": float(len(short)), "shortest_ns": shortest}
        remedy = "Raise the time limit."
        if suffices:
            figures["sufficient_file_size_bytes"] = float(suffices)
            remedy = f"Files of {size(suffices)} would suffice."
        message = (
            f"{capital(who)} {verb} too short (the shortest took {duration(shortest)}) and "
            f"excluded from headline and recommendation. {remedy}"
        )
        found.append(Limit("too_short", message, figures, rate))
    return found


def _short_overlap(trials: Sequence[MatrixTrial]) -> list[Limit]:
    found = [flag for trial in trials for flag in trial.flags if flag.code == "short_overlap"]
    if not found:
        return []
    message = say(
        "In {} all participants were active at the same time for less than half of the "
        "longest attempt, so the application rate is excluded from headline and "
        "recommendation. {}",
        count(len(found), "trial"),
        found[0].evidence,
    )
    figures = {**found[0].figures, "trials": float(len(found)), "least_share": LEAST_OVERLAP}
    return [Limit("short_overlap", message, figures, "application")]


def _unstable(cells: Sequence[Cell]) -> list[Limit]:
    number = sum(any(flag.code == "unstable" for flag in cell.flags) for cell in cells)
    if not number:
        return []
    who = f"{capital(count(number, 'cell'))} {'varies' if number == 1 else 'vary'}"
    message = f"{who} by more than {percent(UNSTABLE)} between repeats."
    return [Limit("unstable", message, {"cells": number, "limit": UNSTABLE})]
