"""The figures of a sustained test's trials and cells, as API types."""

from dataclasses import dataclass, field

from assay.analysis.backlog import Backlog
from assay.analysis.carry import Carried, Reason
from assay.analysis.contention import Contention
from assay.analysis.flags import Flag, Rate
from assay.analysis.repeats import Repeats
from assay.analysis.shape import Shaped
from assay.analysis.slow_down import SlowDown
from assay.analysis.steady import Steady
from assay.analysis.writeback import WritebackRate
from assay.kinds.cells import CellState, SourcesOfRates
from assay.kinds.levels import HeldLevels
from assay.kinds.run_record import Gap
from assay.kinds.sustained.conformance import Conformance, Prepared
from assay.kinds.sustained.fields import Direction, Operation
from assay.kinds.sustained.frames import FrameLosses
from assay.kinds.sustained.modes import NO_MODE, Mode
from assay.kinds.sustained.presets import Basis
from assay.kinds.sustained.read_back import ReadBackFigures
from assay.kinds.sustained.syncs import Syncs


@dataclass(frozen=True)
class TrialLevels:
    """The lasting levels of a trial whose rate changed for good.

    Their places count from the trial's start, with its ramp-up and its gaps. `durable`: the data of
    each reached the device.
    """

    held: HeldLevels
    durable: bool


@dataclass(frozen=True)
class LatencyPoint:
    """A latency that a share of the operations did not exceed; the share 1 has the longest.

    Of several participants it is the highest one, and `participant_id` is whose it is.
    """

    share: float
    ns: int
    participant_id: int | None = None


@dataclass(frozen=True)
class TrialDirection:
    """The reads or the writes of a mixed trial, without its ramp-up; only writes are durable.

    `bytes` and `operations` are null if the trial was interrupted: the samples of earlier segments
    only tell about which part of them was read, by which its rates are divided; null if an older
    version stored them. `peak_ns` is null with gaps that delayed operations, which have no
    direction.
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

    `participant_id` is the participant that decides, of several.
    """

    trial_id: int
    participant_id: int | None
    begin_ns: int
    end_ns: int
    begin_bytes: int
    end_bytes: int
    capacity_bytes_per_s: float


@dataclass(frozen=True)
class CarriedRate:
    """Whether the storage carries a preset's rate, by the gravest of the repeats.

    `margin` is capacity ÷ rate − 1. The buffer is between two bounds, equal if `exact`; the upper
    one is null above the highest simulated rate. `by_peak_bytes` is peak time × rate. `reason` says
    why the rate was not tested, or is undecided. Several participants are fed with equal parts of
    the rate: `margin` is that of the slowest, the buffer that of all; `aggregate_margin` is that of
    all capacities together, for load that is spread by them.
    """

    key: str
    label: str
    basis: Basis
    bytes_per_s: int
    carried: Carried
    reason: Reason | None
    margin: float | None
    aggregate_margin: float | None
    buffer_least_bytes: int | None
    buffer_most_bytes: int | None
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


@dataclass(frozen=True)
class StreamShare:
    """One of several participants: its rates in bytes per second, and its share of their sum."""

    participant_id: int
    status: str
    reason: str | None
    bytes: int
    application_bytes_per_s: float | None
    durable_bytes_per_s: float | None
    share: float | None
    peak_ns: int | None
    start_delay_ns: int | None
    p99_ns: int | None = None
    due_peak_ns: int | None = None
    due_p99_ns: int | None = None
    backlog_most_bytes: int | None = None
    backlog_end_bytes: int | None = None


@dataclass(frozen=True)
class SustainedTrial:
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

    id: int
    repeat: int
    status: str
    reason: str | None = None
    attempts: int = 0
    flags: list[Flag] = field(default_factory=list[Flag])
    application_bytes_per_s: float | None = None
    durable_bytes_per_s: float | None = None
    iops: float | None = None
    bounded: bool = False
    bytes: int = 0
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
    verify_errors: int = 0
    slow_down: SlowDown | None = None
    steady: Steady | None = None
    conformance: Conformance | None = None
    preparation: Prepared | None = None
    read_back: ReadBackFigures | None = None
    files: Files | None = None
    syncs: Syncs | None = None
    contention: Contention | None = None
    gaps: list[Gap] = field(default_factory=list[Gap])
    writeback: WritebackRate | None = None
    window_ns: int | None = None
    window_from_ns: int | None = None
    fairness: float | None = None
    slowest_participant_id: int | None = None
    participants: list[StreamShare] = field(default_factory=list[StreamShare])
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


@dataclass(frozen=True)
class SustainedCell:
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
    state: CellState
    repeats_done: int
    repeats_total: int
    durable: Repeats | None
    application: Repeats | None
    served_by: SourcesOfRates | None
    flags: list[Flag]
    peak_ns: int | None
    latency: list[LatencyPoint]
    due_latency: list[LatencyPoint]
    carry: list[CarriedRate]
    backlogs: list[Backlog]
    slowest: list[SlowOperation]
    shown_trial_id: int | None
    trials: list[SustainedTrial]
    queue_depth: int = 1
    iops: Repeats | None = None
    directions: list[CellDirection] = field(default_factory=list[CellDirection])
    paced_apart: bool = False
    mode: Mode = NO_MODE
    writeback: WritebackRate | None = None
    contrast: Contrast | None = None
