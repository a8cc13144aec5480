"""Reading the metrics of a path test from its result."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from assay.analysis.flags import EXCLUDED, VOID, FlagCode, level_figures
from assay.analysis.levels import levels_words
from assay.analysis.statuses import COUNTED
from assay.base.worded import say
from assay.kinds.bounds import bound_of
from assay.kinds.doubts import (
    bounded,
    few_repeats,
    interrupted,
    of_cut_short,
    of_flagged,
    of_flags,
    of_levels,
    of_source,
    unsound,
)
from assay.kinds.metrics import (
    Arguments,
    Concern,
    Doubt,
    EvidenceLocation,
    Measurement,
    Sense,
)
from assay.kinds.path.fields import LEGS, READING, TRANSFERS, WRITING, Leg, Part
from assay.kinds.path.figures import PathTrial
from assay.kinds.path.legs import PartRates, PathLeg, part_rates, rates_of, reliable_trials
from assay.kinds.path.report import trial_words
from assay.kinds.path.result import PathResult
from assay.kinds.path.settings import PathSetting, fastest, parts_of

Read = Callable[[PathResult, Arguments], Measurement]


def _settings(result: PathResult, arguments: Arguments) -> list[PathSetting]:
    """Return the named settings, or all."""
    return [
        one
        for one in result.settings
        if all(getattr(one, name) == value for name, value in arguments.items())
    ]


def choices(result: PathResult, arguments: Arguments) -> int:
    """Return of how many settings the fastest one is read."""
    return len(_settings(result, arguments))


def _setting(result: PathResult, arguments: Arguments) -> PathSetting | None:
    """Return the named setting that is fastest, or the best one."""
    return fastest(_settings(result, arguments), result.legs)


def _leg_of(result: PathResult, leg: Leg, arguments: Arguments) -> PathLeg | None:
    """Return the leg with the named setting, or with the fastest one of its own."""
    chosen = [
        one
        for one in result.legs
        if one.leg == leg
        and arguments.get("block", one.block) == one.block
        and (one.streams is None or arguments.get("streams", one.streams) == one.streams)
    ]
    return max(
        chosen, key=lambda one: one.bytes_per_s.mean if one.bytes_per_s else 0.0, default=None
    )


def _rate_of(result: PathResult, leg: PathLeg | None, concern: Concern) -> Measurement:
    """Return the mean of a leg's leading rate, with why it may not decide."""
    if leg is None or leg.bytes_per_s is None:
        return Measurement(None, doubts=_nothing(result, leg))
    trials = [one for one in leg.trials if one.leading_bytes_per_s]
    best = max(trials, key=lambda one: one.leading_bytes_per_s or 0.0)
    doubts: list[Doubt] = [
        *_unsound(leg, "rate"),
        *_inflated(leg),
        *interrupted(result.warnings, leg.repeats_done, leg.repeats_total, None),
    ]
    levels = [one.levels for one in reliable_trials(leg) if one.levels]
    if levels:
        said = say("The rate changed for a lasting time: {}.", levels_words(levels[0]))
        doubts += of_levels(leg.bytes_per_s.mean, levels, said, level_figures(levels[0]))
    if any(one.bounded for one in trials):
        doubts.append(bounded())
    sources = [one.served_by for one in trials if one.served_by]
    doubts += {doubt.code: doubt for one in sources for doubt in of_source(one, concern)}.values()
    stat = leg.bytes_per_s
    return Measurement(stat.mean, _at(leg, best.id), doubts, stat.n, stat.cv)


def _unsound(leg: PathLeg, sense: Sense) -> list[Doubt]:
    """Return why no trial of a leg is reliable; nothing if one is."""
    return unsound(leg.trials, leg.rate, sense, reads=leg.leg in READING)


def _disturbances(leg: PathLeg, trial: PathTrial, sense: Sense) -> list[Doubt]:
    """Return what disturbed the trial that a value is of."""
    flags = (flag for flag in trial.flags if flag.code in _DISTURBING)
    # both ends have several threads, and a transfer's pace is that of its network alone
    return of_flagged(flags, sense, reads=leg.leg in READING, concurrent=True)


