"""Reading rates, latencies, syncs and wrong data of a sustained test from its result.

Trials with an excluding flag are ignored unless there are no others; then the value is in doubt.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from assay.analysis.flags import Rate, level_figures
from assay.analysis.levels import Held, levels_words, lowest
from assay.analysis.repeats import Repeats
from assay.analysis.words import capital, count
from assay.kinds.cells import rate_of
from assay.kinds.doubts import PERCENTILES, bounded, few_repeats, of_levels, of_rate
from assay.kinds.metrics import Arguments, Concern, Doubt, Measurement
from assay.kinds.sustained.axes import chosen, of_cell
from assay.kinds.sustained.doubts import (
    cut_off,
    disturbed,
    not_measured,
    of_any_gap,
    of_breaks,
    of_gaps,
    of_rest,
    of_unreturned,
    unreliable,
)
from assay.kinds.sustained.fields import noun
from assay.kinds.sustained.figures import LatencyPoint, SustainedCell, SustainedTrial
from assay.kinds.sustained.result import SustainedResult
from assay.kinds.sustained.selection import (
    Read,
    cell_of,
    location,
    measured_trials,
    participant_name,
    sound_trials,
    worst_participant,
)
from assay.kinds.writeback import reading


def mean(rate: Rate, concern: Concern) -> Read:
    """Return a reader of a cell's mean rate."""

    def read(result: SustainedResult, arguments: Arguments) -> Measurement:
        cell = cell_of(result, arguments)
        stat = _stat(cell, rate)
        if cell is None or stat is None:
            return Measurement(None, doubts=not_measured(result, arguments))
        doubts = [*unreliable(result, cell, rate, "rate"), *of_rate(cell.served_by, rate, concern)]
        levels = [
            held for one in sound_trials([cell], rate) or cell.trials if (held := _held(one, rate))
        ]
        if levels:
            said = f"The rate changed for good: {levels_words(levels[0])}."
            doubts += of_levels(stat.mean, levels, said, level_figures(levels[0]))
        if rate == "durable" and any(trial.bounded for trial in cell.trials):
            doubts.append(bounded())
        doubts += of_rest(result, cell, rate)
        return Measurement(stat.mean, location(cell), doubts)

    return read


