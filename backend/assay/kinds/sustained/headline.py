"""The headline of a sustained test: its rate, and the highest rate that the storage carries."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.analysis.flags import CODES, EXCLUDED, FlagCode, Rate
from assay.analysis.served_by import Source
from assay.analysis.shape import Shaped
from assay.analysis.statuses import COUNTED, DISTURBED
from assay.kinds.cells import is_sound
from assay.kinds.result import BaseHeadline
from assay.kinds.selected import Selected, selected
from assay.kinds.sustained.fields import NAME, Access, Direction, TestOperation, is_random
from assay.kinds.sustained.figures import (
    CarriedRate,
    LatencyPoint,
    SustainedCell,
    SustainedTrial,
    TrialLevels,
)
from assay.kinds.sustained.modes import NO_MODE, Mode

P99 = 0.99


@dataclass(frozen=True)
class HighestCarried:
    """The highest preset that the storage carries, with its buffer; 0 without one."""

    label: str
    bytes_per_s: int
    buffer_bytes: int


@dataclass(frozen=True)
class MixedFigure:
    """The reads or the writes of a mixed test: means over the repeats, and the p99 of all."""

    operation: Direction
    bytes_per_s: float | None
    iops: float | None
    p99_ns: int | None


@dataclass(frozen=True)
class SustainedFigure:
    """The mean rate of the leading cell over its repeats.

    `bytes_per_s` is null if a trial's rate changed for good; `levels` replace it. `bytes` is what
    the shown trial moved, `no_cliff_within_bytes` the data within which a cliff is excluded,
    `shape` its decline, rise or sawtooth. Random access has `working_set_bytes`. `iops` is the mean
    of the application rate in operations per second, null with levels. `p99_ns` is of the service
    times of all repeats; of a mixed test, `directions` has them apart.
    """

    rate: Rate
    bytes_per_s: float | None
    levels: TrialLevels | None
    bytes: int
    block: int
    offered_bytes_per_s: int | None
    served_by: Source | None
    no_cliff_within_bytes: int | None
    shape: Shaped | None
    carried: HighestCarried | None
    queue_depth: int = 1
    mode: Mode = NO_MODE
    iops: float | None = None
    p99_ns: int | None = None
    working_set_bytes: int | None = None
    directions: list[MixedFigure] = field(default_factory=list[MixedFigure])


@dataclass(frozen=True)
class SweetSpot:
    """The cell of the highest rate whose longest operation stays below the limit."""

    cell: str
    block: int
    rate_bytes_per_s: int | None
    burst_blocks: int | None
    bytes_per_s: float
    peak_ns: int
    limit_ns: int
    queue_depth: int = 1
    mode: Mode = NO_MODE
    iops: float | None = None


class SustainedHeadline(BaseHeadline):
    """The finding of a run; without a figure, `no_result` says why, if trials were measured.

    Of a test that writes and reads at the same time, `figure` is that of its writes, `reads` that
    of the reads in the same cell; `participants` counts its targets.
    """

    kind: Literal["sustained"]
    operation: TestOperation = "write"
    access: Access = "sequential"
    read_percent: int | None = None
    participants: int
    figure: SustainedFigure | None
    reads: SustainedFigure | None = None
    sweet_spot: SweetSpot | None
    no_result: FlagCode | None


def leading_cell(cells: Sequence[SustainedCell]) -> tuple[SustainedCell, Rate] | None:
    """Return the cell with the highest mean of reliable trials, durable if any has it.

    One that the page cache served leads only if it served all.
    """
    rates: tuple[Rate, ...] = ("durable", "application")
    for rate in rates:
        if found := _compared(cells, rate):
            return max(found, key=lambda cell: mean_of(cell, rate) or 0.0), rate
    return None


def _compared(cells: Sequence[SustainedCell], rate: Rate) -> list[SustainedCell]:
    """Return the cells that may lead by a rate: reliable, and not served by the page cache."""
    sound = [
        cell
        for cell in cells
        if any(is_sound(trial, rate) for trial in cell.trials) and mean_of(cell, rate) is not None
    ]
    return [cell for cell in sound if not _is_cached(cell, rate)] or sound


def _is_cached(cell: SustainedCell, rate: Rate) -> bool:
    found = cell.served_by.of(rate) if cell.served_by else None
    return found is not None and found.source == "page_cache"


def mean_of(cell: SustainedCell, rate: Rate) -> float | None:
    """Return a cell's mean rate in bytes per second; null if it was not measured."""
    stat = cell.durable if rate == "durable" else cell.application
    return stat.mean if stat else None


def shown(cell: SustainedCell) -> SustainedTrial | None:
    """Return the trial that represents a cell."""
    return next((trial for trial in cell.trials if trial.id == cell.shown_trial_id), None)


def levels_of(cell: SustainedCell) -> TrialLevels | None:
    """Return the levels that replace a cell's rate: those of the shown trial, else of another."""
    trials = (shown(cell), *cell.trials)
    return next((one.levels for one in trials if one and one.levels and _counts(one)), None)