_DISTURBING: frozenset[FlagCode] = VOID | frozenset[FlagCode]({"contended"})


def _at(leg: PathLeg, trial_id: int | None) -> EvidenceLocation:
    streams = {"streams": leg.streams} if leg.streams else {}
    named = trial_words({"leg": leg.leg, "block": leg.block, "streams": leg.streams or 0})
    return EvidenceLocation(trial_id, {"block": leg.block} | streams, named)


def _inflated(leg: PathLeg) -> list[Doubt]:
    reasons = [one.inflated for one in leg.trials if one.inflated]
    bound = bound_of("cached", "rate")
    return [Doubt("cache_served", one.message, one.figures, bound) for one in reasons[:1]]


def _nothing(result: PathResult, leg: PathLeg | None) -> list[Doubt]:
    found = _inflated(leg) if leg else []
    found += of_flags(flag for one in (leg.trials if leg else ()) for flag in one.flags)
    found += of_cut_short(result.warnings)
    return found or [Doubt("not_measured", "No trial of the leg was measured.")]


def _transfer_of(result: PathResult, arguments: Arguments) -> PathLeg | None:
    """Return the leg that is the transfer of a setting; None without one."""
    return result.transfer_of(_setting(result, arguments))


def path_rate(result: PathResult, arguments: Arguments) -> Measurement:
    """Return the rate of the transfer of a setting."""
    return _rate_of(result, _transfer_of(result, arguments), "durability")


def leg_rate(leg: Leg, concern: Concern) -> Read:
    """Return a reader of the rate of a leg."""

    def read(result: PathResult, arguments: Arguments) -> Measurement:
        return _rate_of(result, _leg_of(result, leg, arguments), concern)

    return read


def efficiency(result: PathResult, arguments: Arguments) -> Measurement:
    """Return the efficiency of a setting, or why none is known."""
    setting = _setting(result, arguments)
    if setting is None or setting.transfer is None:
        return Measurement(None, doubts=_nothing(result, None))
    if setting.efficiency is None:
        return Measurement(None, doubts=list(_withheld(result, setting, setting.transfer)))
    rated = _rate_of(result, result.transfer_of(setting), "durability")
    return replace(rated, value=setting.efficiency, spread=None)


def _withheld(result: PathResult, setting: PathSetting, transfer: Leg) -> Iterator[Doubt]:
    """Yield why the transfer cannot be held against its slowest part; each names its leg.

    That of a part which was only disturbed is at least its rate, and matters only if no other part
    is as slow.
    """
    moved = result.leg(transfer, setting.block, setting.streams)
    unknown: list[tuple[Leg, PathLeg | None]] = [] if rates_of(moved) else [(transfer, moved)]
    parts: list[tuple[Part, PathLeg | None, PartRates]] = []
    for part in parts_of(transfer):
        leg = result.leg(part, setting.block, setting.streams)
        rates = part_rates(leg, shared=False, to_last_end=transfer in WRITING)
        parts.append((part, leg, rates))
    slowest = min((fmean(one.rates) for _, _, one in parts if one.rates), default=0.0)
    for part, leg, one in parts:
        if not one.rates or one.is_raised or (one.causes and fmean(one.rates) <= slowest):
            unknown.append((part, leg))
    for name, leg in unknown:
        for doubt in _of_unknown(result, leg):
            yield replace(doubt, message=say("{}: {}", LEGS[name], doubt.message))


def _of_unknown(result: PathResult, leg: PathLeg | None) -> Iterable[Doubt]:
    """Return a doubt of each code about a leg whose rate is unknown, or only a bound."""
    if leg is None or not any(one.status in COUNTED for one in leg.trials):
        return _nothing(result, leg)
    found = _inflated(leg)
    if any(one.bounded for one in leg.trials):
        found.append(bounded())
    flags = (flag for one in leg.trials for flag in one.flags if flag.code in EXCLUDED)
    found += of_flags(flag for flag in flags if leg.rate in flag.rates)
    sources = (one.served_by for one in leg.trials)
    cached = (doubt for one in sources for doubt in of_source(one, "device"))
    found += (doubt for doubt in cached if doubt.code != "source_unknown")
    return {doubt.code: doubt.bounded_by(None) for doubt in found}.values() or _nothing(result, leg)


