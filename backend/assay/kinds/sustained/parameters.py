"""The parameters of a sustained test: its test, the overrides of a campaign, those of a trial."""

from typing import Literal, Self

from pydantic import ConfigDict, Field, model_validator

from assay.http.field_types import RequestBody
from assay.kinds.examples import example
from assay.kinds.fields import (
    Blocks,
    CacheMode,
    FileSize,
    Order,
    RepeatCount,
    SampleInterval,
    Timeout,
    refusal,
)
from assay.kinds.kind import BaseParameters, BaseTest
from assay.kinds.planning import Extent
from assay.kinds.sustained.contradictions import contradictions
from assay.kinds.sustained.fields import (
    Access,
    Bursts,
    Caches,
    Engine,
    FileMode,
    FillPercent,
    Gap,
    Idles,
    IoPriorities,
    IoPriority,
    Length,
    MarkSize,
    Operation,
    Pace,
    Passes,
    PeakLimit,
    Priorities,
    Priority,
    Purge,
    QueueDepths,
    Ramp,
    Rates,
    ReadBack,
    ReadPace,
    ReadPercent,
    ReadRate,
    RingFiles,
    Seed,
    Streams,
    SyncInterval,
    SyncSize,
    TestOperation,
)


class SustainedTest(BaseTest):
    """A long write or read, paced or not.

    Lists of blocks, queue depths, rates or bursts make a sweep; lists of caches and priorities make
    a comparison, with the first of each.

    *Mixed* reads and writes blocks of one working set: `read_percent` of its operations read.
    *Both* writes one ring of files and reads another at the same time, for the same duration; the
    parameters apply to each direction. `read_pace` paces its reads like its writes, or not, or by
    `read_rate_bytes_per_s`. The files of a read are written before each trial. `length` is of all
    streams; a duration reads a ring. `file_size` is that of each file of a sequence or a ring. A
    stream calls fdatasync every `sync_bytes`, or after the first write that ends `sync_ms` after
    its last sync. The threads have the CPU `priority` (`high`: nice −10; `fifo`, `rr`: real time)
    and the `io_priority`. Marks are set every `mark_bytes`. The highest rate of a sweep whose
    longest operation stays below `peak_limit_ns` is its sweet spot.

    With `access` *random*, the operations of a stream visit the blocks of its file in an order that
    follows from the `seed`: each block once, then again in another order. The file, of `file_size`,
    is the working set; it is written before each trial.
    With the engine *io_uring*, each stream has `queue_depth` operations in flight.

    Before each trial the file system is filled until `100 - fill_percent` percent of it are free,
    the working set is written `precondition_passes` times, and the storage rests for
    `idle_ms`. Several idle times show its recovery after a cliff: their trials follow each other in
    the given order, whatever `order` says.
    With `purge` an operator declares that the device was purged, which Assay cannot do.
    With `read_back` the files of a write are read and verified after its final sync.
    """

    model_config = ConfigDict(json_schema_extra=example("sustained", "test"))

    kind: Literal["sustained"]
    operation: TestOperation = "write"
    access: Access = "sequential"
    read_percent: ReadPercent = 70
    seed: Seed = 0
    length: Length
    ramp_ms: Ramp = 0
    block: Blocks = Field(default=[800_000])
    streams: Streams = 1
    file_mode: FileMode = "one"
    file_size: FileSize = 10_000_000_000
    ring_files: RingFiles = 2
    cache: Caches = Field(default=["direct_if_real"])
    engine: Engine = "threads"
    queue_depth: QueueDepths = Field(default=[1])
    pace: Pace = "none"
    rate_bytes_per_s: Rates = Field(default=[125_000_000])
    burst_blocks: Bursts = Field(default=[1])
    gap_ns: Gap = 40_000_000
    quantum_ns: Gap = 0
    read_pace: ReadPace = "same"
    read_rate_bytes_per_s: ReadRate = 125_000_000
    mark_bytes: MarkSize = 100_000_000
    sync_bytes: SyncSize = 0
    sync_ms: SyncInterval = 0
    fill_percent: FillPercent = 0
    purge: Purge = "none"
    precondition_passes: Passes = 0
    idle_ms: Idles = Field(default=[0])
    prepare_timeout_ms: Timeout = 86_400_000
    priority: Priorities = Field(default=["normal"])
    io_priority: IoPriorities = Field(default=["default"])
    read_back: ReadBack = "none"
    peak_limit_ns: PeakLimit = 100_000_000
    timeout_ms: Timeout = 172_800_000
    sync_timeout_ms: Timeout = 3_600_000
    repeats: RepeatCount = 1
    sample_ms: SampleInterval = 1000
    order: Order = "shuffled"

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Its directions."""
        return ("write", "read") if self.operation == "both" else (self.operation,)

    @property
    def paces(self) -> int:
        """Number of rates or bursts."""
        lengths = {"none": 1, "rate": len(self.rate_bytes_per_s), "burst": len(self.burst_blocks)}
        return lengths[self.pace]

    @property
    def cells(self) -> int:
        """Number of parameter combinations."""
        modes = len(self.cache) * len(self.priority) * len(self.io_priority)
        return len(self.block) * len(self.queue_depth) * self.paces * len(self.idle_ms) * modes

    @property
    def trials(self) -> int:
        """Number of trials on one target."""
        return self.cells * self.repeats

    @property
    def reads_back_elsewhere(self) -> bool:
        """Whether another host of the target's file system reads the test files back."""
        return self.read_back == "other_host"

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for one in contradictions(self):
            raise refusal(*one)
        return self


