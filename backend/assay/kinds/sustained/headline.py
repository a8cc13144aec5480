"""The headline of a sustained test: its rate, and the highest rate that the storage carries."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import field_validator

from assay.analysis.flags import CODES, EXCLUDED, FlagCode, Rate
from assay.analysis.served_by import Source
from assay.analysis.shape import Shaped
from assay.analysis.statuses import COUNTED, DISTURBED
from assay.kinds.cells import is_sound
from assay.kinds.kind import BaseHeadline
from assay.kinds.sustained.fields import NAME, TestOperation
from assay.kinds.sustained.figures import CarriedRate, CliffLevels, SustainedCell, SustainedTrial
from assay.kinds.sustained.older import completed_figure


@dataclass(frozen=True)
class HighestCarried:
    """The highest preset that the storage carries, with its buffer; 0 without one."""

    label: str
    bytes_per_s: int
    buffer_bytes: int


@dataclass(frozen=True)
class SustainedFigure:
    """The mean rate of the leading cell over its repeats.

    `bytes_per_s` is null if the shown trial has a cliff; `levels` replace it. `bytes` is what that
    trial moved, `no_cliff_within_bytes` the data within which a cliff is excluded, `shape` its
    decline, rise or sawtooth.
    """

    rate: Rate
    bytes_per_s: float | None
    levels: CliffLevels | None
    bytes: int
    block: int
    offered_bytes_per_s: int | None
    served_by: Source | None
    no_cliff_within_bytes: int | None
    shape: Shaped | None
    carried: HighestCarried | None


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


class SustainedHeadline(BaseHeadline):
    """The finding of a run; without a figure, `no_result` says why, if trials were measured.

    Of a test that writes and reads at the same time, `figure` is that of its writes, `reads` that
    of the reads in the same cell; `participants` counts its targets.
    """

    kind: Literal["sustained"]
    operation: TestOperation = "write"
    participants: int
    figure: SustainedFigure | None
    reads: SustainedFigure | None = None
    sweet_spot: SweetSpot | None
    no_result: FlagCode | None

    @field_validator("figure", "reads", mode="before")
    @classmethod
    def _of_older_edition(cls, value: Any) -> Any:
        return completed_figure(value)


def leading_cell(cells: Sequence[SustainedCell]) -> tuple[SustainedCell, Rate] | None:
    """Return the cell with the highest mean of reliable trials, durable if any has it."""
    rates: tuple[Rate, ...] = ("durable", "application")
    for rate in rates:
        sound = [
            (mean, cell)
            for cell in cells
            if any(is_sound(trial, rate) for trial in cell.trials)
            if (mean := mean_of(cell, rate)) is not None
        ]
        if sound:
            return max(sound, key=lambda one: one[0])[1], rate
    return None


def mean_of(cell: SustainedCell, rate: Rate) -> float | None:
    """Return a cell's mean rate in bytes per second; null if it was not measured."""
    stat = cell.durable if rate == "durable" else cell.application
    return stat.mean if stat else None


def shown(cell: SustainedCell) -> SustainedTrial | None:
    """Return the trial that represents a cell."""
    return next((trial for trial in cell.trials if trial.id == cell.shown_trial_id), None)


def sweet_spot(cells: Sequence[SustainedCell], limit_ns: int) -> SweetSpot | None:
    """Return the sweet spot of a sweep; None with a single pace, or if every peak is too long."""
    if len({(cell.block, cell.rate_bytes_per_s, cell.burst_blocks) for cell in cells}) < 2:
        return None
    found = [
        (stat.mean, cell, cell.peak_ns)
        for cell in cells
        if (stat := cell.application)
        and any(is_sound(trial, "application") for trial in cell.trials)
        and cell.peak_ns is not None
        and cell.peak_ns < limit_ns
    ]
    if not found:
        return None
    mean, cell, peak = max(found, key=lambda one: one[0])
    return SweetSpot(
        cell.key, cell.block, cell.rate_bytes_per_s, cell.burst_blocks, mean, peak, limit_ns
    )


def headline(
    operation: TestOperation,
    cells: Sequence[SustainedCell],
    reads: Sequence[SustainedCell],
    participants: int,
    spot: SweetSpot | None,
) -> SustainedHeadline | None:
    """Return the headline; None if nothing was measured.

    `reads` are the cells of the opposite direction, if the test writes and reads.
    """
    leading = leading_cell(cells)
    if leading is None:
        nothing = _no_result(cells)
        if nothing is None:
            return None
        return SustainedHeadline(
            kind=NAME,
            operation=operation,
            participants=participants,
            figure=None,
            sweet_spot=None,
            no_result=nothing,
        )
    cell, rate = leading
    return SustainedHeadline(
        kind=NAME,
        operation=operation,
        participants=participants,
        figure=_figure(cell, rate),
        reads=_reads_beside(reads, cell.key),
        sweet_spot=spot,
        no_result=None,
    )


def _reads_beside(cells: Sequence[SustainedCell], key: str) -> SustainedFigure | None:
    """Return the figure of the reads in a cell; None if none is reliable."""
    cell = next((cell for cell in cells if cell.key == key), None)
    if cell is None or not any(is_sound(trial, "application") for trial in cell.trials):
        return None
    return _figure(cell, "application")


def _figure(cell: SustainedCell, rate: Rate) -> SustainedFigure:
    trial, sources = shown(cell), cell.served_by
    levels = next((t.cliff for t in (trial, *cell.trials) if t and t.cliff and _counts(t)), None)
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
    )


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
