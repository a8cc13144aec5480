"""Doubts about measured values that kinds have in common."""

from collections.abc import Iterable, Mapping, Sequence

from assay.analysis.flags import EXCLUDED, Flag, Rate
from assay.analysis.levels import Held, lowest, since_fall
from assay.analysis.served_by import ServedBy
from assay.base.worded import say
from assay.kinds.bounds import bound_of, cause_of, effect
from assay.kinds.cells import RatedTrial, SourcesOfRates
from assay.kinds.limits import BaseLimit
from assay.kinds.metrics import Bound, Concern, Doubt, Sense

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
    """Return a doubt for each code, about a value that was not measured."""
    return list(
        {flag.code: Doubt(flag.code, flag.evidence, flag.figures) for flag in flags}.values()
    )


def of_flagged(
    flags: Iterable[Flag], sense: Sense, *, reads: bool, concurrent: bool = False
) -> list[Doubt]:
    """Return a doubt for each code about a value of a metric of this sense.

    `reads` and `concurrent` are those of `cause_of`. If the flags of two trials have different
    bounds, the true value may be on either side.
    """
    found: dict[str, Doubt] = {}
    for flag in flags:
        cause = cause_of(flag, reads=reads, concurrent=concurrent)
        if cause is None or effect(cause, sense) == "none":
            continue
        doubt = Doubt(flag.code, flag.evidence, flag.figures, bound_of(cause, sense))
        known = found.setdefault(flag.code, doubt)
        if known.bound != doubt.bound:
            found[flag.code] = known.bounded_by(None)
    return list(found.values())


def unsound(
    trials: Sequence[RatedTrial],
    rate: Rate,
    sense: Sense,
    *,
    reads: bool,
    concurrent: bool = False,
) -> list[Doubt]:
    """Return why no trial of a cell has a reliable rate; nothing if one has.

    If some trials measured the storage, the figures are theirs, and only their flags count.
    """
    if any(trial.is_sound(rate) for trial in trials):
        return []
    measured = [trial for trial in trials if trial.is_counted] or trials
    flags = (flag for trial in measured for flag in trial.flags)
    excluding = (flag for flag in flags if flag.code in EXCLUDED and rate in flag.rates)
    return of_flagged(excluding, sense, reads=reads, concurrent=concurrent)


def of_cut_short(warnings: Iterable[BaseLimit], bound: Bound | None = None) -> list[Doubt]:
    """Return the doubt that a run was cut short."""
    return [
        Doubt("interrupted", one.message, one.figures, bound)
        for one in warnings
        if one.code == "cut_short"
    ]


def interrupted(
    warnings: Iterable[BaseLimit], done: int, total: int, bound: Bound | None
) -> list[Doubt]:
    """Return the doubt that a run was cut short, or that not all planned trials have a result."""
    found = of_cut_short(warnings, bound)
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


def of_rate(
    sources: SourcesOfRates | None, rate: Rate, concern: Concern, sense: Sense = "rate"
) -> list[Doubt]:
    """Return the doubt about who served the data of a cell's rate, if it matters."""
    return of_source(sources and sources.of(rate), concern, sense)


def bounded() -> Doubt:
    """Return the doubt about a durable rate whose final sync timed out."""
    message = "A final sync timed out: the true durable rate is lower."
    return Doubt("bounded", message, bound=bound_of("bounded", "rate"))


def of_levels(
    mean: float, trials: Iterable[Held], evidence: str, figures: Mapping[str, float]
) -> list[Doubt]:
    """Return the doubt about a mean over lasting levels, of those trials that have several.

    A longer trial's mean lies between this one, the last level, and the lowest one since the rate
    first fell: what it rose from for good is over.
    """
    changed = [levels for levels in trials if levels]
    if not changed:
        return []
    message = say("The mean is a rate that was never reached. {}", evidence)
    least = min([mean, *(lowest(fallen) for one in changed if (fallen := since_fall(one)))])
    most = max(mean, *(levels[-1].bytes_per_s for levels in changed))
    bound: Bound | None = "upper" if most == mean else "lower" if least == mean else None
    return [Doubt("cliff", message, figures, bound, least, most)]


def of_source(found: ServedBy | None, concern: Concern, sense: Sense = "rate") -> list[Doubt]:
    """Return the doubt about who served the data, if it matters; a cache can only be faster."""
    if found is None or concern == "application" or found.source == "device":
        return []
    if concern == "durability" and found.reason in LEFT_MEMORY:
        return []
    bound = bound_of("cached", sense)
    match found.source:
        case "page_cache":
            return [Doubt("cache_served", found.evidence, found.figures, bound)]
        case "array_cache":
            said = say("{} The array's cache may have served the data.", found.evidence)
            return [Doubt("array_cache", said, found.figures, bound)]
        case _:
            return [Doubt("source_unknown", found.evidence, found.figures, bound)]
