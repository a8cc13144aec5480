"""The parameters of a records test: its test, and those of a trial."""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from assay.base import words
from assay.kinds.examples import example
from assay.kinds.fields import (
    HOUR_MS,
    LIMITS_AND_SAMPLING,
    ORDER,
    REPEATS,
    SAMPLING_INTERVAL,
    SYNC_LIMIT,
    Order,
    RepeatCount,
    SampleInterval,
    Timeout,
    distinct,
    refusal,
)
from assay.kinds.kind import BaseParameters, BaseTest
from assay.kinds.parameters import Choice, Group, Parameter, When
from assay.kinds.planning import Extent
from assay.kinds.transfer.fields import (
    CONGESTION_CONTROL,
    CONNECTION,
    FAMILY,
    LAST_PORT,
    PORT,
    SINK_ADDRESS,
    SOCKET_BUFFERS,
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

NAME = "records"

MOST_SENDERS = 32
MOST_CELLS = 20
MOST_TRIALS = 2_000
LONGEST_RECORD = 2**20

Format = Literal["raw", "json"]

Acknowledgement = Literal["none", "received", "written", "synced"]
"""What has happened to a batch before the receiver acknowledges it; *none*: it never does."""

SinkChoice = Literal["as_chosen", "memory"]
Sink = Literal["disk", "memory"]

RecordLengths = Annotated[
    list[Annotated[int, Field(strict=True, ge=1, le=LONGEST_RECORD)]],
    Field(min_length=1, max_length=MOST_CELLS),
    distinct,
]
BatchRecords = Annotated[int, Field(strict=True, ge=1, le=10_000_000)]
BatchesInFlight = Annotated[int, Field(strict=True, ge=1, le=1024)]
BatchTime = Annotated[int, Field(strict=True, ge=1, le=HOUR_MS)]
SyncTime = Annotated[int, Field(strict=True, ge=0, le=HOUR_MS)]
SyncBytes = Annotated[int, Field(strict=True, ge=0, le=2**40)]
RecordRate = Annotated[int, Field(strict=True, ge=0, le=10**9)]

RECORDS = Group("Records and time")
BATCHES = Group("Batches and storage")

TO_A_FILE = (
    When("sink", none_of=("memory",), words='"as_chosen"'),
    When("medium", none_of=("memory",)),
)
"""Nothing is synced in memory, whether a test asks for it or the selected sink is a host."""


class RecordsTest(BaseTest):
    """Records that senders stream from memory into one file, or into memory as the control.

    Each length of `record_bytes` is measured for `window_ms` after `warm_up_ms`, which counts in no
    rate. A sender sends a batch when it has `batch_records`, or `batch_ms` after the first of them
    was due. The receiver acknowledges each batch when it has checked it (*received*), *written* it,
    or *synced* it; a sender waits while `in_flight_batches` are not acknowledged. The file is
    synced at the end, and each `sync_ms` or `sync_bytes` unless they are 0. With
    `rate_records_per_s`, the records of each sender are due at that rate, and the latency counts
    from the due time; 0 sends as fast as possible. With the sink *memory*, the records go to the
    memory of the chosen sink's host, as the control that shows what its disk costs. Socket buffers
    of 0 leave the choice to the kernel, as does an empty `congestion_control`. The receiver listens
    at `sink_address`, on `port` up to `last_port`; by default at the address by which Assay reaches
    its host.
    """

    model_config = ConfigDict(json_schema_extra=example("records", "test"))

    kind: Literal["records"]
    record_bytes: Annotated[
        RecordLengths,
        Parameter(
            "Record lengths",
            f"1 B to {words.block(LONGEST_RECORD)}; one cell per value.",
            "sizes",
            RECORDS,
            plan_name="record_bytes",
            common=True,
        ),
    ] = Field(default=[10, 1024, 4096])
    sink: Annotated[
        SinkChoice,
        Parameter(
            "Sink",
            "Memory of the sink's host is the control: it shows what the network and the CPUs "
            "allow without the disk.",
            group=RECORDS,
            choices=(Choice("as_chosen", "As selected"), Choice("memory", "Memory")),
            condition=False,
            common=True,
        ),
    ] = "as_chosen"
    warm_up_ms: Annotated[
        RampTime,
        Parameter(
            "Warm-up",
            "Of each trial; excluded from its rates.",
            "duration_ms",
            RECORDS,
            in_plan=True,
            plan_name="ramp_ms",
        ),
    ] = 20_000
    window_ms: Annotated[
        TransferTime,
        Parameter(
            "Window",
            "Time after the warm-up; the rates cover it alone.",
            "duration_ms",
            RECORDS,
            in_plan=True,
            common=True,
        ),
    ] = 100_000
    rate_records_per_s: Annotated[
        RecordRate,
        Parameter(
            "Rate of each sender",
            "Records per second, with latencies from the due time; 0 sends as fast as possible.",
            "count",
            RECORDS,
            in_plan=True,
            common=True,
        ),
    ] = 0
    repeats: Annotated[RepeatCount, REPEATS.in_group(RECORDS)] = 3
    batch_records: Annotated[
        BatchRecords,
        Parameter(
            "Records per batch",
            "A batch is sent once it has this many records.",
            "count",
            BATCHES,
            in_plan=True,
            common=True,
        ),
    ] = 10_000
    batch_ms: Annotated[
        BatchTime,
        Parameter(
            "Batch time",
            "A batch is sent no later than this after its first record.",
            "duration_ms",
            BATCHES,
            in_plan=True,
        ),
    ] = 10_000
    format: Annotated[
        Format,
        Parameter(
            "Format",
            "How records are written to the file.",
            group=BATCHES,
            choices=(Choice("raw", "Raw"), Choice("json", "JSON lines")),
            in_plan=True,
            common=True,
        ),
    ] = "raw"
    acknowledge: Annotated[
        Acknowledgement,
        Parameter(
            "Acknowledgement",
            "What the receiver has done with a batch before it acknowledges it.",
            group=BATCHES,
            choices=(
                Choice("none", "None"),
                Choice("received", "On receipt"),
                Choice("written", "Written"),
                Choice("synced", "Synced"),
            ),
            in_plan=True,
            common=True,
        ),
    ] = "written"
    in_flight_batches: Annotated[
        BatchesInFlight,
        Parameter(
            "Batches in flight",
            "Maximum number of unacknowledged batches of each sender.",
            "count",
            BATCHES,
            used=((When("acknowledge", ("received", "written", "synced")),),),
            in_plan=True,
        ),
    ] = 16
    sync_ms: Annotated[
        SyncTime,
        Parameter(
            "Sync interval",
            "How often the file is synced; 0 syncs it only at the end.",
            "duration_ms",
            BATCHES,
            used=(TO_A_FILE,),
            in_plan=True,
        ),
    ] = 0
    sync_bytes: Annotated[
        SyncBytes,
        Parameter(
            "Sync after data",
            "Data written between syncs of the file; 0 syncs it only at the end.",
            "size",
            BATCHES,
            used=(TO_A_FILE,),
            in_plan=True,
        ),
    ] = 0
    socket_buffer_bytes: Annotated[
        BufferSize, SOCKET_BUFFERS.in_group(CONNECTION, plan_name="socket_buffer_bytes")
    ] = 0
    congestion_control: Annotated[Congestion | None, CONGESTION_CONTROL.in_group(CONNECTION)] = None
    family: Annotated[Family, FAMILY.in_group(CONNECTION)] = "any"
    port: Annotated[Port, PORT.in_group(CONNECTION, plan_name="port_first")] = 0
    last_port: Annotated[Port, LAST_PORT.in_group(CONNECTION, plan_name="port_last")] = 0
    sink_address: Annotated[Address | None, SINK_ADDRESS.in_group(CONNECTION)] = None
    sync_timeout_ms: Annotated[
        Timeout, SYNC_LIMIT.in_group(LIMITS_AND_SAMPLING, used=(TO_A_FILE,))
    ] = 600_000
    sample_ms: Annotated[SampleInterval, SAMPLING_INTERVAL.in_group(LIMITS_AND_SAMPLING)] = 1000
    order: Annotated[Order, ORDER.in_group(LIMITS_AND_SAMPLING)] = "shuffled"

    @property
    def cells(self) -> int:
        """Number of parameter combinations."""
        return len(self.record_bytes)

    @property
    def trials(self) -> int:
        """Number of trials with one set of senders."""
        return self.cells * self.repeats

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        check_ports(self.port, self.last_port)
        self._refuse_syncs()
        if self.trials > MOST_TRIALS:
            raise refusal(
                "repeats",
                self.repeats,
                f"makes {self.trials} trials; the maximum is {MOST_TRIALS}",
                "Use fewer record lengths or repeats.",
            )
        check_addresses(self, "sink_address")
        return self

    def _refuse_syncs(self) -> None:
        """Refuse syncs that exclude one another."""
        given = [name for name in ("sync_ms", "sync_bytes") if getattr(self, name)]
        if len(given) > 1:
            raise refusal(
                "sync_ms",
                self.sync_ms,
                f"is {self.sync_ms}, but sync_bytes is {self.sync_bytes}; only one of them counts",
                "Set sync_ms or sync_bytes to 0.",
            )
        if given and self.acknowledge == "synced":
            value = getattr(self, given[0])
            raise refusal(
                given[0],
                value,
                f"is {value}, but each batch is synced before it is acknowledged",
                'Set it to 0, or `acknowledge` to "written".',
            )


class ResolvedRecords(RecordsTest):
    """A records test as a run measures it: from so many senders, to a disk or to memory."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=example("records", "parameters"))

    senders: Annotated[int, Parameter("Senders")]
    medium: Annotated[Sink, Parameter("Sink", column="sink")]


class RecordsParameters(BaseParameters):
    """The parameters of one trial; `duration_ms` is its warm-up and its window.

    `file_bytes` is the size of a paced trial's file, else 0.
    """

    kind: Literal["records"]
    record_bytes: int
    duration_ms: int
    file_bytes: int

    @property
    def key(self) -> str:
        """Identifies the cell in the run."""
        return str(self.record_bytes)

    @property
    def extent(self) -> Extent:
        """What the duration of the trial depends on."""
        return Extent(0, self.duration_ms / 1000, self.record_bytes)
