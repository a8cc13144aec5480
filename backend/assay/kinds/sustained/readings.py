"""Reading the metrics of a sustained test from its result."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from assay.analysis.flags import Rate, level_figures
from assay.analysis.levels import Held, first_fall, levels_words, lowest
from assay.analysis.steady import MOST_ROUNDS
from assay.base.worded import say
from assay.base.words import capital, count
from assay.kinds.cells import sound_trials
from assay.kinds.doubts import PERCENTILES, bounded, few_repeats, of_levels, of_rate
from assay.kinds.metrics import Arguments, Concern, Doubt, EvidenceLocation, Measurement
from assay.kinds.sustained.criteria import chosen, of_cell
from assay.kinds.sustained.doubts import (
    cut_off,
    disturbed,
    not_measured,
    of_any_gap,
    of_breaks,
    of_device,
    of_gaps,
    of_rest,
    of_unreturned,
    unreliable,
)
from assay.kinds.sustained.fields import noun
from assay.kinds.sustained.figures import SustainedCell, SustainedTrial
from assay.kinds.sustained.latencies import LatencyPoint
from assay.kinds.sustained.result import SustainedResult
from assay.kinds.sustained.selection import (
    Read,
    cell_of,
    location,
    measured_trials,
    participant_name,
    trials_of,
    used_repeats,
    worst_participant,
)
from assay.kinds.writeback import reading


def mean(rate: Rate, concern: Concern) -> Read:
    """Return a reader of a cell's mean rate."""

    def read(result: SustainedResult, arguments: Arguments) -> Measurement:
        cell = cell_of(result, arguments)
        stat = cell and cell.of(rate)
        if cell is None or stat is None:
            return Measurement(None, doubts=not_measured(result, arguments))
        doubts = [*unreliable(result, cell, rate, "rate"), *of_rate(cell.served_by, rate, concern)]
        levels = [
            held
            for one in sound_trials(cell.trials, rate) or cell.trials
            if (held := _held(one, rate))
        ]
        if levels:
            said = say("The rate changed for good: {}.", levels_words(levels[0]))
            doubts += of_levels(stat.mean, levels, said, level_figures(levels[0]))
        if rate == "durable" and any(trial.bounded for trial in cell.trials):
            doubts.append(bounded())
        doubts += of_rest(result, cell, rate)
        return Measurement(stat.mean, location(cell), doubts, stat.n, stat.cv)

    return read


