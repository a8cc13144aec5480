"""Doubts about measured values that kinds have in common."""

from collections.abc import Iterable, Sequence

from assay.analysis.flags import EXCLUDED, Flag, Rate
from assay.analysis.served_by import ServedBy
from assay.kinds.cells import RatedTrial, SourcesOfRates, is_sound
from assay.kinds.limits import BaseLimit
from assay.kinds.metrics import Bound, Concern, Doubt

FEWEST_REPEATS = 3
"""Minimum repeats for a statement about their spread."""

PERCENTILES = {
    "p50": 0.5,
    "p90": 0.9,
    "p99": 0.99,
    "p99.9": 0.999,
    "p99.99": 0.9999,
    "p99.999": 0.99999,
}
"""The percentiles that metrics have, with the share of operations that do not exceed them."""

LEFT_MEMORY = frozenset({"server_bytes", "shared_device", "others_or_amplification"})
"""Reasons of an unknown source although the data demonstrably left the host's memory."""


def of_flags(flags: Iterable[Flag]) -> list[Doubt]:
    """Return a doubt for each code."""
    return list(
        {flag.code: Doubt(flag.code, flag.evidence, flag.figures) for flag in flags}.values()
    )


def unsound(trials: Sequence[RatedTrial], rate: Rate) -> list[Doubt]:
    """Return why no trial of a cell has a reliable rate; nothing if one has."""
    if any(is_sound(trial, rate) for trial in trials):
        return []
    flags = (flag for trial in trials for flag in trial.flags)
    return of_flags(flag for flag in flags if flag.code in EXCLUDED and rate in flag.rates)


def interrupted(
    warnings: Iterable[BaseLimit], done: int, total: int, bound: Bound | None
) -> list[Doubt]:
    """Return the doubt that a run was cut short, or that not all planned trials have a result."""
    found = [
        Doubt("interrupted", one.message, one.figures, bound)
        for one in warnings
        if one.code == "cut_short"
    ]
    if found or done == total:
        return found
    figures = {"trials": float(done), "planned_trials": float(total)}
    return [Doubt("interrupted", f"Only {done} of {total} trials have a result.", figures, bound)]


def few_repeats(number: int) -> list[Doubt]:
    """Return the doubt that so many reliable repeats do not show their spread, if they are few."""
    if number >= FEWEST_REPEATS:
        return []
    figures = {"repeats": float(number), "least_repeats": float(FEWEST_REPEATS)}
    message = f"The cell has {number} reliable repeats; the minimum is {FEWEST_REPEATS}."
    return [Doubt("too_few_repeats", message, figures)]


def of_rate(sources: SourcesOfRates | None, rate: Rate, concern: Concern) -> list[Doubt]:
    """Return the doubt about who served the data of a cell's rate, if it matters."""
    return of_source(sources and sources.of(rate), concern)


def bounded() -> Doubt:
    """Return the doubt about a durable rate whose final sync timed out."""
    return Doubt(
        "bounded", "A final sync timed out: the true durable rate is lower.", bound="upper"
    )


def of_source(found: ServedBy | None, concern: Concern) -> list[Doubt]:
    """Return the doubt about who served the data, if it matters; a cache can only be faster."""
    if found is None or concern == "application" or found.source == "device":
        return []
    if concern == "durability" and found.reason in LEFT_MEMORY:
        return []
    match found.source:
        case "page_cache":
            return [Doubt("cache_served", found.evidence, found.figures, "upper")]
        case "array_cache":
            said = f"{found.evidence} The array's cache may have served the data."
            return [Doubt("array_cache", said, found.figures, "upper")]
        case _:
            return [Doubt("source_unknown", found.evidence, found.figures, "upper")]
