"""The declarations of the parameters of a sustained test."""

from typing import Annotated, Literal

from pydantic import Field

from assay.base import words
from assay.kinds.fields import (
    CACHE,
    ORDER,
    REPEATS,
    SAMPLING_INTERVAL,
    SYNC_LIMIT,
    TIME_LIMIT,
    Blocks,
    FileSize,
    Order,
    RepeatCount,
    SampleInterval,
    Timeout,
)
from assay.kinds.kind import BaseTest
from assay.kinds.parameters import Choice, Group, Parameter, When
from assay.kinds.sustained.fields import (
    LONGEST_IDLE_MS,
    MOST_DEPTH,
    Access,
    Bursts,
    Caches,
    Engine,
    FileMode,
    FillPercent,
    Gap,
    Idles,
    IoPriorities,
    Length,
    MarkSize,
    Operation,
    Pace,
    Passes,
    PeakLimit,
    Priorities,
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

FILES = Group("Length and files")
PACING = Group("Pacing")
IO_PATH = Group("I/O path")
PREPARATION = Group("Preparation", folded=True)
PRIORITY = Group("Priority", folded=True)
VERIFICATION = Group("Verification", folded=True)
LIMITS = Group("Limits, marks and sampling", folded=True)

RANDOM = When("access", ("random",))
BURSTS = When("pace", ("burst",))
WRITES = When("operation", ("write", "mixed", "both"))
BOTH = When("operation", ("both",))
ONE_DIRECTION = When("operation", ("write", "read", "mixed"))
ALONE_WRITES = When("operation", ("write", "mixed"))


class SustainedFields(BaseTest):
    """The parameters of a sustained test, as `SustainedTest` explains them."""

    kind: Literal["sustained"]
    operation: Annotated[
        TestOperation,
        Parameter(
            "Operation",
            fixed=True,
            choices=(
                Choice("write", "Write"),
                Choice("read", "Read"),
                Choice("mixed", "Mixed", "reads and writes of one working set"),
                Choice("both", "Write and read at the same time", in_plan=False),
            ),
            in_plan=True,
        ),
    ] = "write"
    length: Annotated[
        Length,
        Parameter(
            "Length",
            "Data of all streams, such as 1 TB or 2 * ram, or a duration, such as 25 h. A duration "
            "reads a ring or at random; writing and reading at the same time needs a duration.",
            "length",
            FILES,
            common=True,
        ),
    ]
    block: Annotated[
        Blocks,
        Parameter(
            "Block sizes",
            "I/O size; one cell per value. Direct I/O rounds it up to the file system's alignment.",
            "sizes",
            FILES,
            wide=True,
            plan_name="block",
            common=True,
        ),
    ] = Field(default=[800_000])
    streams: Annotated[
        Streams,
        Parameter(
            "Streams",
            "Concurrent writers or readers, each with its own files.",
            "count",
            FILES,
            plan_name="streams",
            common=True,
        ),
    ] = 1
    access: Annotated[
        Access,
        Parameter(
            "Access",
            "Random visits each block of the file once per pass, in an order of its own. Mixed "
            "reads and writes are random.",
            group=FILES,
            choices=(
                Choice("sequential", "Sequential"),
                Choice("random", "Random", "one file per stream"),
            ),
            plan_name="access",
        ),
    ] = "sequential"
    read_percent: Annotated[
        ReadPercent,
        Parameter(
            "Read share (%)",
            "Percent of the operations that read; the others write.",
            "count",
            FILES,
            used=((When("operation", ("mixed",)),),),
        ),
    ] = 70
    seed: Annotated[
        Seed,
        Parameter(
            "Seed",
            "The same seed visits the blocks in the same order.",
            "count",
            FILES,
            used=((RANDOM,),),
        ),
    ] = 0
    file_mode: Annotated[
        FileMode,
        Parameter(
            "Files",
            "How each stream lays out its data.",
            group=FILES,
            choices=(
                Choice("one", "One file"),
                Choice("sequence", "Sequence", "a new file every file size"),
                Choice("ring", "Ring", "files overwritten or read again in turn"),
            ),
            in_plan=True,
            plan_name="layout",
        ),
    ] = "one"
    file_size: Annotated[
        FileSize,
        Parameter(
            "File size",
            "Of each file of a sequence or a ring; with random access, the working set of each "
            "stream, which is written before each trial.",
            "expression",
            FILES,
            used=((When("file_mode", ("ring", "sequence")),), (RANDOM,)),
            column="file_bytes",
        ),
    ] = 10_000_000_000
    ring_files: Annotated[
        RingFiles,
        Parameter(
            "Ring files",
            "A ring under twice the memory is partly overwritten before it is written back.",
            "count",
            FILES,
            used=((When("file_mode", ("ring",)),),),
            column="files",
            plan_name="files",
        ),
    ] = 2
    repeats: Annotated[
        RepeatCount, REPEATS.in_group(FILES, help="Trials of each cell.", common=False)
    ] = 1
    pace: Annotated[
        Pace,
        Parameter(
            "Pacing",
            "When the next operation may begin.",
            group=PACING,
            choices=(
                Choice("none", "None", "as fast as possible"),
                Choice("rate", "Rate", "absolute schedule"),
                Choice("burst", "Burst and gap"),
            ),
            plan_name="pace",
            common=True,
        ),
    ] = "none"
    rate_bytes_per_s: Annotated[
        Rates,
        Parameter(
            "Rates",
            "Of all streams together; one cell per value.",
            "rates",
            PACING,
            used=((When("pace", ("rate",)),),),
            plan_name="rate_bytes_per_s",
            common=True,
        ),
    ] = Field(default=[125_000_000])
    burst_blocks: Annotated[
        Bursts,
        Parameter(
            "Blocks per burst",
            "Of each stream; one cell per value.",
            "counts",
            PACING,
            used=((BURSTS,),),
            plan_name="burst_blocks",
            common=True,
        ),
    ] = Field(default=[1])
    gap_ns: Annotated[
        Gap,
        Parameter(
            "Gap",
            "Sleep after each burst.",
            "duration_ns",
            PACING,
            used=((BURSTS,),),
            plan_name="gap_ns",
            common=True,
        ),
    ] = 40_000_000
    quantum_ns: Annotated[
        Gap,
        Parameter(
            "Delay quantum",
            "Gaps are rounded up to multiples of it: 15.625 ms reproduces Owl's clock; 0 keeps "
            "gaps exact.",
            "duration_ns",
            PACING,
            used=((BURSTS,),),
            plan_name="quantum_ns",
        ),
    ] = 0
    read_pace: Annotated[
        ReadPace,
        Parameter(
            "Pacing of reads",
            "Of a test that writes and reads at the same time.",
            group=PACING,
            choices=(
                Choice("same", "Same as the writes"),
                Choice("none", "None", "as fast as possible"),
                Choice("rate", "Rate", "absolute schedule"),
            ),
            used=((BOTH,),),
        ),
    ] = "same"
    read_rate_bytes_per_s: Annotated[
        ReadRate,
        Parameter(
            "Rate of reads",
            "Of all streams together.",
            "rate",
            PACING,
            used=((When("read_pace", ("rate",)), BOTH),),
        ),
    ] = 125_000_000
    peak_limit_ns: Annotated[
        PeakLimit,
        Parameter(
            "Peak limit",
            "The sweet spot of a sweep is the highest rate whose peak operation time is below it.",
            "duration_ns",
            PACING,
        ),
    ] = 100_000_000
    cache: Annotated[
        Caches,
        CACHE.in_group(
            IO_PATH,
            format="choices",
            help=f"{CACHE.help} Two are compared, one cell each, with the first selected.",
            plan_name="cache",
        ),
    ] = Field(default=["direct_if_real"])
    engine: Annotated[
        Engine,
        Parameter(
            "Engine",
            "io_uring keeps several operations of a stream in flight; a host whose kernel forbids "
            "it is refused at launch.",
            group=IO_PATH,
            choices=(
                Choice("threads", "Threads", "one operation per stream"),
                Choice("io_uring", "io_uring", "queue depth per stream"),
            ),
            plan_name="engine",
        ),
    ] = "threads"
    queue_depth: Annotated[
        QueueDepths,
        Parameter(
            "Queue depths",
            f"Operations of each stream in flight, 1 to {MOST_DEPTH}; one cell per value.",
            "counts",
            IO_PATH,
            used=((When("engine", ("io_uring",)),),),
            plan_name="queue_depth",
        ),
    ] = Field(default=[1])
    sync_bytes: Annotated[
        SyncSize,
        Parameter(
            "Sync after data",
            "fdatasync after this much data of a stream; 0 for none.",
            "size",
            IO_PATH,
            used=((WRITES,),),
            in_plan=True,
        ),
    ] = 0
    sync_ms: Annotated[
        SyncInterval,
        Parameter(
            "Sync interval",
            "fdatasync after the first write that ends this long after a stream's last sync; 0 for "
            "none. Not with a sync after data.",
            "duration_ms",
            IO_PATH,
            used=((WRITES,),),
            in_plan=True,
        ),
    ] = 0
    fill_percent: Annotated[
        FillPercent,
        Parameter(
            "Fill level",
            "Percent of the file system that is not free before each trial; Assay adds files and "
            "removes them at the end. 0 fills nothing.",
            "count",
            PREPARATION,
            used=((ONE_DIRECTION,),),
            in_plan=True,
        ),
    ] = 0
    precondition_passes: Annotated[
        Passes,
        Parameter(
            "Preconditioning passes",
            "How often the ring or file is written before the trial, not measured; SNIA asks for "
            "2.",
            "count",
            PREPARATION,
            used=((ALONE_WRITES, When("file_mode", ("one", "ring"))),),
            in_plan=True,
        ),
    ] = 0
    purge: Annotated[
        Purge,
        Parameter(
            "Purge",
            "Assay cannot purge a device. Declare it if you did.",
            group=PREPARATION,
            choices=(
                Choice("none", "Not declared"),
                Choice("declared", "Declared", "the device was purged before this test"),
            ),
        ),
    ] = "none"
    idle_ms: Annotated[
        Idles,
        Parameter(
            "Idle before the trial",
            f"At most {words.span(LONGEST_IDLE_MS * 10**6)}. Several values, one cell each, show "
            "how long the storage rests to recover from a cliff.",
            "durations_ms",
            PREPARATION,
            wide=True,
            plan_name="idle_ms",
        ),
    ] = Field(default=[0])
    prepare_timeout_ms: Annotated[
        Timeout,
        Parameter(
            "Preparation limit",
            "A trial fails if its preparation takes longer; the idle time is not included.",
            "duration_ms",
            PREPARATION,
            in_plan=True,
        ),
    ] = 86_400_000
    priority: Annotated[
        Priorities,
        Parameter(
            "CPU priority",
            "Of the streams' threads; one cell per value, compared with the first selected. Above "
            "normal it needs CAP_SYS_NICE, or RLIMIT_NICE or RLIMIT_RTPRIO; without them the run "
            "is refused.",
            "choices",
            PRIORITY,
            choices=(
                Choice("normal", "Normal"),
                Choice("high", "High", "nice \u221210"),
                Choice("fifo", "Real time: SCHED_FIFO"),
                Choice("rr", "Real time: SCHED_RR"),
            ),
            plan_name="priority",
        ),
    ] = Field(default=["normal"])
    io_priority: Annotated[
        IoPriorities,
        Parameter(
            "I/O priority",
            "One cell per value. For direct I/O and reads under the schedulers bfq and mq-deadline "
            "(classes only). A run event reports where it has no effect.",
            "choices",
            PRIORITY,
            choices=(
                Choice("default", "Default", "from the nice value"),
                Choice("real_time", "Real time"),
                Choice("high", "High", "best effort 0"),
                Choice("low", "Low", "best effort 7"),
                Choice("idle", "Idle"),
            ),
            plan_name="io_priority",
        ),
    ] = Field(default=["default"])
    read_back: Annotated[
        ReadBack,
        Parameter(
            "Read-back",
            "Reads every byte that is left after the final sync and verifies it; of a ring, what "
            "was written last.",
            group=VERIFICATION,
            choices=(
                Choice("none", "None"),
                Choice("same_host", "By the same host, after dropping the page cache"),
                Choice("other_host", "By another host of the shared file system"),
            ),
            used=((ALONE_WRITES,),),
        ),
    ] = "none"
    ramp_ms: Annotated[
        Ramp,
        Parameter("Ramp-up", "Excluded from all figures.", "duration_ms", LIMITS, in_plan=True),
    ] = 0
    mark_bytes: Annotated[
        MarkSize,
        Parameter(
            "Marks",
            f"Data between two marks; a trial has 100 to {words.grouped(200_000)} marks.",
            "size",
            LIMITS,
            plan_name="mark_bytes",
        ),
    ] = 100_000_000
    timeout_ms: Annotated[
        Timeout,
        TIME_LIMIT.in_group(
            LIMITS, used=((When("length", is_duration=False, words="data, not a duration"),),)
        ),
    ] = 172_800_000
    sync_timeout_ms: Annotated[Timeout, SYNC_LIMIT.in_group(LIMITS)] = 3_600_000
    sample_ms: Annotated[
        SampleInterval,
        SAMPLING_INTERVAL.in_group(
            LIMITS,
            help=f"{SAMPLING_INTERVAL.help} Longer for a trial that would have over "
            f"{words.grouped(200_000)} samples.",
        ),
    ] = 1000
    order: Annotated[
        Order, ORDER.in_group(LIMITS, help="Of the cells of a sweep. The order is recorded.")
    ] = "shuffled"

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
