"""Reading the metrics of a sustained test from its result.

Trials with an excluding flag are ignored unless there are no others; then the value is in doubt.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal

from assay.analysis.backlog import buffer_at
from assay.analysis.carry import TOLERANCE
from assay.analysis.flags import Rate
from assay.analysis.repeats import Repeats
from assay.analysis.steady import MOST_ROUNDS
from assay.analysis.words import capital, count
from assay.analysis.words import rate as rate_words
from assay.kinds.cells import is_sound, rate_of
from assay.kinds.doubts import (
    PERCENTILES,
    bounded,
    few_repeats,
    of_rate,
)
from assay.kinds.metrics import (
    Arguments,
    Bound,
    Concern,
    Doubt,
    EvidenceLocation,
    Measurement,
)
from assay.kinds.sustained.axes import chosen, of_cell
from assay.kinds.sustained.doubts import (
    cut_off,
    not_measured,
    of_any_gap,
    of_breaks,
    of_device,
    of_gaps,
    of_growing_queue,
    of_rest,
    of_unreturned,
    unreliable,
)
from assay.kinds.sustained.fields import noun
from assay.kinds.sustained.figures import LatencyPoint, SustainedCell, SustainedTrial
from assay.kinds.sustained.frames import FrameLosses, lost_with
from assay.kinds.sustained.report import trial_words
from assay.kinds.sustained.result import SustainedResult

Read = Callable[[SustainedResult, Arguments], Measurement]
Found = tuple[SustainedCell, SustainedTrial]


def mean(rate: Rate, concern: Concern) -> Read:
    """Return a reader of a cell's mean rate."""

    def read(result: SustainedResult, arguments: Arguments) -> Measurement:
        cell = _cell(result, arguments)
        stat = _stat(cell, rate)
        if cell is None or stat is None:
            return Measurement(None, doubts=not_measured(result, arguments))
        doubts = [*unreliable(result, cell, rate), *of_rate(cell.served_by, rate, concern)]
        for trial in cell.trials:
            if trial.cliff and (rate == "application" or trial.cliff.durable):
                bound: Bound = "upper" if trial.cliff.change > 0 else "lower"
                message = "The rate changed permanently: the mean is a rate that was never reached."
                doubts.append(Doubt("cliff", message, {"change": trial.cliff.change}, bound))
                break
        if rate == "durable" and any(trial.bounded for trial in cell.trials):
            doubts.append(bounded())
        doubts += of_rest(result, cell, rate)
        return Measurement(stat.mean, _at(cell), doubts)

    return read


def least(rate: Rate, concern: Concern) -> Read:
    """Return a reader of a cell's lowest rate."""

    def read(result: SustainedResult, arguments: Arguments) -> Measurement:
        cell = _cell(result, arguments)
        trials = _sound([cell], rate) or (cell.trials if cell else []) if cell else []
        levels = {trial.id: value for trial in trials if (value := _lowest(trial, rate))}
        if cell is None or not levels:
            return Measurement(None, doubts=not_measured(result, arguments))
        slowest = min(levels, key=lambda each: levels[each])
        doubts = [*unreliable(result, cell, rate), *of_rate(cell.served_by, rate, concern)]
        if rate == "durable" and any(trial.id == slowest and trial.bounded for trial in trials):
            doubts.append(bounded())
        doubts += of_rest(result, cell, rate)
        return Measurement(levels[slowest], _at(cell, slowest), doubts)

    return read


def iops(figure: Literal["mean", "min"]) -> Read:
    """Return a reader of a cell's operations per second: the mean of its repeats, or the lowest."""

    def read(result: SustainedResult, arguments: Arguments) -> Measurement:
        cell = _cell(result, arguments)
        per_byte = _operations_per_byte(cell)
        rate = mean if figure == "mean" else least
        found = rate("application", "application")(result, arguments)
        if found.value is None or per_byte is None:
            return replace(found, value=None)
        return replace(found, value=found.value * per_byte)

    return read


