"""The parameters of a path test: its test, and those of a trial."""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from assay.base import words
from assay.kinds.examples import example
from assay.kinds.fields import (
    CACHE,
    LIMITS_AND_SAMPLING,
    ORDER,
    REPEATS,
    SAMPLING_INTERVAL,
    SYNC_LIMIT,
    TIME_LIMIT,
    Cache,
    FileSize,
    Order,
    RepeatCount,
    SampleInterval,
    Timeout,
    refusal,
)
from assay.kinds.kind import BaseParameters, BaseTest
from assay.kinds.parameters import Choice, Group, Parameter, When
from assay.kinds.path.fields import (
    BLOCK_STEP,
    CARD,
    MOST_CELLS,
    MOST_DISK_THREADS,
    MOST_SMALL_FILES,
    MOST_STREAMS,
    MOST_TRIALS,
    READING,
    TRANSFERS,
    USING_DISK,
    WRITING,
    Cpus,
    DeviceThreads,
    Integrity,
    Leg,
    Legs,
    Listener,
    Pacing,
    SmallFileCount,
    SmallFileSize,
    StreamCounts,
    TransferBlocks,
)
from assay.kinds.planning import Extent
from assay.kinds.transfer.fields import (
    CONGESTION_CONTROL,
    CONNECTION,
    FAMILY,
    LAST_PORT,
    PORT,
    SINK_ADDRESS,
    SOCKET_BUFFERS,
    SOURCE_ADDRESS,
    Address,
    BufferSize,
    Congestion,
    Family,
    Port,
    RampTime,
    TransferTime,
    check_addresses,
    check_ports,
)

LEGS_AND_LENGTH = Group("Legs and length")
PIPELINE = Group("Pipeline")

MEMORY_TO_MEMORY = When("legs", ("memory",), words='ones that include "memory"')
CPUS = Parameter(
    "CPUs",
    "Such as 0-3,8, node:0 for a NUMA node, or card for those local to the network card.",
    "cpus",
    automatic="leaves the choice to the kernel.",
)