class ResolvedSustained(SustainedTest):
    """A sustained test as a run measures it: resolved values, and the requested as `*_asked`."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=example("sustained", "parameters"))

    length_asked: Length
    block_asked: Blocks
    cache_asked: Caches


class SustainedOverrides(RequestBody):
    """Values that replace those of every test of the profile."""

    access: Access | None = None
    read_percent: ReadPercent | None = None
    seed: Seed | None = None
    length: Length | None = None
    ramp_ms: Ramp | None = None
    block: Blocks | None = None
    streams: Streams | None = None
    file_mode: FileMode | None = None
    file_size: FileSize | None = None
    ring_files: RingFiles | None = None
    cache: Caches | None = None
    engine: Engine | None = None
    queue_depth: QueueDepths | None = None
    pace: Pace | None = None
    rate_bytes_per_s: Rates | None = None
    burst_blocks: Bursts | None = None
    gap_ns: Gap | None = None
    quantum_ns: Gap | None = None
    read_pace: ReadPace | None = None
    read_rate_bytes_per_s: ReadRate | None = None
    mark_bytes: MarkSize | None = None
    sync_bytes: SyncSize | None = None
    sync_ms: SyncInterval | None = None
    fill_percent: FillPercent | None = None
    purge: Purge | None = None
    precondition_passes: Passes | None = None
    idle_ms: Idles | None = None
    prepare_timeout_ms: Timeout | None = None
    priority: Priorities | None = None
    io_priority: IoPriorities | None = None
    read_back: ReadBack | None = None
    peak_limit_ns: PeakLimit | None = None
    timeout_ms: Timeout | None = None
    sync_timeout_ms: Timeout | None = None
    repeats: RepeatCount | None = None
    sample_ms: SampleInterval | None = None
    order: Order | None = None


class SustainedParameters(BaseParameters):
    """The parameters of one trial.

    `queue_depth` is that of each stream.
    `length_bytes` or `duration_ms` is 0, as are the pace's fields that it does not have; sizes are
    whole blocks. `offered_bytes_per_s` is null without pacing. `footprint_bytes` is the size of its
    files, as far as it is known. `cache`, `priority` and `io_priority` are null unless the test
    compares several.
    """

    kind: Literal["sustained"]
    block: int
    streams: int
    length_bytes: int
    duration_ms: int
    file_bytes: int
    files: int
    rate_bytes_per_s: int
    burst_blocks: int
    offered_bytes_per_s: int | None
    mark_bytes: int
    footprint_bytes: int
    idle_ms: int = 0
    queue_depth: int = 1
    cache: CacheMode | None = None
    priority: Priority | None = None
    io_priority: IoPriority | None = None

    @property
    def key(self) -> str:
        """Identifies the cell in the run."""
        paced = f"@{self.rate_bytes_per_s}" if self.rate_bytes_per_s else ""
        burst = f"x{self.burst_blocks}" if self.burst_blocks else ""
        idle = f"+{self.idle_ms}ms" if self.idle_ms else ""
        depth = f"q{self.queue_depth}" if self.queue_depth > 1 else ""
        modes = "".join(f"~{one}" for one in (self.cache, self.priority, self.io_priority) if one)
        return f"{self.block}{depth}{paced}{burst}{idle}{modes}"

    @property
    def extent(self) -> Extent:
        """What the duration of the trial depends on."""
        pace = (self.rate_bytes_per_s, self.burst_blocks, self.idle_ms)
        return Extent(
            self.length_bytes,
            self.duration_ms / 1000,
            self.block,
            self.streams * self.queue_depth,
            (*pace, self.cache, self.priority, self.io_priority),
        )


def offered_bytes_per_s(
    test: SustainedTest, block: int, rate: int, burst_blocks: int
) -> int | None:
    """Return the rate at which data arrives; None without pacing.

    Of bursts it is an upper bound, because a burst's own duration adds to the gap.
    """
    if test.pace == "rate":
        return rate
    if test.pace == "none":
        return None
    gap = test.gap_ns
    if test.quantum_ns:
        gap = -(-gap // test.quantum_ns) * test.quantum_ns
    return test.streams * burst_blocks * block * 10**9 // gap
