"""Expected durations: what earlier runs took at the same places. Pure.

A trial takes as long as the earlier trials that are nearest to it: of the same variant, with the
most similar block size and number of threads, then of the most similar size. What happens between
trials, and before the first one, is taken from the earlier runs as well.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log2
from statistics import median

from assay.kinds.planning import Extent, PlannedRun


@dataclass(frozen=True)
class EarlierTrials:
    """All trials of one cell of an earlier run, at the participant that took longest.

    `bytes` are what they moved, `app_s` how long that took, `sync_s` how long their final syncs
    took in addition.
    """

    extent: Extent
    trials: int
    bytes: int
    app_s: float
    sync_s: float


@dataclass(frozen=True)
class EarlierRun:
    """An earlier run with the same participants and the same parameters that determine its rates.

    `before_s` is the time before its first trial, `gap_s` the mean time between two trials.
    """

    id: int
    ended_at: datetime
    before_s: float
    gap_s: float
    cells: Sequence[EarlierTrials]


def expected_s(planned: PlannedRun, earlier: Sequence[EarlierRun]) -> float | None:
    """Return how long a planned run takes; None if earlier runs do not tell it for every cell."""
    if not earlier:
        return None
    known = [cell for run in earlier for cell in run.cells]
    limit_s = planned.longest_s / planned.trials
    seconds = 0.0
    for extent in planned.extents:
        nearest = [] if extent is None else _nearest(extent, known)
        if extent is None or not nearest:
            return None
        seconds += median(_trial_s(extent, cell, limit_s) for cell in nearest)
    scale = _size_ratio(planned.extents, known) if planned.prepared_bytes else 1.0
    before = median(run.before_s for run in earlier)
    gap = median(run.gap_s for run in earlier)
    repeats = planned.trials // planned.cells
    return scale * (before + (planned.trials - 1) * gap) + repeats * seconds


def _nearest(extent: Extent, known: Iterable[EarlierTrials]) -> list[EarlierTrials]:
    """Return the cells that are most similar, all of them equally; none of another variant."""
    alike = [
        (_distance(extent, cell.extent), cell)
        for cell in known
        if cell.extent.variant == extent.variant
        and bool(cell.extent.bytes) == bool(extent.bytes)
        and (cell.bytes or not extent.bytes)
    ]
    least = min((distance for distance, _ in alike), default=None)
    return [cell for distance, cell in alike if distance == least]


def _distance(one: Extent, other: Extent) -> tuple[float, float]:
    """Return how many times block and threads double from one to the other, then the size."""
    shape = _doublings(one.block, other.block) + _doublings(one.threads, other.threads)
    return shape, _doublings(one.bytes, other.bytes)


def _doublings(one: int, other: int) -> float:
    return abs(log2(max(1, one)) - log2(max(1, other)))


def _trial_s(extent: Extent, cell: EarlierTrials, limit_s: float) -> float:
    """Return how long a trial takes at the rate of a cell, with its final sync."""
    if not extent.bytes:  # a duration ends it: only what came on top is taken from the earlier ones
        each = (cell.app_s + cell.sync_s) / cell.trials
        return extent.seconds + max(0.0, each - cell.extent.seconds)
    app = extent.bytes * cell.app_s / cell.bytes
    moved = min(1.0, limit_s / app) if app else 1.0
    return moved * (app + extent.bytes * cell.sync_s / cell.bytes)


def _size_ratio(planned: Sequence[Extent | None], known: Sequence[EarlierTrials]) -> float:
    """Return how much larger the largest trial is than that of the earlier runs."""
    largest = max((extent.bytes for extent in planned if extent), default=0)
    before = max((cell.extent.bytes for cell in known), default=0)
    return largest / before if largest and before else 1.0
