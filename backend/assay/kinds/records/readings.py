"""Reading the metrics of a records test from its result."""

from collections.abc import Callable, Iterable

from assay.analysis.flags import EXCLUDED, level_figures
from assay.analysis.levels import first_fall, levels_words
from assay.analysis.levels import lowest as lowest_of
from assay.analysis.repeats import Repeats
from assay.base.worded import say
from assay.kinds.doubts import (
    PERCENTILES,
    bounded,
    few_repeats,
    interrupted,
    of_cut_short,
    of_flagged,
    of_flags,
    of_levels,
    of_source,
)
from assay.kinds.metrics import Arguments, Concern, Doubt, EvidenceLocation, Measurement, Sense
from assay.kinds.records.cells import is_reliable
from assay.kinds.records.figures import RecordsCell, RecordsTrial
from assay.kinds.records.report import trial_words
from assay.kinds.records.result import RecordsResult

Read = Callable[[RecordsResult, Arguments], Measurement]


def _cell(result: RecordsResult, arguments: Arguments) -> RecordsCell | None:
    """Return the named cell, or the best one; without a reliable one, that with most payload."""
    if "record" in arguments:
        return result.cell(round(arguments["record"]))
    if result.best is not None:
        return result.cells[result.best]
    rated = [one for one in result.cells if one.bytes_per_s]
    return max(rated, key=lambda one: one.bytes_per_s.mean if one.bytes_per_s else 0, default=None)


def _at(cell: RecordsCell, trial_id: int | None = None) -> EvidenceLocation:
    axes = {"record_bytes": cell.record_bytes}
    return EvidenceLocation(trial_id, axes, trial_words(axes))


def _nothing(result: RecordsResult, cell: RecordsCell | None) -> list[Doubt]:
    found = of_flags(flag for one in (cell.trials if cell else ()) for flag in one.flags)
    found += of_cut_short(result.warnings)
    return found or [Doubt("not_measured", "No trial with these records was measured.")]


def _unreliable(result: RecordsResult, cell: RecordsCell, sense: Sense) -> list[Doubt]:
    """Return why the rates of a cell may not decide."""
    doubts = interrupted(result.warnings, cell.repeats_done, cell.repeats_total, None)
    if cell.reliable:
        return doubts
    flagged = (flag for one in _used(cell) for flag in one.flags if flag.code in EXCLUDED)
    doubts += of_flagged(flagged, sense, reads=False)
    if any(one.counts and not one.counts.is_whole for one in cell.trials):
        message = "Records did not arrive and stay as they were sent."
        doubts.append(Doubt("not_measured", message))
    return doubts


def _used(cell: RecordsCell) -> list[RecordsTrial]:
    """Return the trials that a cell's figures rest on."""
    rated = [one for one in cell.trials if one.records_per_s is not None]
    return [one for one in rated if is_reliable(one)] or rated


def _changes(cell: RecordsCell, mean: float) -> list[Doubt]:
    """Return that the mean of a cell, in bytes per second, is a rate that was never reached."""
    trials = _used(cell)
    levels = [one.levels for one in trials if one.levels]
    if not levels:
        return _fades(trials)
    said = say("The rate changed for good: {}.", levels_words(levels[0]))
    return [*of_levels(mean, levels, said, level_figures(levels[0])), *_fades(trials)]


def _fades(trials: Iterable[RecordsTrial]) -> list[Doubt]:
    """Return that a rate changed at no known moment, so that the level after it is unknown."""
    faded = next((one.faded for one in trials if one.faded), None)
    if faded is None:
        return []
    message = "The rate fell for good, at a moment that is not known."
    return [Doubt("cliff", message, faded.figures, "upper")]


def mean(value: Callable[[RecordsCell], Repeats | None], concern: Concern) -> Read:
    """Return a reader of a cell's mean rate, of records or of payload."""

    def read(result: RecordsResult, arguments: Arguments) -> Measurement:
        cell = _cell(result, arguments)
        stat = value(cell) if cell else None
        if cell is None or stat is None:
            return Measurement(None, doubts=_nothing(result, cell))
        doubts = _unreliable(result, cell, "rate")
        if concern == "durability":
            if any(one.bounded for one in _used(cell)):
                doubts.append(bounded())
            sources = [one.durable_served_by for one in _used(cell)]
            found = [doubt for one in sources for doubt in of_source(one, concern)]
            doubts += {doubt.code: doubt for doubt in found}.values()
        else:
            of_payload = cell.bytes_per_s.mean if cell.bytes_per_s else stat.mean
            scale = stat.mean / of_payload
            doubts += [one.scaled(scale) for one in _changes(cell, of_payload)]
        return Measurement(stat.mean, _at(cell, cell.trial_id), doubts, stat.n, stat.cv)

    return read


def least(result: RecordsResult, arguments: Arguments) -> Measurement:
    """Return the lowest rate of a cell; the lowest lasting level if the rate changed for good."""
    cell = _cell(result, arguments)
    if cell is None or not (trials := _used(cell)):
        return Measurement(None, doubts=_nothing(result, cell))

    def lowest(one: RecordsTrial) -> float:
        return lowest_of(one.levels) / cell.record_bytes if one.levels else one.records_per_s or 0.0

    slowest = min(trials, key=lowest)
    doubts = [*_unreliable(result, cell, "rate"), *_fades(trials)]
    return Measurement(lowest(slowest), _at(cell, slowest.id), doubts, len(trials))