class PathTest(BaseTest):
    """A transfer from a source to a sink, and the parts of its path by themselves.

    Each of `legs` is measured with each of `block`, and those that use the network also with
    each number of TCP `streams`. A disk has `threads_per_device` for each physical device below the
    target, each with a file of its own. Legs that use a disk move `length` bytes, the others end
    after `duration_ms`, of which what is moved in the first `ramp_ms` counts in no rate. Buffers
    (`socket_buffer_bytes`, `ring_bytes`) and `pacing_bytes_per_s` (of all streams together) of
    0 leave the choice to the kernel and the probe, as does an empty `congestion_control`. The
    `listener` accepts the connections at its address, on `port` up to `last_port`; without
    addresses it is the one by which Assay reaches its host. With `integrity` each block has a
    CRC32C, and both ends compare a digest of all data.

    With `full_duplex` each leg also goes from the sink to the source at the same time: each end
    sends and receives, reads and writes. `listener` and the fields of an end remain those of the
    place that was selected as source or as sink. The threads that move data at an end run on
    `source_cpus` or `sink_cpus`: a list such as "0-3,8", "node:0" for a NUMA node, or "card" for
    the CPUs local to the network card; without it, on those that the kernel chooses.
    Beside the large files that make up the `length`, each trial that uses a disk moves
    `small_files` files of `small_file_bytes`, evenly mixed with them. They use the page cache.
    """

    model_config = ConfigDict(json_schema_extra=example("path", "test"))

    kind: Literal["path"]
    legs: Annotated[
        Legs,
        Parameter(
            "Legs",
            "Of read, memory, write, disk, disk to memory, memory to disk. The first four together "
            "name the bottleneck.",
            "legs",
            LEGS_AND_LENGTH,
            wide=True,
            column="leg",
            common=True,
        ),
    ] = Field(default=["read", "memory", "write", "disk"])
    length: Annotated[
        FileSize,
        Parameter(
            "Length",
            "Data of each trial that uses a disk, such as 10 GB or 2 * ram.",
            "expression",
            LEGS_AND_LENGTH,
            common=True,
        ),
    ]
    small_files: Annotated[
        SmallFileCount,
        Parameter(
            "Small files",
            "Files beside the large ones in each trial that uses a disk, 0 to "
            f"{words.grouped(MOST_SMALL_FILES)}.",
            "count",
            LEGS_AND_LENGTH,
            plan_name="small_files",
        ),
    ] = 0
    small_file_bytes: Annotated[
        SmallFileSize,
        Parameter(
            "Size of small files",
            "Of each, up to the block size. They use the page cache at both ends.",
            "size",
            LEGS_AND_LENGTH,
            used=((When("small_files", none_of=(0,), words="1 or more"),),),
            plan_name="small_file_bytes",
        ),
    ] = 4096
    duration_ms: Annotated[
        TransferTime,
        Parameter(
            "Duration of memory to memory",
            "Of each trial without a disk.",
            "duration_ms",
            LEGS_AND_LENGTH,
            used=((MEMORY_TO_MEMORY,),),
            plan_name="duration_ms",
            common=True,
        ),
    ] = 10_000
    ramp_ms: Annotated[
        RampTime,
        Parameter(
            "Ramp-up",
            "Of each trial from memory to memory; excluded from its rate.",
            "duration_ms",
            LEGS_AND_LENGTH,
            used=((MEMORY_TO_MEMORY,),),
            plan_name="ramp_ms",
        ),
    ] = 0
    full_duplex: Annotated[
        bool,
        Parameter(
            "Full duplex",
            "Both ends send and receive, read and write, at the same time.",
            "switch",
            LEGS_AND_LENGTH,
            choices=(
                Choice("no", "No", "source to sink"),
                Choice("yes", "Yes", "both directions at once"),
            ),
        ),
    ] = False
    repeats: Annotated[RepeatCount, REPEATS.in_group(LEGS_AND_LENGTH)] = 3
    block: Annotated[
        TransferBlocks,
        Parameter(
            "Block sizes",
            "I/O size at both ends; one cell per value and leg.",
            "sizes",
            PIPELINE,
            plan_name="block",
            common=True,
        ),
    ] = Field(default=[1_048_576])
    streams: Annotated[
        StreamCounts,
        Parameter(
            "Streams",
            f"TCP connections, 1 to {MOST_STREAMS}; one cell per value and leg over the network.",
            "counts",
            PIPELINE,
            plan_name="streams",
            common=True,
        ),
    ] = Field(default=[4])
    threads_per_device: Annotated[
        DeviceThreads,
        Parameter(
            "Threads per device",
            f"Readers at the source and writers at the sink, 1 to {MOST_DISK_THREADS} for each "
            "physical device below a directory (of a RAID or volume: its disks); each has a file "
            "of its own.",
            "count",
            PIPELINE,
        ),
    ] = 1
    source_cache: Annotated[
        Cache, CACHE.in_group(PIPELINE, label="Cache at the source", plan_name="source_cache")
    ] = "direct_if_real"
    sink_cache: Annotated[Cache, CACHE.in_group(PIPELINE, label="Cache at the sink")] = (
        "direct_if_real"
    )
    source_cpus: Annotated[Cpus | None, CPUS.in_group(PIPELINE, label="CPUs of the source")] = None
    sink_cpus: Annotated[Cpus | None, CPUS.in_group(PIPELINE, label="CPUs of the sink")] = None
    integrity: Annotated[
        Integrity,
        Parameter(
            "Integrity check",
            "A checksum of each block, and a digest of all data on which both ends must agree.",
            group=PIPELINE,
            choices=(Choice("none", "None"), Choice("crc32c", "CRC32C")),
            in_plan=True,
        ),
    ] = "none"
    socket_buffer_bytes: Annotated[
        BufferSize, SOCKET_BUFFERS.in_group(CONNECTION, plan_name="socket_buffer_bytes")
    ] = 0
    congestion_control: Annotated[Congestion | None, CONGESTION_CONTROL.in_group(CONNECTION)] = None
    pacing_bytes_per_s: Annotated[
        Pacing,
        Parameter(
            "Pacing",
            "Highest rate of all streams together.",
            "rate",
            CONNECTION,
            automatic="sets none.",
            plan_name="pacing_bytes_per_s",
        ),
    ] = 0
    ring_bytes: Annotated[
        BufferSize,
        Parameter(
            "Ring",
            "Memory between disk and network at each end.",
            "size",
            CONNECTION,
            automatic="fits the cache.",
            in_plan=True,
        ),
    ] = 0
    family: Annotated[Family, FAMILY.in_group(CONNECTION)] = "any"
    listener: Annotated[
        Listener,
        Parameter(
            "Listening end",
            "The end that accepts the connections; the other end must be able to reach its port.",
            group=CONNECTION,
            choices=(Choice("receiver", "Sink"), Choice("sender", "Source")),
        ),
    ] = "receiver"
    port: Annotated[Port, PORT.in_group(CONNECTION, plan_name="port_first")] = 0
    last_port: Annotated[Port, LAST_PORT.in_group(CONNECTION, plan_name="port_last")] = 0
    source_address: Annotated[Address | None, SOURCE_ADDRESS.in_group(CONNECTION)] = None
    sink_address: Annotated[Address | None, SINK_ADDRESS.in_group(CONNECTION)] = None
    timeout_ms: Annotated[Timeout, TIME_LIMIT.in_group(LIMITS_AND_SAMPLING)] = 3_600_000
    sync_timeout_ms: Annotated[Timeout, SYNC_LIMIT.in_group(LIMITS_AND_SAMPLING)] = 600_000
    sample_ms: Annotated[SampleInterval, SAMPLING_INTERVAL.in_group(LIMITS_AND_SAMPLING)] = 1000
    order: Annotated[Order, ORDER.in_group(LIMITS_AND_SAMPLING)] = "shuffled"

    @property
    def cells(self) -> int:
        """Number of parameter combinations."""
        own = sum(len(self.streams) if leg in TRANSFERS else 1 for leg in self.legs)
        return own * len(self.block)

    @property
    def trials(self) -> int:
        """Number of trials of one source and sink."""
        return self.cells * self.repeats

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if "memory" in self.legs and self.ramp_ms >= self.duration_ms:
            raise refusal(
                "ramp_ms",
                self.ramp_ms,
                f"is {self.ramp_ms} ms, but a trial from memory to memory lasts only "
                f"{self.duration_ms} ms",
                "Use a shorter ramp-up or a longer duration.",
            )
        check_addresses(self, "source_address", "sink_address")
        self._refuse_one_direction()
        self._refuse_unknown_card()
        self._refuse_small_files()
        if unaligned := [one for one in self.block if one % BLOCK_STEP]:
            raise refusal(
                "block",
                self.block,
                f"has {unaligned[0]}, but a block of a transfer is a multiple of {BLOCK_STEP} "
                "bytes",
                f"Use {-(-unaligned[0] // BLOCK_STEP) * BLOCK_STEP}.",
            )
        check_ports(self.port, self.last_port)
        if self.cells > MOST_CELLS or self.trials > MOST_TRIALS:
            raise refusal(
                "repeats",
                self.repeats,
                f"makes {self.cells} cells and {self.trials} trials; the maximum is {MOST_CELLS} "
                f"cells and {MOST_TRIALS} trials",
                "Use fewer legs, blocks, streams or repeats.",
            )
        return self

    def _refuse_one_direction(self) -> None:
        """Refuse full duplex of legs without network, in which nothing goes in two directions."""
        if self.full_duplex and not TRANSFERS & set(self.legs):
            raise refusal(
                "full_duplex",
                self.full_duplex,
                "is true, but no leg uses the network",
                "Add the leg memory or disk, or omit it.",
            )

    def _refuse_unknown_card(self) -> None:
        """Refuse the card's CPUs in a leg without network if no address says which card."""
        for side, own, other in (("source", "read", "write"), ("sink", "write", "read")):
            legs = {own, other} if self.full_duplex else {own}
            unknown = [leg for leg in self.legs if leg in legs]
            name = f"{side}_cpus"
            if getattr(self, name) == CARD and unknown and not getattr(self, f"{side}_address"):
                raise refusal(
                    name,
                    CARD,
                    f'is "{CARD}", but the leg {unknown[0]} uses no network, so only '
                    f"`{side}_address` says which card",
                    f"Set `{side}_address`, or name CPUs or a NUMA node.",
                )

    def _refuse_small_files(self) -> None:
        """Refuse small files where no leg has files, and those that do not fit into a block."""
        if self.small_files and not any(leg in USING_DISK for leg in self.legs):
            raise refusal(
                "small_files",
                self.small_files,
                f"is {self.small_files}, but no leg uses a disk, and memory has no files",
                "Use 0, or add a leg that uses a disk.",
            )
        if self.small_files and self.small_file_bytes > min(self.block):
            raise refusal(
                "small_file_bytes",
                self.small_file_bytes,
                f"is {self.small_file_bytes}, but a block of {min(self.block)} bytes carries only "
                "whole small files",
                f"Use blocks of {-(-self.small_file_bytes // BLOCK_STEP) * BLOCK_STEP} bytes or "
                "more, or smaller files.",
            )