def spread(result: PathResult, arguments: Arguments) -> Measurement:
    """Return the coefficient of variation of the transfer of a setting."""
    leg = _transfer_of(result, arguments)
    stat = leg.bytes_per_s if leg else None
    if leg is None or stat is None or stat.cv is None:
        return Measurement(None, doubts=_nothing(result, leg))
    doubts = [*_unsound(leg, "pattern"), *few_repeats(stat.n)]
    return Measurement(stat.cv, _at(leg, None), doubts, stat.n)


def worst(figure: str, sense: Sense) -> Read:
    """Return a reader of the highest value of a figure of the link in the transfers' trials."""

    def read(result: PathResult, arguments: Arguments) -> Measurement:
        found = [
            (value, leg, one)
            for leg in result.legs
            if leg.leg in TRANSFERS
            if all(getattr(leg, name) == value for name, value in arguments.items())
            for one in leg.trials
            for link in [pair.link for pair in one.pairs] or [one.link]
            if link is not None and (value := getattr(link, figure)) is not None
        ]
        if not found:
            return Measurement(None, doubts=_nothing(result, None))
        return _highest(result, found, sense)

    return read


def _highest(
    result: PathResult, found: Sequence[tuple[float, PathLeg, PathTrial]], sense: Sense
) -> Measurement:
    """Return the highest of these values, each of a trial of a leg."""
    value, leg, trial = max(found, key=lambda one: one[0])
    doubts = [
        *interrupted(result.warnings, leg.repeats_done, leg.repeats_total, "lower"),
        *_disturbances(leg, trial, sense),
    ]
    trials = {one.id for _, _, one in found}
    return Measurement(float(value), _at(leg, trial.id), doubts, len(trials))


def files_rate(result: PathResult, arguments: Arguments) -> Measurement:
    """Return the small files per second of the transfer of a setting."""
    leg = _transfer_of(result, arguments)
    rated = _rate_of(result, leg, "durability")
    stat = leg.files_per_s if leg else None
    return Measurement(
        stat.mean if stat else None,
        rated.evidence,
        rated.doubts,
        stat.n if stat else 0,
        stat.cv if stat else None,
    )


def slowest_call(side: str, call: str) -> Read:
    """Return a reader of the highest 99th percentile of a call in the transfers' trials."""

    def read(result: PathResult, arguments: Arguments) -> Measurement:
        found = [
            (figures.p99_ns, leg, one)
            for leg in result.legs
            if leg.leg in TRANSFERS
            if all(getattr(leg, name) == value for name, value in arguments.items())
            for one in leg.trials
            for each in one.pairs or [one]
            if (end := getattr(each, side)) is not None and end.files is not None
            if (figures := getattr(end.files, call)).p99_ns is not None
        ]
        if not found:
            few = Doubt("too_few_operations", "No trial moved 100 small files.")
            return Measurement(None, doubts=[*_nothing(result, None), few])
        return _highest(result, found, "latency")

    return read


def wrong_blocks(result: PathResult, arguments: Arguments) -> Measurement:
    """Return the blocks that did not arrive as sent in all transfers."""
    trials = [(leg, one) for leg in result.legs if leg.leg in TRANSFERS for one in leg.trials]
    ended = [(leg, one) for leg, one in trials if one.link is not None]
    if not ended:
        return Measurement(None, doubts=_nothing(result, None))
    leg, worst = max(ended, key=lambda found: found[1].wrong_blocks)
    total = sum(one.wrong_blocks for _, one in ended)
    doubts = interrupted(result.warnings, len(ended), len(trials), "lower")
    return Measurement(float(total), _at(leg, worst.id), doubts, len(ended))
