"""Limitations of results that kinds have in common."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from assay.analysis import flags as rules
from assay.analysis.flags import BOTH, CODES, FlagCode, Rate, excluded
from assay.analysis.noise import TOLERANCE
from assay.analysis.repeats import Repeats
from assay.analysis.served_by import ServedBy
from assay.base.worded import Words, joined, say
from assay.base.words import capital, count, percent
from assay.kinds.cells import BaseCell, BaseTrial, StorageCell
from assay.kinds.run_record import CutShort

SourceCode = Literal["served_by_page_cache", "served_by_array_cache", "served_by_unknown"]

_CUT_SHORT: dict[CutShort, str] = {
    "cancelled": "The run was canceled",
    "failed": "The run failed",
    "lost": "The run's host is unreachable",
}

_SOURCES: dict[str, tuple[SourceCode, str, str]] = {
    "page_cache": ("served_by_page_cache", "was", "served by the page cache"),
    "array_cache": ("served_by_array_cache", "was", "possibly served by the array's cache"),
    "unknown": ("served_by_unknown", "has", "an unknown source"),
}
"""The code of a limit, and what it says of a rate: verb and rest."""

_BOTH = {"was": "were", "has": "have"}


@dataclass(frozen=True)
class BaseLimit:
    """One limitation of a result; each kind has its own codes.

    `code` and `figures` contain everything that programs need; the names of figures contain their
    units. `rate` is null if both rates are affected. `message` is the same as text.
    """

    code: Any
    message: Words
    figures: Mapping[str, float] = field(default_factory=dict[str, float])
    rate: Rate | None = None


OF_DATA = frozenset(
    {"verify_errors", "wrong_data", "wrong_records", "lost_records", "lost", "duplicates"}
)
"""The codes of limits that are about the data itself, not about how fast it moved."""

Limit = TypeVar("Limit", bound=BaseLimit)


def gravest_first(limits: Iterable[Limit]) -> list[Limit]:
    """Return the limits with those of the data before all others, which keep their order.

    Pages fold all but the first.
    """
    return sorted(limits, key=lambda one: one.code not in OF_DATA)


@dataclass(frozen=True)
class SourceFinding:
    """A source other than the device: the affected rate, what to say, and the affected cells.

    `rate` is None if both rates are affected in the same way.
    """

    code: SourceCode
    rate: Rate | None
    said: str
    found: Sequence[ServedBy]


def cut_short(why: CutShort, done: int, total: int) -> tuple[str, dict[str, float]]:
    """Return the message and figures of a run that did not measure all planned trials."""
    rests = (
        f"the result rests on {done} of the {total} planned trials"
        if done
        else "none of the planned trials was completed"
    )
    figures = {"trials": float(done), "planned_trials": float(total)}
    return f"{_CUT_SHORT[why]}: {rests}.", figures


def unfinished(
    why: CutShort | None, cells: Iterable[BaseCell]
) -> tuple[str, dict[str, float]] | None:
    """Return the message and figures of `cut_short`; None if all planned trials were measured."""
    known = list(cells)
    done = sum(cell.repeats_done for cell in known)
    total = sum(cell.repeats_total for cell in known)
    return cut_short(why, done, total) if why and done < total else None


def unreliable(
    name: str, trials: Sequence[BaseTrial], rate: Rate, unrated: str = "It has no rate."
) -> str:
    """Return why none of these trials counts: each repeat, with the evidence that excludes it.

    A repeat without such evidence has no rate, because of what `unrated` says.
    """
    said = [
        say("Repeat {}: {}", str(trial.repeat), joined(" ", reasons) or unrated)
        for trial in trials
        for reasons in [[flag.evidence for flag in trial.flags if excluded([flag], rate)]]
    ]
    return say("{}: no trial is reliable. {}", name, joined(" ", said))


def unstable(
    name: str, rate: Rate, repeats: Repeats | None
) -> tuple[str, dict[str, float], Rate] | None:
    """Return the message, figures and rate of repeats that vary too much, as a matrix's cells."""
    flag = repeats and rules.unstable(rate, repeats.mean, repeats.sd)
    return (say("{}: {}", name, flag.evidence), {**flag.figures}, rate) if flag else None


def excluding(trials: Iterable[BaseTrial], rate: Rate) -> list[FlagCode]:
    """Return the flags that exclude this rate of any of these trials, the most severe first."""
    found = {flag.code for one in trials for flag in one.flags if excluded([flag], rate)}
    return [code for code in CODES if code in found]


def single_repeats(cells: Iterable[BaseCell]) -> tuple[str, dict[str, float]] | None:
    """Return the message and figures of several cells that were measured once each; else None."""
    figures = (cell.durable or cell.application for cell in cells)
    numbers = [figure.n for figure in figures if figure]
    if len(numbers) < 2 or max(numbers) > 1:
        return None
    message = (
        "Single repeat: the headline is the highest of single measurements, which is partly luck, "
        f"and differences under {percent(TOLERANCE)} count as noise."
    )
    return message, {"cells": float(len(numbers)), "noise_share": TOLERANCE}


def wrong_data(sectors: int) -> tuple[str, dict[str, float]]:
    """Return the message and figures of sectors that did not contain the written data."""
    message = (
        f"{capital(count(sectors, 'sector'))} of 512 bytes did not contain the written data. "
        "Do not trust data from this storage."
    )
    return message, {"sectors": float(sectors), "sector_bytes": 512.0}


def sources(cells: Sequence[StorageCell]) -> Iterator[SourceFinding]:
    """Yield each source other than the device, the worst first, by rate.

    What holds of both rates for the same reasons is said once.
    """
    served = {rate: [one for cell in cells if (one := cell.served(rate))] for rate in BOTH}
    for source, (code, verb, said) in _SOURCES.items():
        durable, application = (
            [one for one in served[rate] if one.source == source] for rate in BOTH
        )
        if durable and durable == application:
            yield SourceFinding(code, None, say("Both rates {} {}", _BOTH[verb], said), durable)
            continue
        for rate, found in zip(BOTH, (durable, application), strict=True):
            if found:
                yield SourceFinding(code, rate, say("The {} rate {} {}", rate, verb, said), found)
