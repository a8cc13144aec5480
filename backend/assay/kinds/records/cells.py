"""The cells of a records test: the repeats with each record length, and what limits them."""

from collections.abc import Sequence

from assay.analysis.flags import excluded
from assay.analysis.histogram import merge
from assay.analysis.levels import HeldRate
from assay.analysis.statuses import COUNTED
from assay.kinds.cells import (
    described,
    flags_of,
    median_trial,
    repeats_words,
    state_of,
    with_left_out,
)
from assay.kinds.records.bottleneck import bottleneck_of
from assay.kinds.records.figures import RecordsCell, RecordsTrial, added
from assay.kinds.records.trials import MeasuredRecords, curve, measured
from assay.kinds.run_record import RunRecord
from assay.kinds.transfer.observations import mean


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
    done = [one for one in every if one.figures.status in COUNTED]
    sound = [one for one in done if is_reliable(one.figures)]
    used = sound or done
    figures = [one.figures for one in used]
    rate = described(one.records_per_s for one in figures)
    kept = with_left_out(trials, {"application": figures}, _wrong)
    latencies = [one.latency for one in used if one.latency]
    return RecordsCell(
        record_bytes=length,
        state=state_of(trials, len(done)),
        repeats_done=len(done),
        repeats_total=len(trials),
        records_per_s=rate,
        bytes_per_s=described(one.bytes_per_s for one in figures),
        stored_bytes_per_s=described(one.stored_bytes_per_s for one in figures),
        durable_bytes_per_s=described(one.durable_bytes_per_s for one in figures),
        expansion=mean(one.expansion for one in figures),
        receiver_ns_per_record=mean(one.receiver_ns_per_record for one in figures),
        fairness=min((one.fairness for one in figures if one.fairness is not None), default=None),
        counts=added(one.counts for one in trials if one.counts),
        lost=lost_of(trials),
        latency=curve(merge(latencies)) if latencies else [],
        reliable=bool(sound),
        bottleneck=bottleneck_of(run, length, figures),
        flags=flags_of(trials, [("application", rate)]),
        trial_id=median_trial((one.records_per_s, one.id) for one in figures),
        trials=kept,
        repeats=repeats_words(kept, "application", rate, done=len(done)),
        levels=_levels(figures),
    )


def _levels(trials: Sequence[RecordsTrial]) -> list[HeldRate]:
    """Return the levels in the window of the trial that represents a cell, or of another one."""
    shown = median_trial((one.records_per_s, one.id) for one in trials)
    ordered = sorted(trials, key=lambda one: one.id != shown)
    return next((one.levels for one in ordered if one.levels), list[HeldRate]())


def _wrong(trial: RecordsTrial) -> str | None:
    """Return why a trial does not count whatever its flags are."""
    return None if trial.counts is None or trial.counts.is_whole else "missing_or_wrong_records"


def lost_of(trials: Sequence[RecordsTrial]) -> int | None:
    """Return the records that were lost in the trials that ended; None if none is known."""
    known = [one.lost for one in trials if (one.counts or one.left) and one.lost is not None]
    return sum(known) if known else None


def is_reliable(trial: RecordsTrial) -> bool:
    """Return whether a trial's rate counts: nothing excludes it, and its records are whole."""
    whole = trial.counts is None or trial.counts.is_whole
    return whole and not excluded(trial.flags, "application")