def _operations_per_byte(cell: SustainedCell | None) -> float | None:
    """Return the operations of a cell ÷ its bytes, which is the same in all its trials."""
    if cell is None or cell.iops is None or cell.application is None:
        return None
    return cell.iops.mean / cell.application.mean if cell.application.mean else None


def percentile(name: str, *, due: bool) -> Read:
    """Return a reader of a latency percentile of a cell: service times, or from due times."""

    def read(result: SustainedResult, arguments: Arguments) -> Measurement:
        cell = _cell(result, arguments)
        curve: Sequence[LatencyPoint] = ()
        if cell:
            curve = cell.due_latency if due else cell.latency
        if cell is None or not curve:
            return Measurement(None, doubts=not_measured(result, arguments))
        doubts = unreliable(result, cell, "application")
        doubts += of_gaps([cell])
        late = sum(trial.due_unfinished for trial in _sound([cell], "application"))
        if due and late:
            message = (
                f"{capital(count(late, noun(result.operation)))} had not returned at the end of "
                "the trial: their latencies so far were counted."
            )
            doubts.append(Doubt("censored", message, {"operations": float(late)}, "lower"))
        doubts += of_unreturned(result.operation, _sound([cell], "application"))
        share = PERCENTILES[name]
        point = next((one for one in curve if one.share == share), None)
        if point is None:
            message = f"Too few operations were measured; {name} needs {round(1 / (1 - share))}."
            doubts.append(Doubt("too_few_operations", message))
            return Measurement(None, _at(cell), doubts)
        whose = _name(result, point.participant_id)
        return Measurement(float(point.ns), _at(cell, whose=whose), doubts)

    return read


