"""Reading the metrics of what a source of a given rate needs: buffer, frames, backlog."""

from collections.abc import Callable

from assay.analysis.carry import TOLERANCE, buffer_at
from assay.base.worded import say
from assay.kinds.cells import sound_trials
from assay.kinds.doubts import of_rate
from assay.kinds.metrics import Arguments, Doubt, Measurement
from assay.kinds.sustained.criteria import of_cell
from assay.kinds.sustained.doubts import (
    cut_off,
    disturbed,
    not_measured,
    of_gaps,
    of_growing_queue,
    unreliable,
)
from assay.kinds.sustained.figures import FrameLosses, SustainedCell, SustainedTrial, lost_with
from assay.kinds.sustained.result import SustainedResult
from assay.kinds.sustained.selection import (
    cell_of,
    location,
    measured_trials,
    used_repeats,
    worst_participant,
)


def buffer(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the memory that a source of this rate needs, by the worst repeat of a cell."""
    named, rate = of_cell(arguments), arguments["rate"]
    cell = cell_of(result, named)
    if cell is None or not cell.backlogs or cell.peak_ns is None:
        return Measurement(None, doubts=not_measured(result, named))
    offered = cell.offered_bytes_per_s and cell.offered_bytes_per_s * len(result.participants)
    if offered is not None and cell.burst_blocks and cell.application:
        offered = min(offered, cell.application.mean)  # a burst's own time adds to its gap
    if offered is not None and rate > offered * (1 + TOLERANCE):
        message = say(
            "The rate was not tested: the trial offered {}.", {"bytes_per_s": float(offered)}
        )
        untested = Doubt("not_measured", message, {"offered_bytes_per_s": float(offered)})
        return Measurement(None, location(cell), [untested])
    doubts = [
        *unreliable(result, cell, "application", "burden"),
        *of_gaps(result, [cell], "burden"),
        *of_rate(cell.served_by, "application", "device", "burden"),
    ]
    found = buffer_at(cell.backlogs, rate, cell.peak_ns)
    if found is None or found.most_bytes is None:
        return Measurement(None, location(cell), [*doubts, Doubt("not_measured", "No such rate.")])
    if not found.exact:
        figures = {"least_bytes": float(found.least_bytes), "most_bytes": float(found.most_bytes)}
        message = "The rate lies between two simulated ones, so only bounds are known."
        doubts.append(Doubt("censored", message, figures, "upper"))
    streams = cell.streams * len(result.participants)
    doubts += of_growing_queue(cell, rate, found.most_bytes, streams)
    return Measurement(float(found.most_bytes), location(cell), doubts, used_repeats(cell))


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
    if losses.growing:
        message = "More memory was needed the longer the trial ran: a longer one may lose more."
        doubts.append(Doubt("censored", message, bound="lower"))
    if not lost_with(losses, buffered)[1]:
        message = "Memory for fewer frames was simulated, which loses at least as many."
        doubts.append(Doubt("censored", message, {"frames": float(buffered)}, "upper"))
    return Measurement(float(lost(losses)), location(cell, trial.id), doubts, used_repeats(cell))


def frames_needed(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the frames of memory with which no repeat of a cell would have lost any."""
    worst = _worst_frames(result, arguments, lambda losses: losses.needed)
    if worst is None:
        return Measurement(None, doubts=not_measured(result, arguments))
    cell, trial, losses = worst
    doubts = _of_frames(result, cell, trial)
    if losses.growing:
        message = "More memory was needed the longer the trial ran: a longer one needs more."
        doubts.append(Doubt("censored", message, bound="lower", strict=True))
    return Measurement(float(losses.needed), location(cell, trial.id), doubts, used_repeats(cell))


def _worst_frames(
    result: SustainedResult, arguments: Arguments, value: Callable[[FrameLosses], int]
) -> tuple[SustainedCell, SustainedTrial, FrameLosses] | None:
    """Return the trial of the cell whose frames have the largest value, reliable if one is."""
    cell = cell_of(result, arguments)
    trials = (
        sound_trials(cell.trials, "application") or [t for t in cell.trials if t.is_counted]
        if cell
        else []
    )
    found = [(cell, trial, trial.frames) for trial in trials if cell and trial.frames is not None]
    return max(found, key=lambda one: value(one[2]), default=None)


def _of_frames(result: SustainedResult, cell: SustainedCell, trial: SustainedTrial) -> list[Doubt]:
    """Return the doubts about lost frames."""
    doubts = [
        *unreliable(result, cell, "application", "burden"),
        *cut_off(result, "lower"),
        *of_gaps(result, [cell], "burden"),
        *of_rate(cell.served_by, "application", "device", "burden"),
    ]
    if trial.due_unfinished:
        message = "Frames that were due at the end of the trial had not returned: each may be lost."
        late = {"operations": float(trial.due_unfinished)}
        doubts.append(Doubt("censored", message, late, "lower"))
    return doubts


def late(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the largest backlog against the schedule at the end of a trial."""
    trials = measured_trials(result, arguments)
    paced = [one for one in trials if one[0].offered_bytes_per_s is not None]
    found = [one for one in paced if one[1].backlog_end_bytes is not None]
    if not found:
        return Measurement(None, doubts=not_measured(result, arguments))
    cell, trial = max(found, key=lambda one: one[1].backlog_end_bytes or 0)
    doubts = [
        *cut_off(result, "lower"),
        *of_gaps(result, result.cells, "burden"),
        *disturbed(result, [one for _, one in paced], "application", "burden"),
    ]
    if len(found) < len(paced):
        message = "A trial ended before its last operation was due."
        doubts.append(Doubt("timed_out", message, bound="lower"))
    at = location(cell, trial.id, worst_participant(result, trial, "backlog_end_bytes"))
    return Measurement(float(trial.backlog_end_bytes or 0), at, doubts, len(found))
