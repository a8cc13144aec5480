"""The metrics of a path test: rates of its legs, efficiency, and what the network did."""

from collections.abc import Callable, Sequence
from typing import Any

from assay.analysis.flags import VOID, FlagCode
from assay.analysis.words import block as block_words
from assay.kinds.bounds import bound_of
from assay.kinds.doubts import (
    bounded,
    few_repeats,
    interrupted,
    of_flagged,
    of_flags,
    of_source,
    unsound,
)
from assay.kinds.metrics import (
    ANY,
    TIME,
    Argument,
    Arguments,
    Concern,
    Dimension,
    Doubt,
    EvidenceLocation,
    Measurement,
    Metric,
    Possible,
    Sense,
)
from assay.kinds.path.fields import LEGS, READING, TRANSFERS, Leg
from assay.kinds.path.legs import PathLeg
from assay.kinds.path.report import trial_words
from assay.kinds.path.result import PathResult
from assay.kinds.path.settings import PathSetting, fastest
from assay.kinds.path.trials import PathTrial

SETTING = (
    Argument("block", "size", "Block size of the setting"),
    Argument("streams", "count", "Streams of the setting"),
)

_BEST = "of the fastest setting, or of the one that is named"

Read = Callable[[PathResult, Arguments], Measurement]


def _for(*legs: Leg, every: bool = False) -> Callable[[Any, Arguments], str | None]:
    """Return a rule about tests: they have one of these legs, or `every` one, and the setting."""

    def unavailable(test: Any, arguments: Arguments) -> str | None:
        missing: list[Leg] = [leg for leg in legs if leg not in test.legs]
        if missing and (every or len(missing) == len(legs)):
            return f"it does not measure {LEGS[missing[0]].lower()}"
        for name, axis in (("block", test.block), ("streams", test.streams)):
            if name in arguments and arguments[name] not in axis:
                blocks = ", ".join(block_words(one) for one in test.block)
                streams = ", ".join(map(str, test.streams))
                return f"it has no such setting: its blocks are {blocks}, its streams {streams}"
        return None

    return unavailable


def _settings(result: PathResult, arguments: Arguments) -> list[PathSetting]:
    """Return the named settings, or all."""
    return [
        one
        for one in result.settings
        if all(getattr(one, name) == value for name, value in arguments.items())
    ]


def _choices(result: PathResult, arguments: Arguments) -> int:
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
    if any(one.bounded for one in trials):
        doubts.append(bounded())
    sources = [one.served_by for one in trials if one.served_by]
    doubts += {doubt.code: doubt for one in sources for doubt in of_source(one, concern)}.values()
    return Measurement(leg.bytes_per_s.mean, _at(leg, best.id), doubts)


def _unsound(leg: PathLeg, sense: Sense) -> list[Doubt]:
    """Return why no trial of a leg is reliable; nothing if one is."""
    return unsound(leg.trials, leg.rate, sense, reads=leg.leg in READING)


def _disturbances(leg: PathLeg, trial: PathTrial, sense: Sense) -> list[Doubt]:
    """Return what disturbed the trial that a value is of."""
    flags = (flag for flag in trial.flags if flag.code in _DISTURBING)
    return of_flagged(flags, sense, reads=leg.leg in READING)


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
    found += [
        Doubt("interrupted", one.message, one.figures)
        for one in result.warnings
        if one.code == "cut_short"
    ]
    return found or [Doubt("not_measured", "No trial of the leg was measured.")]


def _path_rate(result: PathResult, arguments: Arguments) -> Measurement:
    setting = _setting(result, arguments)
    if setting is None or setting.transfer is None:
        return Measurement(None, doubts=_nothing(result, None))
    leg = result.leg(setting.transfer, setting.block, setting.streams)
    return _rate_of(result, leg, "durability")


def _leg_rate(leg: Leg, concern: Concern) -> Read:
    def read(result: PathResult, arguments: Arguments) -> Measurement:
        return _rate_of(result, _leg_of(result, leg, arguments), concern)

    return read


def _efficiency(result: PathResult, arguments: Arguments) -> Measurement:
    setting = _setting(result, arguments)
    if setting is None or setting.transfer is None or setting.efficiency is None:
        return Measurement(None, doubts=_nothing(result, None))
    leg = result.leg(setting.transfer, setting.block, setting.streams)
    rated = _rate_of(result, leg, "durability")
    return Measurement(setting.efficiency, rated.evidence, rated.doubts)


def _spread(result: PathResult, arguments: Arguments) -> Measurement:
    setting = _setting(result, arguments)
    leg = (
        result.leg(setting.transfer, setting.block, setting.streams)
        if setting is not None and setting.transfer is not None
        else None
    )
    stat = leg.bytes_per_s if leg else None
    if leg is None or stat is None or stat.cv is None:
        return Measurement(None, doubts=_nothing(result, leg))
    doubts = [*_unsound(leg, "pattern"), *few_repeats(stat.n)]
    return Measurement(stat.cv, _at(leg, None), doubts)


def _worst(figure: str, sense: Sense) -> Read:
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
    return Measurement(float(value), _at(leg, trial.id), doubts)


def _small(*legs: Leg) -> Callable[[Any, Arguments], str | None]:
    """Return a rule about tests: they move small files, in one of these legs."""
    moving = _for(*legs)

    def unavailable(test: Any, arguments: Arguments) -> str | None:
        if not test.small_files:
            return "it moves no small files: set `small_files`"
        return moving(test, arguments)

    return unavailable


def _files_rate(result: PathResult, arguments: Arguments) -> Measurement:
    setting = _setting(result, arguments)
    leg = (
        result.leg(setting.transfer, setting.block, setting.streams)
        if setting is not None and setting.transfer is not None
        else None
    )
    rated = _rate_of(result, leg, "durability")
    stat = leg.files_per_s if leg else None
    return Measurement(stat.mean if stat else None, rated.evidence, rated.doubts)


