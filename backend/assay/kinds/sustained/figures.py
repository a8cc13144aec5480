"""The figures of a sustained test's trials and cells, as API types."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.analysis.carry import Backlog, Carried, Reason
from assay.analysis.flags import Rate
from assay.analysis.repeats import Repeats
from assay.analysis.shape import Shaped, SlowDown
from assay.analysis.steady import Steady
from assay.base.worded import Words
from assay.kinds.cells import ParticipantRates, StorageCell, StorageTrial
from assay.kinds.levels import HeldLevels
from assay.kinds.run_record import Gap
from assay.kinds.sustained.conformance import Conformance, Prepared
from assay.kinds.sustained.fields import Direction, Operation
from assay.kinds.sustained.latencies import LatencyPoint, Syncs
from assay.kinds.sustained.modes import NO_MODE, Mode
from assay.kinds.sustained.presets import Basis
from assay.kinds.sustained.read_back import ReadBackFigures

BUFFERED = tuple(2**power for power in range(11))
"""The memories that the probe simulates, in frames."""


@dataclass(frozen=True)
class Loss:
    """Frames that all streams would have lost, each with memory for `buffered` frames."""

    buffered: int
    dropped: int


@dataclass(frozen=True)
class FrameLosses:
    """The frames of a paced trial: a frame is a file of a sequence, else a block.

    `bytes` is the size of a frame, `count` the frames of all streams, and `needed` the smallest
    memory of a stream, in frames, that would have lost none. `growing`: more was needed the longer
    the trial ran, so a longer one would need more.
    """

    bytes: int
    count: int
    needed: int
    growing: bool
    losses: list[Loss]


def losses_of(detail: Mapping[str, Any]) -> FrameLosses | None:
    """Return the losses that an attempt reports; None without a rate, or without a whole frame."""
    found = detail.get("frames")
    if not found:
        return None
    losses = [Loss(buffered, dropped) for buffered, dropped in found["dropped"]]
    needed, at_end = found["needed"], found["needed_at_end"]
    growing = at_end > max(needed / 4, 2)
    return FrameLosses(found["bytes"], found["count"], needed, growing, losses)


def merged_losses(of_each: Sequence[FrameLosses | None]) -> FrameLosses | None:
    """Return the losses of several participants together; None if those of one are unknown."""
    known = [one for one in of_each if one is not None]
    if not known or len(known) < len(of_each):
        return None
    dropped = Counter[int]()
    for loss in (loss for one in known for loss in one.losses):
        dropped[loss.buffered] += loss.dropped
    return FrameLosses(
        bytes=max(one.bytes for one in known),
        count=sum(one.count for one in known),
        needed=max(one.needed for one in known),
        growing=any(one.growing for one in known),
        losses=[Loss(buffered, dropped[buffered]) for buffered in sorted(dropped)],
    )


def lost_with(losses: FrameLosses, buffered: float) -> tuple[int, bool]:
    """Return the frames lost with memory for `buffered` frames, and whether that is exact.

    Between two memories that were simulated, the losses of the smaller one are an upper bound. The
    memory that was needed and any larger one lose none.
    """
    if buffered >= losses.needed:
        return 0, True
    smaller = [one for one in losses.losses if one.buffered <= buffered]
    if not smaller:
        return losses.count, False
    below = max(smaller, key=lambda one: one.buffered)
    return below.dropped, below.buffered == buffered


@dataclass(frozen=True)
class TrialLevels:
    """The lasting levels of a trial whose rate changed for good.

    Their places count from the trial's start, with its ramp-up and its gaps. `durable`: the data of
    each reached the device.
    """

    held: HeldLevels
    durable: bool


@dataclass(frozen=True)
class TrialDirection:
    """The reads or the writes of a mixed trial, without its ramp-up; only writes are durable.

    `bytes` and `operations` are null if the trial was interrupted: the samples of earlier segments
    only tell about which part of them was read, by which its rates are divided. `peak_ns` is null
    with gaps that delayed operations, which have no direction.
    """

    operation: Direction
    bytes: int | None
    operations: int | None
    application_bytes_per_s: float | None
    durable_bytes_per_s: float | None
    iops: float | None
    peak_ns: int | None
    p99_ns: int | None


@dataclass(frozen=True)
class CellDirection:
    """The reads or the writes of a cell of mixed trials."""

    operation: Direction
    application: Repeats | None
    durable: Repeats | None
    iops: Repeats | None
    peak_ns: int | None
    latency: list[LatencyPoint]
    due_latency: list[LatencyPoint]


@dataclass(frozen=True)
class SlowOperation:
    """One of the slowest operations: its duration, its end since the trial's start, its place.

    `offset` is in the data of its stream.
    """

    ns: int
    end_ns: int
    offset: int
    stream: int
    trial_id: int
    participant_id: int


@dataclass(frozen=True)
class DecidingStretch:
    """The part of a trial that decides whether a rate is carried, and the capacity meanwhile.

    `participant_id` is the participant that decides, of several. `words` say what happened there.
    """

    trial_id: int
    participant_id: int | None
    begin_ns: int
    end_ns: int
    begin_bytes: int
    end_bytes: int
    capacity_bytes_per_s: float
    words: Words


@dataclass(frozen=True)
class CarriedRate:
    """Whether the storage carries a preset's rate, by the worst of the repeats.

    `margin` is capacity ÷ rate − 1. The buffer is between two bounds, equal if `exact`; the upper
    one is null above the highest simulated rate. `by_peak_bytes` is peak time × rate. `reason` is
    why the rate was not tested, or is undecided; `why` is the same in words. Several participants
    are fed with equal parts of the rate: `margin` is that of the slowest, the buffer that of all;
    `aggregate_margin` is that of all capacities together, for load that is spread by them.
    `buffer_words` and the words of the margins say them; null where there is nothing to say.
    """

    key: str
    label: str
    basis: Basis
    bytes_per_s: int
    carried: Carried
    reason: Reason | None
    why: str | None
    margin: float | None
    margin_words: str | None
    aggregate_margin: float | None
    aggregate_margin_words: str | None
    buffer_least_bytes: int | None
    buffer_most_bytes: int | None
    buffer_words: Words | None
    exact: bool
    by_peak_bytes: int | None
    decides: DecidingStretch | None


@dataclass(frozen=True)
class Files:
    """Files created (by a read: opened) and closed during a trial; sums and maxima in ns."""

    count: int
    create_sum_ns: int
    create_max_ns: int
    close_sum_ns: int
    close_max_ns: int


@dataclass(frozen=True, kw_only=True)
class StreamShare(ParticipantRates):
    """One of several participants: its rates in bytes per second, and its share of their sum."""

    share: float | None
    peak_ns: int | None
    p99_ns: int | None = None
    due_peak_ns: int | None = None
    due_p99_ns: int | None = None
    backlog_most_bytes: int | None = None
    backlog_end_bytes: int | None = None


@dataclass(frozen=True, kw_only=True)
class SustainedTrial(StorageTrial):
    """A trial; rates are without its ramp-up.

    `iops` are the operations per second of the application rate. `directions` are the reads and the
    writes of a mixed trial, which as a whole has no durable rate.
    `peak_ns` is the longest operation, `due_peak_ns` the longest from its due time, `stall_ns` the
    longest if it is an outlier. `due_unfinished` operations were due and had not returned at the
    end; they count with the latency reached, as do `unreturned` ones, which were abandoned.
    Backlogs are against the schedule. `frames` is null without a rate, or if the trial was
    interrupted.
    `no_cliff_within_bytes` is the data within which a cliff is excluded; null with
    several levels. `writeback` is when the kernel began to write a write's data back, and the rate
    from then on; null without the page cache, of several participants, and with gaps.
    `conformance` is null unless steady state was judged. `preparation` is null if there was none.
    `verify_errors` sectors of 512 bytes that were read, or read back, did not contain what was
    written.

    Of several participants, the aggregate is over the `window_ns` in which all measured, which
    began `window_from_ns` after the agreed start; rounds of `steady` count from there. Latencies
    and backlogs are those of the worst one.
    """

    participants: Sequence[StreamShare]
    iops: float | None = None
    operations: int = 0
    duration_ns: int = 0
    ramp_ns: int = 0
    ramp_bytes: int = 0
    asleep_ns: int = 0
    footprint_bytes: int = 0
    mark_bytes: int = 0
    peak_ns: int | None = None
    p99_ns: int | None = None
    stall_ns: int | None = None
    due_peak_ns: int | None = None
    due_p99_ns: int | None = None
    due_unfinished: int = 0
    unreturned: int = 0
    backlog_most_bytes: int | None = None
    backlog_end_bytes: int | None = None
    frames: FrameLosses | None = None
    levels: TrialLevels | None = None
    no_cliff_within_bytes: int | None = None
    shape: Shaped | None = None
    slow_down: SlowDown | None = None
    steady: Steady | None = None
    conformance: Conformance | None = None
    preparation: Prepared | None = None
    read_back: ReadBackFigures | None = None
    files: Files | None = None
    syncs: Syncs | None = None
    gaps: list[Gap] = field(default_factory=list[Gap])
    window_from_ns: int | None = None
    fairness: float | None = None
    slowest_participant_id: int | None = None
    directions: list[TrialDirection] = field(default_factory=list[TrialDirection])


@dataclass(frozen=True)
class Contrast:
    """The mean rate of a cell ÷ that of the cell with which the test compares it.

    `p` is Welch's, null if a fixed tolerance decided because a cell has no repeats.
    """

    cell: str
    rate: Rate
    ratio: float
    p: float | None
    significant: bool
    too_few_repeats: bool


@dataclass(frozen=True, kw_only=True)
class SustainedCell(StorageCell):
    """All repeats of one block, queue depth, rate or burst, idle time and mode, in one direction.

    A mixed cell has both as `directions`; its own figures are those of both together. `iops` are
    operations per second of the application rate. Random access has neither `carry` nor
    `backlogs`: it is no stream.

    A test that writes and reads has two cells of each key. `rate_bytes_per_s` and `burst_blocks`
    are those of its writes, `offered_bytes_per_s` is that of the direction; `paced_apart`: its
    reads have a pace of their own, which is only that.

    `shown_trial_id` is the trial with the median rate. `backlogs` has the largest backlog at each
    simulated rate in any repeat; of several participants, those of equal parts of the rate.
    `latency` is of the service times, `due_latency` from the due times of a paced rate; of several
    participants, each point is that of the slowest one there.

    If the test compares caches or priorities, `contrast` is against the first value given:
    priorities within the same cache, caches with the first priorities. It is null where the figures
    do not compare, such as rates of the page cache and of the device.
    """

    key: str
    operation: Operation
    block: int
    streams: int
    rate_bytes_per_s: int | None
    burst_blocks: int | None
    idle_ms: int
    offered_bytes_per_s: int | None
    peak_ns: int | None
    latency: list[LatencyPoint]
    due_latency: list[LatencyPoint]
    carry: list[CarriedRate]
    backlogs: list[Backlog]
    slowest: list[SlowOperation]
    shown_trial_id: int | None
    trials: Sequence[SustainedTrial]
    queue_depth: int = 1
    iops: Repeats | None = None
    directions: list[CellDirection] = field(default_factory=list[CellDirection])
    paced_apart: bool = False
    mode: Mode = NO_MODE
    contrast: Contrast | None = None