def of_writeback(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return a cell's mean rate from the start of writeback."""
    cell = cell_of(result, arguments)
    return reading(mean("durable", "durability")(result, arguments), cell and cell.writeback)


def least(rate: Rate, concern: Concern) -> Read:
    """Return a reader of a cell's lowest rate."""

    def read(result: SustainedResult, arguments: Arguments) -> Measurement:
        cell = cell_of(result, arguments)
        trials = sound_trials([cell], rate) or (cell.trials if cell else []) if cell else []
        levels = {trial.id: value for trial in trials if (value := _lowest(trial, rate))}
        if cell is None or not levels:
            return Measurement(None, doubts=not_measured(result, arguments))
        slowest = min(levels, key=lambda each: levels[each])
        doubts = [*unreliable(result, cell, rate, "rate"), *of_rate(cell.served_by, rate, concern)]
        if rate == "durable" and any(trial.id == slowest and trial.bounded for trial in trials):
            doubts.append(bounded())
        doubts += of_rest(result, cell, rate)
        return Measurement(levels[slowest], location(cell, slowest), doubts)

    return read


def iops(figure: Literal["mean", "min"]) -> Read:
    """Return a reader of a cell's operations per second: the mean of its repeats, or the lowest."""

    def read(result: SustainedResult, arguments: Arguments) -> Measurement:
        cell = cell_of(result, arguments)
        per_byte = _operations_per_byte(cell)
        rate = mean if figure == "mean" else least
        found = rate("application", "application")(result, arguments)
        if found.value is None or per_byte is None:
            return replace(found, value=None)
        doubts = [doubt.scaled(per_byte) for doubt in found.doubts]
        return replace(found, value=found.value * per_byte, doubts=doubts)

    return read


def _operations_per_byte(cell: SustainedCell | None) -> float | None:
    """Return the operations of a cell ÷ its bytes, which is the same in all its trials."""
    if cell is None or cell.iops is None or cell.application is None:
        return None
    return cell.iops.mean / cell.application.mean if cell.application.mean else None


def percentile(name: str, *, due: bool) -> Read:
    """Return a reader of a latency percentile of a cell: service times, or from due times."""

    def read(result: SustainedResult, arguments: Arguments) -> Measurement:
        cell = cell_of(result, arguments)
        curve: Sequence[LatencyPoint] = ()
        if cell:
            curve = cell.due_latency if due else cell.latency
        if cell is None or not curve:
            return Measurement(None, doubts=not_measured(result, arguments))
        doubts = unreliable(result, cell, "application", "latency")
        doubts += of_gaps(result, [cell], "latency")
        late = sum(trial.due_unfinished for trial in sound_trials([cell], "application"))
        if due and late:
            message = (
                f"{capital(count(late, noun(result.operation)))} had not returned at the end of "
                "the trial: their latencies so far were counted."
            )
            doubts.append(Doubt("censored", message, {"operations": float(late)}, "lower"))
        doubts += of_unreturned(result.operation, sound_trials([cell], "application"))
        share = PERCENTILES[name]
        point = next((one for one in curve if one.share == share), None)
        if point is None:
            message = f"Too few operations were measured; {name} needs {round(1 / (1 - share))}."
            doubts.append(Doubt("too_few_operations", message))
            return Measurement(None, location(cell), doubts)
        whose = participant_name(result, point.participant_id)
        return Measurement(float(point.ns), location(cell, whose=whose), doubts)

    return read


def longest(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the longest operation of the run or of a named cell."""
    found = [one for one in measured_trials(result, arguments) if one[1].peak_ns is not None]
    if not found:
        return Measurement(None, doubts=not_measured(result, arguments))
    cell, trial = max(found, key=lambda one: one[1].peak_ns or 0)
    doubts = [*cut_off(result, "lower"), *of_any_gap(chosen(result.cells, arguments), "lower")]
    trials = [one for _, one in found]
    doubts += of_unreturned(result.operation, trials)
    doubts += disturbed(result, trials, "application", "latency")
    at = location(cell, trial.id, worst_participant(result, trial, "peak_ns"))
    return Measurement(float(trial.peak_ns or 0), at, doubts)


def sync_time(figure: Literal["max_ns", "p99_ns"]) -> Read:
    """Return a reader of the longest periodic sync, or of the largest p99, of all trials."""

    def read(result: SustainedResult, arguments: Arguments) -> Measurement:
        found = [
            (value, cell, trial)
            for cell, trial in measured_trials(result, arguments)
            if trial.syncs and trial.syncs.count and (value := getattr(trial.syncs, figure))
        ]
        if not found:
            return Measurement(None, doubts=not_measured(result, arguments))
        ns, cell, trial = max(found, key=lambda one: one[0])
        doubts = [
            *cut_off(result, "lower"),
            *of_gaps(result, chosen(result.cells, arguments), "latency"),
            *disturbed(result, [one for _, _, one in found], "application", "latency"),
        ]
        return Measurement(float(ns), location(cell, trial.id), doubts)

    return read


def wrong_sectors(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the sectors with wrong data in all trials of the run; of writes, when read back."""
    own = result.of(result.operations[-1])
    if not any(cell.application for cell in own.cells):
        return Measurement(None, doubts=not_measured(own, arguments))
    trials = [trial for cell in own.cells for trial in cell.trials]
    doubts = [*cut_off(own, "lower"), *of_breaks(own.cells, "defects")]
    unread = [one for one in trials if one.read_back is None or not one.read_back.whole]
    # a mixed trial also verifies its reads, and need not be read back
    due = own.operation == "write" or any(one.read_back for one in trials)
    if due and unread:
        message = "Not all files have been read back."
        doubts.append(Doubt("interrupted", message, {"trials": float(len(unread))}, "lower"))
    return Measurement(float(sum(trial.verify_errors for trial in trials)), doubts=doubts)


def spread(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the coefficient of variation of a cell's repeats."""
    cell = cell_of(result, arguments)
    durable = _stat(cell, "durable")
    stat = durable or _stat(cell, "application")
    if cell is None or stat is None:
        return Measurement(None, doubts=not_measured(result, arguments))
    rested = of_rest(result, cell, "durable" if durable else "application")
    doubts = [*unreliable(result, cell, "application", "pattern"), *few_repeats(stat.n)]
    doubts += [replace(one, bound=None) for one in rested]
    return Measurement(stat.cv, location(cell), doubts)


def choices(result: SustainedResult, arguments: Arguments) -> int:
    """Return of how many cells the leading one is read."""
    return len(chosen(result.cells, arguments))


def choices_at_rate(result: SustainedResult, arguments: Arguments) -> int:
    """As `choices`, of a metric whose argument `rate` is not the cell's."""
    return choices(result, of_cell(arguments))


def _stat(cell: SustainedCell | None, rate: Rate) -> Repeats | None:
    if cell is None:
        return None
    return cell.durable if rate == "durable" else cell.application


def _lowest(trial: SustainedTrial, rate: Rate) -> float | None:
    """Return a trial's rate, or its lowest lasting level."""
    levels = _held(trial, rate)
    return lowest(levels) if levels else rate_of(trial, rate)


def _held(trial: SustainedTrial, rate: Rate) -> Held:
    """Return the levels of a trial's rate; none if it never changed for good."""
    levels = trial.levels
    return levels.held if levels and (rate == "application" or levels.durable) else ()
