"""The headline of a sustained test: its rate, and the highest rate that the storage carries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.analysis.flags import FlagCode, Rate
from assay.analysis.levels import levels_words
from assay.analysis.served_by import Source
from assay.analysis.shape import Shaped
from assay.base.worded import Part, Quantity, Words, joined, say
from assay.kinds.cells import excluding_flags, most_frequent
from assay.kinds.headline import (
    BaseHeadline,
    HeadlineWords,
    doubt_of,
    excluded_words,
    nothing,
    targets_words,
    unknown_source,
)
from assay.kinds.selected import Selected, selected
from assay.kinds.sustained.fields import NAME, Access, Direction, TestOperation, is_random
from assay.kinds.sustained.figures import CarriedRate, SustainedCell, SustainedTrial, TrialLevels
from assay.kinds.sustained.latencies import LatencyPoint
from assay.kinds.sustained.modes import NO_MODE, Mode, mode_words

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

    def worded(self) -> HeadlineWords:
        """Return the rate of the leading cell, and the highest rate that is carried."""
        figure = self.figure
        if figure is None:
            return nothing(excluded_words(self.no_result))
        doubt = doubt_of(figure.served_by)
        if self.access == "random" and self.operation != "both":
            return self._of_random(figure, doubt)
        rate = "read" if self.operation == "read" else figure.rate
        if self.operation == "both":
            ingest = self._of_figure(figure, f"{rate} ingest", self.sweet_spot)
            rest = say("{}; {}", ingest, self._playout())
        else:
            rest = self._of_figure(figure, rate, self.sweet_spot)
        if figure.levels:
            return HeadlineWords(doubt, None, say("{} {}", levels_words(figure.levels.held), rest))
        return HeadlineWords(doubt, {"bytes_per_s": figure.bytes_per_s or 0.0}, rest)

    def _playout(self) -> Words:
        """Return what the reads reached beside the writes."""
        if self.reads is None:
            return "playout without a reliable result"
        doubt = doubt_of(self.reads.served_by)
        playout = self._of_figure(self.reads, "playout", None)
        return say("{}{} {}", f"{doubt.lower()}: " if doubt else "", _reached(self.reads), playout)

    def _of_figure(self, figure: SustainedFigure, rate: str, spot: SweetSpot | None) -> Words:
        """Return what follows a rate: its name, what it covers, and what it carries."""
        over = "" if figure.levels else say(" over {}", {"bytes": figure.bytes})
        covered = say("{}{}{}", rate, over, targets_words(self.participants))
        parts: list[Part] = [covered, mode_words(figure.mode.given), *_course(figure)]
        return say(
            "{}{}{}{}",
            joined(", ", parts),
            _carried(figure.carried, self.participants),
            _spot(spot, self.operation),
            unknown_source(figure.served_by),
        )

    def _of_random(self, figure: SustainedFigure, doubt: str | None) -> HeadlineWords:
        """Return the headline of random access, whose figure is its operations per second."""
        covered: list[Part] = [
            say("{} of {} blocks", self._access, {"block_bytes": figure.block}),
            f"at queue depth {figure.queue_depth}" if figure.queue_depth > 1 else "",
            say("over a working set of {}", {"bytes": figure.working_set_bytes})
            if figure.working_set_bytes
            else "",
        ]
        parts: list[Part] = [
            say("{}{}", joined(" ", covered), targets_words(self.participants)),
            mode_words(figure.mode.given),
            *_latencies(figure),
            *_course(figure),
        ]
        rest = say(
            "{}{}{}",
            joined(", ", parts),
            _spot(self.sweet_spot, self.operation),
            unknown_source(figure.served_by),
        )
        if figure.iops is None:
            return HeadlineWords(doubt, None, say("{} {}", _reached(figure), rest))
        durable = " durable" if figure.rate == "durable" else ""
        reached = say("({}{}) {}", _reached(figure), durable, rest)
        return HeadlineWords(doubt, {"iops": figure.iops}, reached)

    @property
    def _access(self) -> str:
        """What a random test does: `random read and write (70 % reads)`."""
        if self.operation == "mixed":
            return f"random read and write ({self.read_percent} % reads)"
        return f"random {self.operation}"


def _reached(figure: SustainedFigure) -> Words:
    """Return a figure's rate, or its levels."""
    if figure.levels:
        return levels_words(figure.levels.held)
    return say("{}", {"bytes_per_s": figure.bytes_per_s or 0.0})


def _latencies(figure: SustainedFigure) -> list[Words]:
    """Return the p99 latency; of a mixed test the IOPS and the p99 of both directions."""
    if not figure.directions:
        return [] if figure.p99_ns is None else [say("p99 {}", {"latency_ns": figure.p99_ns})]
    return [
        say(
            "{}s {}{}",
            one.operation,
            {"iops": one.iops},
            "" if one.p99_ns is None else say(" with p99 {}", {"latency_ns": one.p99_ns}),
        )
        for one in figure.directions
        if one.iops is not None
    ]


