"""The parameters of a sustained test: its test, the overrides of a campaign, those of a trial."""

from typing import Literal, Self

from pydantic import ConfigDict, Field, model_validator

from assay.analysis.words import span
from assay.http.field_types import RequestBody
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
from assay.kinds.sustained.access import refused
from assay.kinds.sustained.examples import PARAMETERS, TEST
from assay.kinds.sustained.fields import (
    FASTEST_PACE_NS,
    MOST_CELLS,
    MOST_RING_FILES,
    MOST_TRIALS,
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
    duration_ms,
)


def _span(ms: int) -> str:
    return span(ms * 10**6)


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

    model_config = ConfigDict(json_schema_extra={"examples": [TEST]})

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
        lasting = duration_ms(self.length)
        for one in refused(self):
            raise refusal(*one)
        self._refuse_what_both_cannot_do(lasting)
        self._refuse_what_a_read_cannot_do(lasting)
        if lasting is not None and self.ramp_ms >= lasting:
            raise refusal(
                "ramp_ms",
                self.ramp_ms,
                f"is {_span(self.ramp_ms)}, but the trial lasts only {_span(lasting)}",
                "Use a shorter ramp-up or a longer trial.",
            )
        if self.file_mode == "ring" and self.ring_files * self.streams > MOST_RING_FILES:
            raise refusal(
                "ring_files",
                self.ring_files,
                f"makes {self.ring_files * self.streams} files of {self.streams} streams; "
                f"the maximum is {MOST_RING_FILES}",
                "Use fewer, larger files or fewer streams.",
            )
        if self.sync_bytes and self.sync_ms:
            raise refusal(
                "sync_ms",
                self.sync_ms,
                f"is {_span(self.sync_ms)}, but sync_bytes is {self.sync_bytes}; only one of them "
                "can set the periodic sync",
                "Set sync_ms or sync_bytes to 0.",
            )
        if self.pace == "burst" and self.gap_ns == 0:
            raise refusal(
                "gap_ns", 0, "is 0, so that bursts have no gap", 'Use a gap, or pacing "none".'
            )
        self._refuse_unclear_recovery()
        self._refuse_unknown_working_set(lasting)
        self._refuse_read_back()
        self._refuse_unholdable_rates()
        if self.cells > MOST_CELLS or self.trials > MOST_TRIALS:
            raise refusal(
                "repeats",
                self.repeats,
                f"makes {self.cells} cells and {self.trials} trials; the maximum is {MOST_CELLS} "
                f"cells and {MOST_TRIALS} trials",
                "Use fewer blocks, queue depths, rates, bursts, idle times, caches, priorities or "
                "repeats.",
            )
        return self

    def _refuse_unclear_recovery(self) -> None:
        if len(self.idle_ms) < 2:
            return
        if self.operation != "write":
            raise refusal(
                "idle_ms",
                self.idle_ms,
                f"has {len(self.idle_ms)} values, which show how writes recover; "
                "the files of a read are written before it",
                'Use one idle time, or operation "write".',
            )
        if self.ramp_ms:
            raise refusal(
                "ramp_ms",
                self.ramp_ms,
                f"is {_span(self.ramp_ms)}, but idle_ms has several values: a ramp-up would hide "
                "what the storage takes fast after a rest",
                "Use 0, or one idle time.",
            )

    def _refuse_what_both_cannot_do(self, lasting: int | None) -> None:
        if self.operation != "both":
            return
        if self.read_back != "none":
            raise refusal(
                "read_back",
                self.read_back,
                f'is "{self.read_back}", but a test that writes and reads at the same time '
                "verifies only what it reads",
                'Use "none", or operation "write".',
            )
        for name in ("fill_percent", "precondition_passes"):
            if value := getattr(self, name):
                raise refusal(
                    name,
                    value,
                    f"is {value}, but the writer and the reader would both prepare the same file "
                    "system",
                    "Use 0, and prepare it by a write before this test.",
                )
        if lasting is None:
            raise refusal(
                "length",
                self.length,
                f"is {self.length}, but a test that writes and reads at the same time needs a "
                "duration: with a number of bytes, the faster direction would end first",
                'Use a duration such as "10 min", and a ring of files.',
            )

    def _refuse_what_a_read_cannot_do(self, lasting: int | None) -> None:
        if self.operation == "write":
            return
        if lasting is not None and self.file_mode != "ring" and self.access == "sequential":
            raise refusal(
                "file_mode",
                self.file_mode,
                f'is "{self.file_mode}", but the data of a read exists before it, and how much a '
                "duration reads is unknown",
                'Use "ring", which is read again and again, or a length in bytes.',
            )
        if self.operation != "read":
            return
        for name, value in (("sync_bytes", self.sync_bytes), ("sync_ms", self.sync_ms)):
            if value:
                raise refusal(name, value, f"is {value}, but a read has nothing to sync", "Use 0.")

    def _refuse_read_back(self) -> None:
        if self.read_back == "other_host" and self.access == "random":
            raise refusal(
                "read_back",
                self.read_back,
                'is "other_host", but another host cannot know which blocks of a random test were '
                "overwritten last",
                'Use "same_host" or "none".',
            )
        if self.operation == "read" and self.read_back != "none":
            raise refusal(
                "read_back",
                self.read_back,
                f'is "{self.read_back}", but a read verifies its data anyway',
                'Use "none".',
            )

    def _refuse_unknown_working_set(self, lasting: int | None) -> None:
        """Refuse to precondition files that do not exist before the trial."""
        if self.operation == "read":
            why = "a read's files are written once before it"
        elif self.file_mode == "sequence":
            why = "the files of a sequence do not exist before the trial"
        elif self.file_mode == "one" and lasting is not None and self.access == "sequential":
            why = "the size of the file is unknown if a duration ends the trial"
        else:
            return
        if self.precondition_passes:
            raise refusal(
                "precondition_passes",
                self.precondition_passes,
                f"is {self.precondition_passes}, but {why}",
                "Use 0."
                if self.operation == "read"
                else 'Use 0, or files "ring" or one file with a length in bytes.',
            )

    def _refuse_unholdable_rates(self) -> None:
        if self.pace == "rate":
            self._refuse_unholdable("rate_bytes_per_s", max(self.rate_bytes_per_s))
        if self.operation == "both" and self.read_pace == "rate":
            self._refuse_unholdable("read_rate_bytes_per_s", self.read_rate_bytes_per_s)

    def _refuse_unholdable(self, field: str, rate: int) -> None:
        block = min(self.block)
        most = block * self.streams * 10**9 // FASTEST_PACE_NS
        if rate > most:
            each = block * self.streams * 1e6 / rate
            raise refusal(
                field,
                rate,
                f"is {rate}, which needs an operation of {block} bytes every {each:.2g} µs "
                f"in each stream; pacing holds one every {FASTEST_PACE_NS // 1000} µs",
                f"Use at most {most} bytes/s, larger blocks or more streams.",
            )


class ResolvedSustained(SustainedTest):
    """A sustained test as a run measures it: resolved values, and the requested as `*_asked`."""

    model_config = ConfigDict(extra="ignore", json_schema_extra={"examples": [PARAMETERS]})

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
