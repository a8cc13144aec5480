"""The cells of a records test: the repeats with each record length, and what limits them."""

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from assay.analysis import flags as rules
from assay.analysis.flags import Flag, excluded
from assay.analysis.histogram import merge
from assay.analysis.levels import HeldRate
from assay.analysis.repeats import Repeats, describe
from assay.analysis.statuses import COUNTED
from assay.kinds.cells import state_of
from assay.kinds.records.bottleneck import bottleneck_of
from assay.kinds.records.figures import RecordsCell, RecordsTrial, added
from assay.kinds.records.trials import MeasuredRecords, curve, measured
from assay.kinds.run_record import RunRecord


def cells_of(run: RunRecord) -> list[RecordsCell]:
    """Return the cells of a run in any state, the shortest records first."""
    gathered: dict[int, list[MeasuredRecords]] = {}
    for trial in run.trials:
        gathered.setdefault(trial.parameters["record_bytes"], []).append(measured(run, trial))
    return [
        _cell(run, length, sorted(gathered[length], key=lambda one: one.figures.repeat))
        for length in sorted(gathered)
    ]


def _cell(run: RunRecord, length: int, every: Sequence[MeasuredRecords]) -> RecordsCell:
    trials = [one.figures for one in every]
    counted = [one for one in every if one.figures.status in COUNTED]
    sound = [one for one in counted if is_reliable(one.figures)]
    used = sound or counted
    figures = [one.figures for one in used]
    rate = _repeats(figures, lambda one: one.records_per_s)
    latencies = [one.latency for one in used if one.latency]
    return RecordsCell(
        record_bytes=length,
        state=state_of([(one.status, one.again) for one in trials], len(counted)),
        repeats_done=len(counted),
        repeats_total=len(trials),
        records_per_s=rate,
        bytes_per_s=_repeats(figures, lambda one: one.bytes_per_s),
        stored_bytes_per_s=_repeats(figures, lambda one: one.stored_bytes_per_s),
        durable_bytes_per_s=_repeats(figures, lambda one: one.durable_bytes_per_s),
        expansion=_mean(one.expansion for one in figures),
        receiver_ns_per_record=_mean(one.receiver_ns_per_record for one in figures),
        fairness=min((one.fairness for one in figures if one.fairness is not None), default=None),
        counts=added(one.counts for one in trials if one.counts),
        lost=lost_of(trials),
        latency=curve(merge(latencies)) if latencies else [],
        reliable=bool(sound),
        bottleneck=bottleneck_of(run, length, figures),
        flags=_cell_flags(trials, rate),
        trial_id=_shown(figures),
        trials=trials,
        levels=_levels(figures),
    )


def _levels(trials: Sequence[RecordsTrial]) -> list[HeldRate]:
    """Return the levels in the window of the trial that represents a cell, or of another one."""
    shown = _shown(trials)
    ordered = sorted(trials, key=lambda one: one.id != shown)
    return next((one.levels for one in ordered if one.levels), list[HeldRate]())


def lost_of(trials: Sequence[RecordsTrial]) -> int | None:
    """Return the records that were lost in the trials that ended; None if none is known."""
    known = [one.lost for one in trials if (one.counts or one.left) and one.lost is not None]
    return sum(known) if known else None


def is_reliable(trial: RecordsTrial) -> bool:
    """Return whether a trial's rate counts: nothing excludes it, and its records are whole."""
    whole = trial.counts is None or trial.counts.is_whole
    return whole and not excluded(trial.flags, "application")


def _repeats(
    trials: Sequence[RecordsTrial], value: Callable[[RecordsTrial], float | None]
) -> Repeats | None:
    values = [rate for one in trials if (rate := value(one)) is not None]
    return describe(values) if values else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _shown(trials: Sequence[RecordsTrial]) -> int | None:
    """Return the trial with the median rate; the lower one of two."""
    rated = sorted((one.records_per_s or 0.0, one.id) for one in trials)
    return rated[(len(rated) - 1) // 2][1] if rated else None


def _cell_flags(trials: Sequence[RecordsTrial], rate: Repeats | None) -> list[Flag]:
    found = rules.of_cell([one.flags for one in trials if one.status != "waiting"])
    if rate is None or rate.cv is None:
        return found
    loose = rules.unstable("application", rate.mean, rate.cv * rate.mean)
    return [*found, loose] if loose else found