class ResolvedPath(PathTest):
    """A path test as a run measures it: resolved values, and the requested ones as `*_asked`."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=example("path", "parameters"))

    length: int  # pyright: ignore[reportIncompatibleVariableOverride]
    length_asked: FileSize
    source_cache_asked: Cache
    sink_cache_asked: Cache


class PathParameters(BaseParameters):
    """The parameters of one trial.

    `streams` is 0 for a leg without network; `length_bytes` (of the large files) or `duration_ms`
    is 0. `small_files` is 0 for a leg without disk.
    """

    kind: Literal["path"]
    leg: Leg
    block: int
    streams: int
    length_bytes: int
    duration_ms: int
    small_files: int = 0
    small_file_bytes: int = 0

    @property
    def disk_bytes(self) -> int:
        """Bytes of all files of a trial."""
        return self.length_bytes + self.small_files * self.small_file_bytes

    @property
    def key(self) -> str:
        """Identifies the cell in the run."""
        own = f"{self.leg}-{self.block}"
        return f"{own}x{self.streams}" if self.streams else own

    @property
    def extent(self) -> Extent:
        """What the duration of the trial depends on."""
        moved = 0 if self.duration_ms else self.disk_bytes
        small = (self.small_files, self.small_file_bytes)
        lasting = self.duration_ms / 1000
        return Extent(moved, lasting, self.block, max(1, self.streams), (self.leg, *small))

    @property
    def reads_disk(self) -> bool:
        """Whether the sender reads a disk."""
        return self.leg in READING

    @property
    def writes_disk(self) -> bool:
        """Whether the receiver writes a disk."""
        return self.leg in WRITING