def choices(result: RecordsResult, arguments: Arguments) -> int:
    """Return of how many record lengths the leading one is read."""
    return len(_chosen(result, arguments))


def _chosen(result: RecordsResult, arguments: Arguments) -> list[RecordsCell]:
    if "record" not in arguments:
        return result.cells
    cell = _cell(result, arguments)
    return [cell] if cell else []


def sum_of(value: Callable[[RecordsTrial], int | None], *, kept: bool = False) -> Read:
    """Return a reader of the sum over all trials; `kept`: it counts what the file held."""

    def read(result: RecordsResult, arguments: Arguments) -> Measurement:
        cells = _chosen(result, arguments)
        trials = [one for cell in cells for one in cell.trials]
        known = {one.id: number for one in trials if (number := value(one)) is not None}
        if not known:
            return Measurement(None, doubts=_nothing(result, cells[0] if cells else None))
        done = sum(cell.repeats_done for cell in cells)
        total = sum(cell.repeats_total for cell in cells)
        doubts = interrupted(result.warnings, done, total, "lower")
        unread = [one for one in trials if one.counts and one.counts.stored is None]
        if kept and result.sink == "disk" and unread:
            message = "Not every file was read back, so records may be lost that are not counted."
            doubts.append(Doubt("interrupted", message, {"trials": float(len(unread))}, "lower"))
        worst = max(known, key=lambda each: known[each])
        summed = float(sum(known.values()))
        return Measurement(summed, EvidenceLocation(worst), doubts, len(known))

    return read


def of_counts(name: str) -> Callable[[RecordsTrial], int | None]:
    """Return a getter of a count of a trial's records."""
    return lambda trial: getattr(trial.counts, name) if trial.counts else None


def lost(trial: RecordsTrial) -> int | None:
    """Return the lost records of a trial; None if they were not counted."""
    return trial.lost if trial.counts or trial.left else None


def fairness(result: RecordsResult, arguments: Arguments) -> Measurement:
    """Return how equal the rates of a cell's senders are."""
    cell = _cell(result, arguments)
    if cell is None or cell.fairness is None:
        return Measurement(None, doubts=_nothing(result, cell))
    doubts = _unreliable(result, cell, "pattern")
    return Measurement(cell.fairness, _at(cell), doubts, len(_used(cell)))


def cost(result: RecordsResult, arguments: Arguments) -> Measurement:
    """Return the receiver's CPU time for a record, in ns."""
    cell = _cell(result, arguments)
    if cell is None or cell.receiver_ns_per_record is None:
        return Measurement(None, doubts=_nothing(result, cell))
    doubts = _unreliable(result, cell, "pattern")
    return Measurement(cell.receiver_ns_per_record, _at(cell), doubts, len(_used(cell)))


def spread(result: RecordsResult, arguments: Arguments) -> Measurement:
    """Return the coefficient of variation of a cell's repeats."""
    cell = _cell(result, arguments)
    stat = cell.records_per_s if cell else None
    if cell is None or stat is None or stat.cv is None:
        return Measurement(None, doubts=_nothing(result, cell))
    doubts = [*_unreliable(result, cell, "pattern"), *few_repeats(stat.n)]
    return Measurement(stat.cv, _at(cell), doubts, stat.n)


def percentile(name: str) -> Read:
    """Return a reader of a percentile of the latency from the due time."""

    def read(result: RecordsResult, arguments: Arguments) -> Measurement:
        cell = _cell(result, arguments)
        if cell is None or not cell.latency:
            return Measurement(None, doubts=_nothing(result, cell))
        share = PERCENTILES[name]
        point = next((one for one in cell.latency if one.share == share), None)
        doubts = _unreliable(result, cell, "latency")
        if point is None:
            message = f"Too few records were measured; {name} needs {round(1 / (1 - share))}."
            doubts.append(Doubt("too_few_operations", message))
        value = float(point.ns) if point else None
        return Measurement(value, _at(cell), doubts, len(_used(cell)))

    return read


def cliff_after(result: RecordsResult, arguments: Arguments) -> Measurement:
    """Return the payload before the earliest permanent fall of the rate; else a lower bound."""
    trials = [(cell, one) for cell in _chosen(result, arguments) for one in _used(cell)]
    faded = _fades(one for _, one in trials)
    falls = [
        (fell.from_bytes, cell, one)
        for cell, one in trials
        if one.cliff and (fell := first_fall(one.cliff.levels))
    ]
    if falls:
        after, cell, one = min(falls, key=lambda fall: fall[0])
        doubts = [*_unreliable(result, cell, "pattern"), *faded]
        return Measurement(float(after), _at(cell, one.id), doubts, len(trials))
    seen = [(one.no_cliff_within_bytes, cell, one) for cell, one in trials]
    longest = max((row for row in seen if row[0]), key=lambda row: row[0] or 0, default=None)
    if longest is None or faded:
        return Measurement(None, doubts=faded or _nothing(result, None))
    within, cell, one = longest
    message = "The rate did not fall permanently within the payload of the longest trial."
    figures = {"measured_bytes": float(within or 0)}
    none = Doubt("censored", message, figures, "lower", strict=True)
    doubts = [none, *_unreliable(result, cell, "pattern")]
    return Measurement(float(within or 0), _at(cell, one.id), doubts, len(trials))