def _course(figure: SustainedFigure) -> list[Words]:
    """Return what is known of a figure over time: no cliff, or a shape."""
    within, shape = figure.no_cliff_within_bytes, figure.shape
    return [
        *([] if within is None else [say("no cliff within {}", {"bytes": within})]),
        *([shape_words(shape)] if shape else []),
    ]


def shape_words(shape: Shaped) -> Words:
    """Return a shape: `a steady decline by 40 % of the mean`."""
    change: Quantity = {"share": abs(shape.change)}
    if shape.shape == "sawtooth":
        every: Quantity = {"duration_ns": shape.period_ns or 0}
        return say("a sawtooth of {} of the mean every {}", change, every)
    return say("a steady {} by {} of the mean", shape.shape, change)


def _carried(carried: HighestCarried | None, participants: int) -> Words:
    if carried is None:
        return ""
    size: Quantity = {"bytes": carried.buffer_bytes}
    buffer = say(" with {} of buffer", size) if carried.buffer_bytes else ""
    evenly = " spread evenly" if participants > 1 else ""
    return say("; carries {}{}{}", carried.label, evenly, buffer)


def _spot(spot: SweetSpot | None, operation: TestOperation) -> Words:
    """Return the sweet spot: `; sweet spot 125 MB/s (direct I/O) with a peak write time of …`."""
    if spot is None:
        return ""
    depth: Words = ""
    if spot.queue_depth > 1 and spot.iops is not None:
        depth = say("{} at queue depth {}", {"iops": spot.iops}, str(spot.queue_depth))
    cell = joined(", ", [depth, mode_words(spot.mode.given)])
    return say(
        "; sweet spot {}{} with a peak {} time of {}",
        {"bytes_per_s": spot.bytes_per_s},
        say(" ({})", cell) if cell else "",
        {"read": "read", "mixed": "operation"}.get(operation, "write"),
        {"latency_ns": spot.peak_ns},
    )


def leading_cell(cells: Sequence[SustainedCell]) -> tuple[SustainedCell, Rate] | None:
    """Return the cell with the highest mean of reliable trials, durable if any has it.

    One that the page cache served leads only if it served all.
    """
    rates: tuple[Rate, ...] = ("durable", "application")
    for rate in rates:
        if found := _compared(cells, rate):
            return max(found, key=lambda cell: cell.mean(rate) or 0.0), rate
    return None


def _compared(cells: Sequence[SustainedCell], rate: Rate) -> list[SustainedCell]:
    """Return the cells that may lead by a rate: reliable, and not served by the page cache."""
    sound = [cell for cell in cells if cell.is_sound(rate) and cell.mean(rate) is not None]
    return [cell for cell in sound if not cell.is_cached(rate)] or sound


def shown(cell: SustainedCell) -> SustainedTrial | None:
    """Return the trial that represents a cell."""
    return next((trial for trial in cell.trials if trial.id == cell.shown_trial_id), None)


def levels_of(cell: SustainedCell) -> TrialLevels | None:
    """Return the levels that replace a cell's rate: those of the shown trial, else of another."""
    trials = (shown(cell), *cell.trials)
    return next(
        (one.levels for one in trials if one and one.levels and one.is_sound("application")), None
    )


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
        and cell.is_sound("application")
        and cell.peak_ns is not None
        and cell.peak_ns < limit_ns
        and levels_of(cell) is None
    ]
    if not found:
        return None
    mean, cell, peak = max(found, key=lambda one: (not one[1].is_cached("application"), one[0]))
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
    trials = (trial for cell in cells for trial in cell.trials)
    nothing = None if leading else most_frequent(excluding_flags(trials))
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
    return selected(cell.of(rate) for cell in _compared(cells, rate))


def _reads_beside(
    cells: Sequence[SustainedCell], key: str, shared: int | None
) -> SustainedFigure | None:
    """Return the figure of the reads in a cell; None if none is reliable."""
    cell = next((cell for cell in cells if cell.key == key), None)
    if cell is None or not cell.is_sound("application"):
        return None
    return _figure(cell, "application", shared)


def _figure(cell: SustainedCell, rate: Rate, shared: int | None) -> SustainedFigure:
    """Return a cell's figure; `shared` are the bytes of the working sets of one stream each."""
    trial, levels = shown(cell), levels_of(cell)
    shown_rate: Rate = "application" if levels and not levels.durable else rate
    return SustainedFigure(
        rate=shown_rate,
        bytes_per_s=None if levels else cell.mean(rate),
        levels=levels,
        bytes=trial.bytes if trial else 0,
        block=cell.block,
        offered_bytes_per_s=cell.offered_bytes_per_s,
        served_by=cell.source(shown_rate),
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
