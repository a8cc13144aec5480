"""Which cells and trials a metric is read from, and where a result shows them."""

from collections.abc import Callable, Iterable
from typing import Literal

from assay.analysis.flags import Rate
from assay.kinds.cells import counts, is_sound
from assay.kinds.metrics import Arguments, EvidenceLocation, Measurement
from assay.kinds.sustained.axes import chosen
from assay.kinds.sustained.figures import SustainedCell, SustainedTrial
from assay.kinds.sustained.report import trial_words
from assay.kinds.sustained.result import SustainedResult

Read = Callable[[SustainedResult, Arguments], Measurement]
Found = tuple[SustainedCell, SustainedTrial]


def cell_of(result: SustainedResult, arguments: Arguments) -> SustainedCell | None:
    """Return the named cell, or the leading one; None if there is none."""
    cells = chosen(result.cells, arguments)
    return next((cell for cell in cells if cell.key == result.leading_cell), None) or (
        cells[0] if len(cells) == 1 else None
    )


def sound_trials(cells: Iterable[SustainedCell | None], rate: Rate) -> list[SustainedTrial]:
    """Return the trials of the cells whose rate is reliable."""
    return [trial for cell in cells if cell for trial in cell.trials if is_sound(trial, rate)]


def trials_of(result: SustainedResult, arguments: Arguments) -> list[Found]:
    """Return the reliable trials of the named cells, or of all."""
    return [
        (cell, trial)
        for cell in chosen(result.cells, arguments)
        for trial in sound_trials([cell], "application")
    ]


def measured_trials(result: SustainedResult, arguments: Arguments) -> list[Found]:
    """Return the reliable trials of the named cells, or of all; else those that are disturbed."""
    every = [(cell, one) for cell in chosen(result.cells, arguments) for one in cell.trials]
    return trials_of(result, arguments) or [one for one in every if counts(one[1])]


def worst_participant(
    result: SustainedResult, trial: SustainedTrial, figure: Literal["peak_ns", "backlog_end_bytes"]
) -> str | None:
    """Return the name of the one of several participants whose figure is the trial's."""
    worst = [one for one in trial.participants if getattr(one, figure) == getattr(trial, figure)]
    return participant_name(result, worst[0].participant_id) if len(worst) == 1 else None


def participant_name(result: SustainedResult, participant_id: int | None) -> str | None:
    """Return a participant's host and directory; None if the result has no such participant."""
    found = next((one for one in result.participants if one.id == participant_id), None)
    return f"{found.host} {found.path or ''}".rstrip() if found else None


def location(
    cell: SustainedCell, trial_id: int | None = None, whose: str | None = None
) -> EvidenceLocation:
    """Return where a figure is shown: a cell, one of its trials, and `whose` it is of several."""
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