def longest(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the longest operation of the run or of a named cell."""
    found = [one for one in _trials(result, arguments) if one[1].peak_ns is not None]
    if not found:
        return Measurement(None, doubts=not_measured(result, arguments))
    cell, trial = max(found, key=lambda one: one[1].peak_ns or 0)
    doubts = [*cut_off(result, "lower"), *of_any_gap(chosen(result.cells, arguments), "lower")]
    doubts += of_unreturned(result.operation, [one for _, one in found])
    at = _at(cell, trial.id, _worst(result, trial, "peak_ns"))
    return Measurement(float(trial.peak_ns or 0), at, doubts)


def sync_time(figure: Literal["max_ns", "p99_ns"]) -> Read:
    """Return a reader of the longest periodic sync, or of the largest p99, of all trials."""

    def read(result: SustainedResult, arguments: Arguments) -> Measurement:
        found = [
            (value, cell, trial)
            for cell, trial in _trials(result, arguments)
            if trial.syncs and trial.syncs.count and (value := getattr(trial.syncs, figure))
        ]
        if not found:
            return Measurement(None, doubts=not_measured(result, arguments))
        ns, cell, trial = max(found, key=lambda one: one[0])
        doubts = [*cut_off(result, "lower"), *of_gaps(chosen(result.cells, arguments))]
        return Measurement(float(ns), _at(cell, trial.id), doubts)

    return read


def wrong_sectors(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the sectors with wrong data in all trials of the run; of writes, when read back."""
    own = result.of(result.operations[-1])
    if not any(cell.application for cell in own.cells):
        return Measurement(None, doubts=not_measured(own, arguments))
    trials = [trial for cell in own.cells for trial in cell.trials]
    doubts = [*cut_off(own, "lower"), *of_breaks(own.cells, "lower")]
    unread = [one for one in trials if one.read_back is None or not one.read_back.whole]
    # a mixed trial also verifies its reads, and need not be read back
    due = own.operation == "write" or any(one.read_back for one in trials)
    if due and unread:
        message = "Not all files have been read back."
        doubts.append(Doubt("interrupted", message, {"trials": float(len(unread))}, "lower"))
    return Measurement(float(sum(trial.verify_errors for trial in trials)), doubts=doubts)


def cliff_after(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the bytes before the earliest permanent fall of the rate; else a lower bound."""
    found = _trials(result, arguments)
    falls = [
        (trial.cliff.at_bytes, cell, trial)
        for cell, trial in found
        if trial.cliff and trial.cliff.change > 0
    ]
    if falls:
        after, cell, trial = min(falls, key=lambda one: one[0])
        return Measurement(
            float(after), _at(cell, trial.id), [*cut_off(result, None), *of_device(cell)]
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
    )
    return Measurement(
        within, _at(cell, trial.id), [none, *cut_off(result, None), *of_device(cell)]
    )


def slow_down(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the largest slow-down of all trials."""
    found = [one for one in _trials(result, arguments) if one[1].slow_down]
    if not found:
        return Measurement(None, doubts=not_measured(result, arguments))
    shares = [(one[1].slow_down.share, *one) for one in found if one[1].slow_down]
    share, cell, trial = max(shares, key=lambda one: one[0])
    return Measurement(share, _at(cell, trial.id), [*cut_off(result, "lower"), *of_device(cell)])


def steady(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return whether every trial reached steady state."""
    trials = _trials(result, arguments)
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
    return Measurement(float(not loose), _at(cell, trial.id), doubts)


def level(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return whether no trial has a cliff, a decline, a rise or a sawtooth."""
    found = _trials(result, arguments)
    shown = [one for one in found if one[1].cliff or one[1].no_cliff_within_bytes]
    if not shown:
        return Measurement(None, doubts=not_measured(result, arguments))
    uneven = [one for one in shown if one[1].cliff or one[1].shape]
    cell, trial = (uneven or shown)[0]
    doubts = [*cut_off(result, None if not uneven else "upper"), *of_device(cell)]
    if len(shown) < len(found) and not uneven:
        message = "A trial was too short or too disturbed to show a change of its rate."
        doubts.append(Doubt("too_short", message))
    return Measurement(float(not uneven), _at(cell, trial.id), doubts)


def spread(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the coefficient of variation of a cell's repeats."""
    cell = _cell(result, arguments)
    stat = _stat(cell, "durable") or _stat(cell, "application")
    if cell is None or stat is None:
        return Measurement(None, doubts=not_measured(result, arguments))
    doubts = [*unreliable(result, cell, "application"), *few_repeats(stat.n)]
    return Measurement(stat.cv, _at(cell), doubts)


def buffer(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the memory that a source of this rate needs, by the gravest repeat of a cell."""
    named, rate = of_cell(arguments), arguments["rate"]
    cell = _cell(result, named)
    if cell is None or not cell.backlogs or cell.peak_ns is None:
        return Measurement(None, doubts=not_measured(result, named))
    offered = cell.offered_bytes_per_s and cell.offered_bytes_per_s * len(result.participants)
    if offered is not None and cell.burst_blocks and cell.application:
        offered = min(offered, cell.application.mean)  # a burst's own time adds to its gap
    if offered is not None and rate > offered * (1 + TOLERANCE):
        message = f"The rate was not tested: the trial offered {rate_words(offered)}."
        untested = Doubt("not_measured", message, {"offered_bytes_per_s": float(offered)})
        return Measurement(None, _at(cell), [untested])
    doubts = [
        *unreliable(result, cell, "application"),
        *of_gaps([cell]),
        # a cache can only be faster, so the device may need a larger buffer
        *(
            replace(doubt, bound="lower")
            for doubt in of_rate(cell.served_by, "application", "device")
        ),
    ]
    found = buffer_at(cell.backlogs, rate, cell.peak_ns)
    if found is None or found.most_bytes is None:
        return Measurement(None, _at(cell), [*doubts, Doubt("not_measured", "No such rate.")])
    if not found.exact:
        figures = {"least_bytes": float(found.least_bytes), "most_bytes": float(found.most_bytes)}
        message = "The rate lies between two simulated ones, so only bounds are known."
        doubts.append(Doubt("censored", message, figures, "upper"))
    streams = cell.streams * len(result.participants)
    doubts += of_growing_queue(cell, rate, found.most_bytes, streams)
    return Measurement(float(found.most_bytes), _at(cell), doubts)


def dropped(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the frames that the worst repeat of a cell would have lost with so many buffered."""
    buffered = arguments["frames"]

    def lost(losses: FrameLosses) -> int:
        return lost_with(losses, buffered)[0]

    worst = _worst_frames(result, arguments, lost)
    if worst is None:
        return Measurement(None, doubts=not_measured(result, arguments))
    cell, trial, losses = worst
    doubts = _of_frames(result, cell, trial)
    if not lost_with(losses, buffered)[1]:
        message = "Memory for fewer frames was simulated, which loses at least as many."
        doubts.append(Doubt("censored", message, {"frames": float(buffered)}, "upper"))
    return Measurement(float(lost(losses)), _at(cell, trial.id), doubts)


def frames_needed(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the frames of memory with which no repeat of a cell would have lost any."""
    worst = _worst_frames(result, arguments, lambda losses: losses.needed)
    if worst is None:
        return Measurement(None, doubts=not_measured(result, arguments))
    cell, trial, losses = worst
    return Measurement(float(losses.needed), _at(cell, trial.id), _of_frames(result, cell, trial))


def _worst_frames(
    result: SustainedResult, arguments: Arguments, value: Callable[[FrameLosses], int]
) -> tuple[SustainedCell, SustainedTrial, FrameLosses] | None:
    """Return the reliable trial of the cell whose frames have the largest value."""
    cell = _cell(result, arguments)
    found = [
        (cell, trial, trial.frames)
        for trial in _sound([cell], "application")
        if cell and trial.frames is not None
    ]
    return max(found, key=lambda one: value(one[2]), default=None)


def _of_frames(result: SustainedResult, cell: SustainedCell, trial: SustainedTrial) -> list[Doubt]:
    """Return the doubts about lost frames."""
    doubts = [*unreliable(result, cell, "application"), *cut_off(result, "lower"), *of_gaps([cell])]
    # a cache can only be faster, so the device may lose more
    doubts += [
        replace(doubt, bound="lower") for doubt in of_rate(cell.served_by, "application", "device")
    ]
    if trial.frames and trial.frames.growing:
        message = "More memory was needed the longer the trial ran: a longer one needs more."
        doubts.append(Doubt("censored", message, bound="lower"))
    if trial.due_unfinished:
        message = "Frames that were due at the end of the trial had not returned."
        late = {"operations": float(trial.due_unfinished)}
        doubts.append(Doubt("censored", message, late, "lower"))
    return doubts


def recovers_within(result: SustainedResult, _: Arguments) -> Measurement:
    """Return the shortest rest after which the storage was as fast as before its cliff."""
    found = result.recovery
    of_source = {doubt.code: doubt for cell in result.cells for doubt in of_device(cell)}
    doubts = [*cut_off(result, None), *of_gaps(result.cells), *of_source.values()]
    if found is None:
        message = "No trial followed a cliff, so nothing had to recover."
        return Measurement(None, doubts=[*doubts, Doubt("not_measured", message)])
    if found.within_ns is not None:
        trial = next(one for one in found.rests if one.rest_ns == found.within_ns)
        message = "A rest between those that were tried may have been enough."
        doubts.append(Doubt("censored", message, bound="upper"))
        return Measurement(float(found.within_ns), EvidenceLocation(trial.trial_id), doubts)
    if found.beyond_ns is None:
        message = "No rest followed a full cache, or the trials after it were too short."
        return Measurement(None, doubts=[*doubts, Doubt("not_measured", message)])
    trial = next(one for one in found.rests if one.rest_ns == found.beyond_ns)
    message = "No rest that was tried was enough."
    doubts.append(Doubt("censored", message, bound="lower"))
    return Measurement(float(found.beyond_ns), EvidenceLocation(trial.trial_id), doubts)


def late(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the largest backlog against the schedule at the end of a trial."""
    paced = [one for one in _trials(result, arguments) if one[0].offered_bytes_per_s is not None]
    found = [one for one in paced if one[1].backlog_end_bytes is not None]
    if not found:
        return Measurement(None, doubts=not_measured(result, arguments))
    cell, trial = max(found, key=lambda one: one[1].backlog_end_bytes or 0)
    doubts = [*cut_off(result, "lower"), *of_gaps(result.cells)]
    if len(found) < len(paced):
        message = "A trial ended before its last operation was due."
        doubts.append(Doubt("timed_out", message, bound="lower"))
    at = _at(cell, trial.id, _worst(result, trial, "backlog_end_bytes"))
    return Measurement(float(trial.backlog_end_bytes or 0), at, doubts)


def choices(result: SustainedResult, arguments: Arguments) -> int:
    """Return of how many cells the leading one is read."""
    return len(chosen(result.cells, arguments))


def choices_at_rate(result: SustainedResult, arguments: Arguments) -> int:
    """As `choices`, of a metric whose argument `rate` is not the cell's."""
    return choices(result, of_cell(arguments))


def _cell(result: SustainedResult, arguments: Arguments) -> SustainedCell | None:
    """Return the named cell, or the leading one; None if there is none."""
    cells = chosen(result.cells, arguments)
    return next((cell for cell in cells if cell.key == result.leading_cell), None) or (
        cells[0] if len(cells) == 1 else None
    )


def _stat(cell: SustainedCell | None, rate: Rate) -> Repeats | None:
    if cell is None:
        return None
    return cell.durable if rate == "durable" else cell.application


def _sound(cells: Iterable[SustainedCell | None], rate: Rate) -> list[SustainedTrial]:
    return [trial for cell in cells if cell for trial in cell.trials if is_sound(trial, rate)]


def _trials(result: SustainedResult, arguments: Arguments) -> list[Found]:
    """Return the reliable trials of the named cells, or of all."""
    return [
        (cell, trial)
        for cell in chosen(result.cells, arguments)
        for trial in _sound([cell], "application")
    ]


def _worst(
    result: SustainedResult, trial: SustainedTrial, figure: Literal["peak_ns", "backlog_end_bytes"]
) -> str | None:
    """Return the name of the one of several participants whose figure is the trial's."""
    worst = [one for one in trial.participants if getattr(one, figure) == getattr(trial, figure)]
    return _name(result, worst[0].participant_id) if len(worst) == 1 else None


def _name(result: SustainedResult, participant_id: int | None) -> str | None:
    found = next((one for one in result.participants if one.id == participant_id), None)
    return f"{found.host} {found.path or ''}".rstrip() if found else None


def _at(
    cell: SustainedCell, trial_id: int | None = None, whose: str | None = None
) -> EvidenceLocation:
    axes = {
        "block": cell.block,
        "rate_bytes_per_s": cell.rate_bytes_per_s,
        "burst_blocks": cell.burst_blocks,
        "queue_depth": cell.queue_depth,
        "idle_ms": cell.idle_ms or None,
    }
    known = {
        name: value
        for name, value in axes.items()
        if value is not None and (name, value) != ("queue_depth", 1)
    }
    named = trial_words(axes | cell.mode.given)
    return EvidenceLocation(trial_id or cell.shown_trial_id, known, named, whose)


def _lowest(trial: SustainedTrial, rate: Rate) -> float | None:
    """Return a trial's rate, or after a permanent fall the lower level."""
    cliff = trial.cliff
    if cliff and cliff.change > 0 and (rate == "application" or cliff.durable):
        return cliff.after_bytes_per_s
    return rate_of(trial, rate)
