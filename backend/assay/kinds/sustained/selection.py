"""Which cells, trials and directions a metric is read from, and where a result shows them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from assay.kinds.cells import sound_trials
from assay.kinds.metrics import Arguments, Bound, Doubt, EvidenceLocation, Measurement
from assay.kinds.sustained.criteria import chosen
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


def used_repeats(cell: SustainedCell) -> int:
    """Return how many trials the figures of a cell are of."""
    return cell.application.n if cell.application else cell.repeats_done


def trials_of(result: SustainedResult, arguments: Arguments) -> list[Found]:
    """Return the reliable trials of the named cells, or of all."""
    return [
        (cell, trial)
        for cell in chosen(result.cells, arguments)
        for trial in sound_trials(cell.trials, "application")
    ]


def measured_trials(result: SustainedResult, arguments: Arguments) -> list[Found]:
    """Return the reliable trials of the named cells, or of all; else those that are disturbed."""
    every = [(cell, one) for cell in chosen(result.cells, arguments) for one in cell.trials]
    return trials_of(result, arguments) or [one for one in every if one[1].is_counted]


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


def of_first(read: Read) -> Read:
    """Return a reader of the writes of a test that writes and reads at the same time."""
    return lambda result, arguments: read(result.of(result.operations[0]), arguments)


def of_writes(read: Read) -> Read:
    """Return a reader of the writes of a test."""
    return lambda result, arguments: read(result.of("write"), arguments)


def of_reads(read: Read) -> Read:
    """Return a reader of the reads of a test."""
    return lambda result, arguments: read(result.of("read"), arguments)


def worst(read: Read, *, highest: bool = True, paced: bool = False) -> Read:
    """Return a reader of the highest, or lowest, value of all directions.

    `paced`: only of those with due times.

    A value that is certain counts before one that may be better than it says. Where another one is
    unknown, or may be worse by its own doubts, the value is a bound: how much worse that one may be
    is the other end. Doubts that leave another one better than the value do not concern it.
    """

    def of_all(result: SustainedResult, arguments: Arguments) -> Measurement:
        sides = [result.of(one) for one in result.operations]
        due = [one for one in sides if any(cell.offered_bytes_per_s for cell in one.cells)]
        found = [read(one, arguments) for one in (due if paced and due else sides)]
        known = [one for one in found if one.value is not None]
        if len(found) == 1 or not known:
            return found[0]
        worst = _worst(known, highest=highest)
        others = [d for one in found if one is not worst for d in _beside(one, worst, highest)]
        return replace(worst, doubts=[*worst.doubts, *others])

    return of_all


def _worst(known: Sequence[Measurement], *, highest: bool) -> Measurement:
    """Return the worst value, if any of those that cannot be better than they say."""
    better: Bound = "upper" if highest else "lower"
    certain = [one for one in known if all(doubt.bound != better for doubt in one.doubts)]
    choose = max if highest else min
    return choose(certain or known, key=lambda one: one.value or 0.0)


def _beside(one: Measurement, worst: Measurement, highest: bool) -> list[Doubt]:
    """Return the doubts of another direction by which it may be worse than the worst value."""
    worse: Bound = "lower" if highest else "upper"
    if one.value is None or worst.value is None:
        return [doubt.bounded_by(worse) for doubt in one.doubts]
    found: list[Doubt] = []
    for doubt in one.doubts:
        least, most = doubt.ends(one.value)
        end = most if highest else least
        if end > worst.value if highest else end < worst.value:
            found.append(doubt.bounded_by(worse, end))
    return found