def of_writeback(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return a cell's mean rate from the start of writeback."""
    cell = cell_of(result, arguments)
    return reading(mean("durable", "durability")(result, arguments), cell and cell.writeback)


def least(rate: Rate, concern: Concern) -> Read:
    """Return a reader of a cell's lowest rate."""

    def read(result: SustainedResult, arguments: Arguments) -> Measurement:
        cell = cell_of(result, arguments)
        trials = (sound_trials(cell.trials, rate) or cell.trials) if cell else ()
        levels = {trial.id: value for trial in trials if (value := _lowest(trial, rate))}
        if cell is None or not levels:
            return Measurement(None, doubts=not_measured(result, arguments))
        slowest = min(levels, key=lambda each: levels[each])
        doubts = [*unreliable(result, cell, rate, "rate"), *of_rate(cell.served_by, rate, concern)]
        if rate == "durable" and any(trial.id == slowest and trial.bounded for trial in trials):
            doubts.append(bounded())
        doubts += of_rest(result, cell, rate)
        return Measurement(levels[slowest], location(cell, slowest), doubts, len(levels))

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
        late = sum(trial.due_unfinished for trial in sound_trials(cell.trials, "application"))
        if due and late:
            message = (
                f"{capital(count(late, noun(result.operation)))} had not returned at the end of "
                "the trial: their latencies so far were counted."
            )
            doubts.append(Doubt("censored", message, {"operations": float(late)}, "lower"))
        doubts += of_unreturned(result.operation, sound_trials(cell.trials, "application"))
        share, merged = PERCENTILES[name], used_repeats(cell)
        point = next((one for one in curve if one.share == share), None)
        if point is None:
            message = f"Too few operations were measured; {name} needs {round(1 / (1 - share))}."
            doubts.append(Doubt("too_few_operations", message))
            return Measurement(None, location(cell), doubts, merged)
        whose = participant_name(result, point.participant_id)
        return Measurement(float(point.ns), location(cell, whose=whose), doubts, merged)

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
    return Measurement(float(trial.peak_ns or 0), at, doubts, len(found))


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
        return Measurement(float(ns), location(cell, trial.id), doubts, len(found))

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
    wrong = sum(trial.verify_errors for trial in trials)
    return Measurement(float(wrong), doubts=doubts, repeats=sum(one.is_counted for one in trials))


def spread(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the coefficient of variation of a cell's repeats."""
    cell = cell_of(result, arguments)
    durable = cell and cell.durable
    stat = durable or (cell and cell.application)
    if cell is None or stat is None:
        return Measurement(None, doubts=not_measured(result, arguments))
    rested = of_rest(result, cell, "durable" if durable else "application")
    doubts = [*unreliable(result, cell, "application", "pattern"), *few_repeats(stat.n)]
    doubts += [replace(one, bound=None) for one in rested]
    return Measurement(stat.cv, location(cell), doubts, stat.n)


def choices(result: SustainedResult, arguments: Arguments) -> int:
    """Return of how many cells the leading one is read."""
    return len(chosen(result.cells, arguments))


def choices_at_rate(result: SustainedResult, arguments: Arguments) -> int:
    """As `choices`, of a metric whose argument `rate` is not the cell's."""
    return choices(result, of_cell(arguments))


def _lowest(trial: SustainedTrial, rate: Rate) -> float | None:
    """Return a trial's rate, or its lowest lasting level."""
    levels = _held(trial, rate)
    return lowest(levels) if levels else trial.rate(rate)


def _held(trial: SustainedTrial, rate: Rate) -> Held:
    """Return the levels of a trial's rate; none if it never changed for good."""
    levels = trial.levels
    return levels.held if levels and (rate == "application" or levels.durable) else ()


def cliff_after(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the bytes before the earliest permanent fall of the rate; else a lower bound."""
    found = trials_of(result, arguments)
    falls = [
        (fell.from_bytes, cell, trial)
        for cell, trial in found
        if trial.levels and (fell := first_fall(trial.levels.held))
    ]
    if falls:
        after, cell, trial = min(falls, key=lambda one: one[0])
        return Measurement(
            float(after),
            location(cell, trial.id),
            [*cut_off(result, None), *of_device(cell)],
            len(found),
        )
    seen = [one for one in found if one[1].no_cliff_within_bytes]
    if not seen:
        return Measurement(None, doubts=not_measured(result, arguments))
    cell, trial = max(seen, key=lambda one: one[1].no_cliff_within_bytes or 0)
    within = float(trial.no_cliff_within_bytes or 0)
    none = Doubt(
        "censored",
        "The rate did not fall permanently within the different bytes of the longest trial.",
        {"measured_bytes": within},
        "lower",
        strict=True,
    )
    doubts = [none, *cut_off(result, None), *of_device(cell)]
    return Measurement(within, location(cell, trial.id), doubts, len(seen))


def slow_down(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the largest slow-down of all trials."""
    found = [one for one in trials_of(result, arguments) if one[1].slow_down]
    if not found:
        return Measurement(None, doubts=not_measured(result, arguments))
    shares = [(one[1].slow_down.share, *one) for one in found if one[1].slow_down]
    share, cell, trial = max(shares, key=lambda one: one[0])
    doubts = [*cut_off(result, "lower"), *of_device(cell)]
    return Measurement(share, location(cell, trial.id), doubts, len(found))


def steady(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return whether every trial reached steady state."""
    trials = trials_of(result, arguments)
    found = [(cell, trial) for cell, trial in trials if trial.steady]
    others = [trial for _, trial in trials if trial.steady is None]
    disturbed: list[Doubt] = []
    if any(trial.participants and trial.gaps for trial in others):
        message = "A participant was disturbed, so no rounds of all together were judged."
        disturbed.append(Doubt("interrupted", message))
    if not found:
        return Measurement(None, doubts=disturbed or not_measured(result, arguments))
    loose = [(c, trial) for c, trial in found if trial.steady and not trial.steady.reached]
    cell, trial = (loose or found)[0]
    doubts = [*cut_off(result, None), *of_device(cell), *disturbed]
    given_up = any(t.steady and t.steady.rounds >= MOST_ROUNDS for _, t in loose)
    if (others and not disturbed) or (loose and not given_up):
        message = f"A trial ended before it was steady, and before {MOST_ROUNDS} rounds of 60 s."
        doubts.append(Doubt("too_short", message))
    return Measurement(float(not loose), location(cell, trial.id), doubts, len(found))


def level(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return whether no trial has several levels, a decline, a rise or a sawtooth."""
    found = trials_of(result, arguments)
    shown = [one for one in found if one[1].levels or one[1].no_cliff_within_bytes]
    if not shown:
        return Measurement(None, doubts=not_measured(result, arguments))
    uneven = [one for one in shown if one[1].levels or one[1].shape]
    cell, trial = (uneven or shown)[0]
    doubts = [*cut_off(result, None if not uneven else "upper"), *of_device(cell)]
    if len(shown) < len(found) and not uneven:
        message = "A trial was too short or too disturbed to show a change of its rate."
        doubts.append(Doubt("too_short", message))
    return Measurement(float(not uneven), location(cell, trial.id), doubts, len(shown))


def recovers_within(result: SustainedResult, _: Arguments) -> Measurement:
    """Return the shortest rest after which the storage was as fast as before its cliff."""
    found = result.recovery
    of_source = {doubt.code: doubt for cell in result.cells for doubt in of_device(cell)}
    doubts = [
        *cut_off(result, None),
        *of_gaps(result, result.cells, "pattern"),
        *of_source.values(),
    ]
    if found is None:
        message = "No trial followed a cliff, so nothing had to recover."
        return Measurement(None, doubts=[*doubts, Doubt("not_measured", message)])
    if found.within_ns is not None:
        trial = next(one for one in found.rests if one.rest_ns == found.within_ns)
        message = "A rest between those that were tried may have been enough."
        doubts.append(Doubt("censored", message, bound="upper"))
        at = EvidenceLocation(trial.trial_id)
        return Measurement(float(found.within_ns), at, doubts, len(found.rests))
    if found.beyond_ns is None:
        message = "No rest followed a full cache, or the trials after it were too short."
        return Measurement(None, doubts=[*doubts, Doubt("not_measured", message)])
    trial = next(one for one in found.rests if one.rest_ns == found.beyond_ns)
    message = "No rest that was tried was enough."
    doubts.append(Doubt("censored", message, bound="lower", strict=True))
    at = EvidenceLocation(trial.trial_id)
    return Measurement(float(found.beyond_ns), at, doubts, len(found.rests))
