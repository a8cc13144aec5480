"""The reads and the writes of a mixed trial: what it did in each direction.

Each direction has its exact part of the operations, so its rate is that part of the trial's rate.
Of a trial that was interrupted, the parts of earlier segments are those of their samples.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.analysis import histogram
from assay.kinds.cells import described
from assay.kinds.run_record import Gap
from assay.kinds.sustained.fields import Direction
from assay.kinds.sustained.figures import (
    CellDirection,
    SustainedCell,
    SustainedTrial,
    TrialDirection,
    TrialLevels,
)
from assay.kinds.sustained.latencies import Latencies, curve, longest, percentile, together

DIRECTIONS: tuple[Direction, ...] = ("read", "write")


@dataclass(frozen=True)
class MeasuredDirection:
    """The operations of a trial in one direction, without those of its ramp-up."""

    operation: Direction
    bytes: int
    operations: int
    latencies: Latencies
    due_latencies: Latencies


def directions_of(detail: Mapping[str, Any], participant_id: int) -> list[MeasuredDirection]:
    """Return the directions of a mixed trial of one participant; none of another trial."""
    found = detail.get("directions")
    return [_direction(one, found[one], participant_id) for one in DIRECTIONS] if found else []


def _direction(
    operation: Direction, told: Mapping[str, Any], participant_id: int
) -> MeasuredDirection:
    longest, total = told["lat_max_ns"] or 0, told["lat_sum_ns"]
    due = told["due_hist"]
    return MeasuredDirection(
        operation,
        told["bytes"],
        told["ops"],
        {participant_id: histogram.of_steps(told["hist"], told["lat_min_ns"], longest, total)},
        {participant_id: histogram.of_steps(due, None, told["due_max_ns"] or 0, 0)} if due else {},
    )


def merged(of_each: Sequence[Sequence[MeasuredDirection]]) -> list[MeasuredDirection]:
    """Return the directions of several participants or repeats together; none if one lacks them."""
    if not of_each or not all(of_each):
        return []
    return [
        MeasuredDirection(
            parts[0].operation,
            sum(one.bytes for one in parts),
            sum(one.operations for one in parts),
            together(one.latencies for one in parts),
            together(one.due_latencies for one in parts),
        )
        for parts in zip(*of_each, strict=True)
    ]


def trial_directions(
    measured: Sequence[MeasuredDirection],
    gaps: Sequence[Gap],
    *,
    earlier: Sequence[tuple[int, float | None]] = (),
    application_bytes_per_s: float | None,
    durable_bytes_per_s: float | None,
) -> list[TrialDirection]:
    """Return each direction's part of the rates of a trial.

    What was measured after an interruption is not all, and operations that gaps delayed are in it:
    their longest is unknown.
    `earlier` has the bytes of each segment before it and the part that was read; if one of these is
    unknown, so are the rates.
    """
    shares = _shares(measured, earlier)
    moved = sum(one.bytes for one in measured)
    whole = all(gap.what != "interrupted" for gap in gaps)
    known = all(gap.is_stretch and not gap.delays for gap in gaps)
    return [
        TrialDirection(
            operation=one.operation,
            bytes=one.bytes if whole else None,
            operations=one.operations if whole else None,
            application_bytes_per_s=_part(application_bytes_per_s, shares.get(one.operation)),
            durable_bytes_per_s=_part(durable_bytes_per_s, shares.get(one.operation))
            if one.operation == "write"
            else None,
            iops=_iops(application_bytes_per_s, shares.get(one.operation), measured, moved),
            peak_ns=longest(one.latencies) if known else None,
            p99_ns=percentile(one.latencies, 0.99),
        )
        for one in measured
    ]


def _shares(
    measured: Sequence[MeasuredDirection], earlier: Sequence[tuple[int, float | None]]
) -> dict[Direction, float]:
    """Return which part of all segments' bytes each direction moved; empty if it is unknown."""
    last = {one.operation: one.bytes for one in measured}
    total = sum(last.values()) + sum(size for size, _ in earlier)
    if not total or any(share is None for _, share in earlier):
        return {}
    read = last.get("read", 0) + sum(size * (share or 0) for size, share in earlier)
    return {"read": read / total, "write": 1 - read / total}


def _part(rate: float | None, share: float | None) -> float | None:
    return rate * share if rate is not None and share is not None else None


def _iops(
    rate: float | None, share: float | None, measured: Sequence[MeasuredDirection], moved: int
) -> float | None:
    """Return a direction's operations per second; all have the same block."""
    part = _part(rate, share)
    operations = sum(one.operations for one in measured)
    return part * operations / moved if part is not None and moved else None


def cell_directions(
    trials: Sequence[SustainedTrial],
    measured: Sequence[Sequence[MeasuredDirection]],
) -> list[CellDirection]:
    """Return the directions of a cell from its trials."""
    found: list[CellDirection] = []
    for one in merged(measured):
        own = [d for trial in trials for d in trial.directions if d.operation == one.operation]
        found.append(
            CellDirection(
                operation=one.operation,
                application=described(d.application_bytes_per_s for d in own),
                durable=described(d.durable_bytes_per_s for d in own),
                iops=described(d.iops for d in own),
                peak_ns=_longest([d.peak_ns for d in own]),
                latency=curve(one.latencies),
                due_latency=curve(one.due_latencies),
            )
        )
    return found


def _longest(peaks: Sequence[int | None]) -> int | None:
    """Return the longest; None if one is unknown, which may be longer."""
    known = [peak for peak in peaks if peak is not None]
    return max(known, default=None) if len(known) == len(peaks) else None


def alone(cell: SustainedCell, operation: Direction) -> SustainedCell | None:
    """Return a mixed cell with the figures of one direction only; None if it was not measured."""
    own = next((one for one in cell.directions if one.operation == operation), None)
    if own is None:
        return None
    return replace(
        cell,
        operation=operation,
        application=own.application,
        durable=own.durable,
        iops=own.iops,
        peak_ns=own.peak_ns,
        latency=own.latency,
        due_latency=own.due_latency,
        trials=[_alone(trial, operation) for trial in cell.trials],
    )


def _alone(trial: SustainedTrial, operation: Direction) -> SustainedTrial:
    own = next((one for one in trial.directions if one.operation == operation), None)
    if own is None:
        return trial
    return replace(
        trial,
        application_bytes_per_s=own.application_bytes_per_s,
        durable_bytes_per_s=own.durable_bytes_per_s,
        iops=own.iops,
        peak_ns=own.peak_ns,
        p99_ns=own.p99_ns,
        levels=_part_of(trial.levels, own, trial),
    )


def _part_of(
    levels: TrialLevels | None, own: TrialDirection, trial: SustainedTrial
) -> TrialLevels | None:
    """Return the levels of one direction, which has the same part of each; no read is durable."""
    if levels is None:
        return None
    levels = replace(levels, durable=levels.durable and own.operation == "write")
    if own.application_bytes_per_s is None or not trial.application_bytes_per_s:
        return levels
    part = own.application_bytes_per_s / trial.application_bytes_per_s
    held = [replace(one, bytes_per_s=part * one.bytes_per_s) for one in levels.held]
    return replace(levels, held=held)