def sweet_spot(cells: Sequence[SustainedCell], limit_ns: int) -> SweetSpot | None:
    """Return the sweet spot of a sweep; None with a single pace, or if every peak is too long.

    A cell whose rate changed for good has no rate to recommend.
    """
    swept = {
        (cell.block, cell.queue_depth, cell.rate_bytes_per_s, cell.burst_blocks) for cell in cells
    }
    if len(swept) < 2:
        return None
    found = [
        (stat.mean, cell, cell.peak_ns)
        for cell in cells
        if (stat := cell.application)
        and any(is_sound(trial, "application") for trial in cell.trials)
        and cell.peak_ns is not None
        and cell.peak_ns < limit_ns
        and levels_of(cell) is None
    ]
    if not found:
        return None
    mean, cell, peak = max(found, key=lambda one: (not _is_cached(one[1], "application"), one[0]))
    return SweetSpot(
        cell=cell.key,
        block=cell.block,
        rate_bytes_per_s=cell.rate_bytes_per_s,
        burst_blocks=cell.burst_blocks,
        bytes_per_s=mean,
        peak_ns=peak,
        limit_ns=limit_ns,
        queue_depth=cell.queue_depth,
        mode=cell.mode,
        iops=cell.iops.mean if cell.iops else None,
    )


def headline(
    parameters: Mapping[str, Any],
    cells: Sequence[SustainedCell],
    reads: Sequence[SustainedCell],
    participants: int,
    spot: SweetSpot | None,
) -> SustainedHeadline | None:
    """Return the headline; None if nothing was measured.

    `reads` are the cells of the opposite direction, if the test writes and reads.
    """
    leading = leading_cell(cells)
    nothing = None if leading else _no_result(cells)
    if leading is None and nothing is None:
        return None
    shared = parameters["file_size"] * participants if is_random(parameters) else None
    figure = _figure(*leading, shared) if leading else None
    return SustainedHeadline(
        kind=NAME,
        operation=parameters["operation"],
        access=parameters.get("access", "sequential"),
        read_percent=parameters["read_percent"] if parameters["operation"] == "mixed" else None,
        participants=participants,
        figure=figure,
        reads=_reads_beside(reads, leading[0].key, shared) if leading else None,
        sweet_spot=spot if leading else None,
        no_result=nothing,
        selected=_selected(cells, leading[1]) if leading and figure and not figure.levels else None,
    )


def _selected(cells: Sequence[SustainedCell], rate: Rate) -> Selected | None:
    compared = _compared(cells, rate)
    return selected(cell.durable if rate == "durable" else cell.application for cell in compared)


def _reads_beside(
    cells: Sequence[SustainedCell], key: str, shared: int | None
) -> SustainedFigure | None:
    """Return the figure of the reads in a cell; None if none is reliable."""
    cell = next((cell for cell in cells if cell.key == key), None)
    if cell is None or not any(is_sound(trial, "application") for trial in cell.trials):
        return None
    return _figure(cell, "application", shared)


def _figure(cell: SustainedCell, rate: Rate, shared: int | None) -> SustainedFigure:
    """Return a cell's figure; `shared` are the bytes of the working sets of one stream each."""
    trial, sources, levels = shown(cell), cell.served_by, levels_of(cell)
    shown_rate: Rate = "application" if levels and not levels.durable else rate
    source = None
    if sources:
        source = sources.durable if shown_rate == "durable" else sources.application
    return SustainedFigure(
        rate=shown_rate,
        bytes_per_s=None if levels else mean_of(cell, rate),
        levels=levels,
        bytes=trial.bytes if trial else 0,
        block=cell.block,
        offered_bytes_per_s=cell.offered_bytes_per_s,
        served_by=source.source if source else None,
        no_cliff_within_bytes=trial.no_cliff_within_bytes if trial and not levels else None,
        shape=trial.shape if trial and not levels else None,
        carried=highest_carried(cell.carry),
        queue_depth=cell.queue_depth,
        mode=cell.mode,
        iops=cell.iops.mean if cell.iops and not levels else None,
        p99_ns=_p99(cell.latency),
        working_set_bytes=shared * cell.streams if shared else None,
        directions=[
            MixedFigure(
                one.operation,
                one.application.mean if one.application else None,
                one.iops.mean if one.iops else None,
                _p99(one.latency),
            )
            for one in (() if levels else cell.directions)
        ],
    )


def _p99(curve: Sequence[LatencyPoint]) -> int | None:
    return next((point.ns for point in curve if point.share == P99), None)


def _counts(trial: SustainedTrial) -> bool:
    return is_sound(trial, "application")


def highest_carried(carry: Sequence[CarriedRate]) -> HighestCarried | None:
    """Return the highest preset that is carried with a buffer of known size, or without one."""
    found = [
        one
        for one in carry
        if one.carried == "yes" or (one.carried == "buffered" and one.buffer_most_bytes is not None)
    ]
    if not found:
        return None
    most = max(found, key=lambda one: one.bytes_per_s)
    buffer = (most.buffer_most_bytes or 0) if most.carried == "buffered" else 0
    return HighestCarried(most.label, most.bytes_per_s, buffer)


def _no_result(cells: Sequence[SustainedCell]) -> FlagCode | None:
    """Return the flag that excludes most trials; None without one."""
    codes = Counter(
        flag.code
        for cell in cells
        for trial in cell.trials
        if trial.status in (*COUNTED, *DISTURBED)
        for flag in trial.flags
        if flag.code in EXCLUDED
    )
    return max(CODES, key=codes.__getitem__) if codes else None
