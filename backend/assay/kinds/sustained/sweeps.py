"""What the cells of a sweep say together: how two differ, and how long the storage must rest."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

from assay.analysis.flags import Rate
from assay.analysis.levels import Held, first_fall, lowest
from assay.analysis.noise import Difference, difference
from assay.analysis.recovery import Recovery, RestedTrial, recovery
from assay.kinds.run_record import AttemptRecord, RunRecord, TrialRecord
from assay.kinds.sustained.figures import Contrast, SustainedCell, SustainedTrial
from assay.kinds.sustained.headline import levels_of
from assay.kinds.sustained.modes import Mode, base_mode


def contrasted(
    cells: Sequence[SustainedCell], parameters: Mapping[str, Any]
) -> list[SustainedCell]:
    """Return the cells of a direction, each contrasted with that of the mode it is compared to."""
    known = {(_setting(one), one.mode): one for one in cells}
    bases = [known.get((_setting(one), base_mode(parameters, one.mode))) for one in cells]
    return [
        replace(one, contrast=_contrast(one, base)) for one, base in zip(cells, bases, strict=True)
    ]


def _setting(cell: SustainedCell) -> tuple[int | None, ...]:
    """Return all parameters of a cell but its mode."""
    return cell.block, cell.queue_depth, cell.rate_bytes_per_s, cell.burst_blocks, cell.idle_ms


def _contrast(cell: SustainedCell, base: SustainedCell | None) -> Contrast | None:
    if base is None or base.key == cell.key:
        return None
    rate: Rate = "durable" if base.durable and cell.durable else "application"
    found = against(base, cell, rate)
    if found is None:
        return None
    return Contrast(base.key, rate, found.ratio, found.p, found.significant, found.too_few)


def against(
    base: SustainedCell | None, cell: SustainedCell | None, rate: Rate
) -> Difference | None:
    """Return the difference of a cell to another one; None if it says nothing about the storage.

    It does not if the page cache served one of both, if the rate of one changed for good, if they
    were paced at different rates, or without reliable repeats of both.
    """
    if base is None or cell is None:
        return None
    own, others = cell.sound_rates(rate), base.sound_rates(rate)
    served = {one.is_cached(rate) for one in (base, cell)}
    offered = {base.offered_bytes_per_s, cell.offered_bytes_per_s}
    changed = levels_of(base) or levels_of(cell)
    if len(served) > 1 or changed or (len(offered) > 1 and None not in offered):
        return None
    return difference(own, others) if own and others else None


CLOCK_NS = 10**9
"""A rest that was shorter by this than the idle time before the trial was not measured reliably."""


def recovered(
    run: RunRecord, cells: Sequence[SustainedCell], leading: SustainedCell | None
) -> Recovery | None:
    """Return what rests restored in the trials of the leading cell's block, pace and mode.

    None without several idle times, of several participants, and if no trial follows a cliff.
    """
    if leading is None or len(run.sites) > 1 or len(run.parameters.get("idle_ms", ())) < 2:
        return None
    alike = [cell for cell in cells if _pace(cell) == _pace(leading)]
    figures = {trial.id: (cell, trial) for cell in alike for trial in cell.trials}
    # what a trial's rest restored is known only if the trial right before it was alike and sound
    rests = {
        later.id: _rest_ns(before, later, *figures[later.id])
        for before, later in pairwise(run.trials)
        if later.id in figures
        and before.id in figures
        and figures[before.id][1].is_sound("application")
    }
    found = [
        one
        for trial in run.trials
        if trial.id in figures
        if (one := _rested(figures[trial.id][1], rests.get(trial.id))) is not None
    ]
    return recovery(found)


def _pace(cell: SustainedCell) -> tuple[int, int, int | None, int | None, Mode]:
    return cell.block, cell.queue_depth, cell.rate_bytes_per_s, cell.burst_blocks, cell.mode


def _rested(trial: SustainedTrial, rest_ns: int | None) -> RestedTrial | None:
    rate = trial.rate("application") if trial.is_sound("application") else None
    if rate is None:
        return None
    if trial.levels is None:
        return RestedTrial(trial.id, rest_ns, trial.bytes, rate, None)
    levels = trial.levels.held
    return RestedTrial(trial.id, rest_ns, trial.bytes, levels[-1].bytes_per_s, _fall(levels))


def _fall(levels: Held) -> tuple[float, float, int] | None:
    """Return the rate before the first fall, the lowest one after it, and the bytes before."""
    fallen = first_fall(levels)
    if fallen is None:
        return None
    place = list(levels).index(fallen)
    before = levels[:place]
    return before[-1].bytes_per_s, lowest(levels[place:]), sum(one.bytes for one in before)


def _rest_ns(
    before: TrialRecord, later: TrialRecord, cell: SustainedCell, figures: SustainedTrial
) -> int | None:
    """Return how long the storage rested before a trial: from the end of the one before it.

    It includes the removal of the earlier files. None if one of both was repeated or interrupted,
    if the trial's preparation wrote, or if the clock was set meanwhile.
    """
    wrote = figures.preparation
    if wrote and (wrote.fill_bytes or wrote.precondition_bytes):
        return None
    first, second = before.deciding[0], later.deciding[0]
    if first is None or second is None or before.attempts > 1 or later.attempts > 1:
        return None
    if first.app_ns is None or not first.started_at or not second.started_at:
        return None
    passed = (second.started_at - first.started_at) // timedelta(microseconds=1) * 1000
    rest_ns = passed - _lasted_ns(first)
    is_reliable = rest_ns >= cell.idle_ms * 10**6 - CLOCK_NS and not figures.gaps
    return rest_ns if is_reliable else None


def _lasted_ns(attempt: AttemptRecord) -> int:
    """Return the duration of an attempt with its final sync."""
    return attempt.durable_ns or attempt.app_ns or 0