def _slowest_call(side: str, call: str) -> Read:
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


def _wrong_blocks(result: PathResult, arguments: Arguments) -> Measurement:
    trials = [(leg, one) for leg in result.legs if leg.leg in TRANSFERS for one in leg.trials]
    ended = [(leg, one) for leg, one in trials if one.link is not None]
    if not ended:
        return Measurement(None, doubts=_nothing(result, None))
    leg, worst = max(ended, key=lambda found: found[1].wrong_blocks)
    total = sum(one.wrong_blocks for _, one in ended)
    doubts = interrupted(result.warnings, len(ended), len(trials), "lower")
    return Measurement(float(total), _at(leg, worst.id), doubts)


def _metric(
    name: str,
    label: str,
    dimension: Dimension,
    definition: str,
    needs: str,
    *rule: Any,
    choices: Callable[[PathResult, Arguments], int] | None = _choices,
    possible: Possible = ANY,
    sense: Sense,
) -> Metric:
    """Return a metric of the fastest setting; with `choices` None, of all of them."""
    concern: Concern = "durability" if dimension == "rate" else "application"
    return Metric(
        name,
        label,
        dimension,
        concern,
        definition,
        needs,
        *rule,
        arguments=SETTING,
        choices=choices,
        possible=possible,
        sense=sense,
    )


_READING_FILES: tuple[Leg, ...] = ("disk", "disk_to_memory")
_WRITING_FILES: tuple[Leg, ...] = ("disk", "memory_to_disk")
_MOVING_FILES: tuple[Leg, ...] = ("disk", "memory_to_disk", "disk_to_memory")
_MOVING: tuple[Leg, ...] = ("disk", "memory_to_disk", "disk_to_memory", "memory")

METRICS: tuple[Metric, ...] = (
    _metric(
        "path.rate",
        "rate of the transfer",
        "rate",
        "Mean over the repeats of the receiver's bytes per second, up to the end of the final sync "
        f"if the sink is a disk, {_BEST}. Of several pairs it is the rate of all together: in the "
        "time in which all of them move data, or up to the last sync.",
        "A path test with a transfer.",
        _for(*_MOVING),
        _path_rate,
        sense="rate",
    ),
    _metric(
        "path.efficiency",
        "efficiency of the transfer",
        "share",
        "Rate of the transfer ÷ that of its slowest part by itself; for a disk that source and "
        f"sink share, ÷ the rate at which it reads and writes each byte, {_BEST}.",
        "A path test with the transfer and all of its parts.",
        _for("read", "memory", "write", "disk", every=True),
        _efficiency,
        sense="rate",
    ),
    *(
        _metric(
            f"leg.{leg}.rate",
            f"rate of the leg {leg.replace('_', ' ')}",
            "rate",
            f"Mean over the repeats of {LEGS[leg].lower()}, durable if it writes a disk, with the "
            "fastest setting, or the one that is named.",
            f"A path test with the leg {leg}.",
            _for(leg),
            _leg_rate(leg, "device" if leg == "read" else "durability"),
            sense="rate",
        )
        for leg in LEGS
    ),
    _metric(
        "path.cv",
        "variation of the transfer between repeats",
        "share",
        f"Standard deviation ÷ mean of the rates of the repeats of the transfer, {_BEST}.",
        "A path test with a transfer and two or more repeats.",
        _for(*_MOVING),
        _spread,
        sense="pattern",
    ),
    _metric(
        "path.retransmitted",
        "share of data that was sent again",
        "share",
        "Largest share of retransmitted bytes among the trials that use the network, and their "
        "pairs.",
        "A path test with a transfer.",
        _for(*_MOVING),
        _worst("retransmitted", "pattern"),
        choices=None,
        sense="pattern",
    ),
    _metric(
        "path.rtt",
        "round-trip time under load",
        "duration",
        "Largest median of the streams' smoothed round-trip times at the end of a trial, among the "
        "trials that use the network, and their pairs.",
        "A path test with a transfer.",
        _for(*_MOVING),
        _worst("rtt_load_ns", "pattern"),
        choices=None,
        possible=TIME,
        sense="pattern",
    ),
    _metric(
        "path.wrong_blocks",
        "number of blocks that did not arrive as sent",
        "count",
        "Blocks with a wrong CRC32C in all transfers of the run; one more if digests differ.",
        "A path test with a transfer.",
        _for(*_MOVING),
        _wrong_blocks,
        choices=None,
        sense="defects",
    ),
    _metric(
        "path.files_per_s",
        "small files per second of the transfer",
        "frequency",
        "Mean over the repeats of the small files ÷ the time in which the transfer moved them and "
        f"the large ones, with the final sync if the sink is a disk, {_BEST}.",
        "A path test with a transfer of small files.",
        _small(*_MOVING_FILES),
        _files_rate,
        sense="rate",
    ),
    *(
        _metric(
            f"path.{name}.p99",
            f"99th percentile of the time to {verb} a small file at the {place}",
            "duration",
            f"Largest 99th percentile of the calls that {verb} small files at the {place}, among "
            "the transfers' trials and their pairs.",
            "A path test with a transfer of 100 small files or more.",
            _small(*legs),
            _slowest_call(side, call),
            possible=TIME,
            sense="latency",
        )
        for name, verb, place, legs, side, call in (
            ("open", "open", "source", _READING_FILES, "sender", "open"),
            ("create", "create", "sink", _WRITING_FILES, "receiver", "open"),
            ("close", "close", "sink", _WRITING_FILES, "receiver", "close"),
        )
    ),
)
