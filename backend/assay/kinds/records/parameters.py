"""The parameters of a records test: its test, the overrides of a campaign, those of a trial."""

from typing import Literal, Self

from pydantic import ConfigDict, Field, model_validator

from assay.http.field_types import RequestBody
from assay.kinds.examples import example
from assay.kinds.fields import (
    Address,
    Order,
    RepeatCount,
    SampleInterval,
    Timeout,
    check_addresses,
    refusal,
)
from assay.kinds.kind import BaseParameters, BaseTest
from assay.kinds.path.fields import (
    BufferSize,
    Congestion,
    Family,
    Port,
    RampTime,
    TransferTime,
)
from assay.kinds.planning import Extent
from assay.kinds.records.fields import (
    MOST_TRIALS,
    Acknowledgement,
    BatchesInFlight,
    BatchRecords,
    BatchTime,
    Format,
    RecordLengths,
    RecordRate,
    Sink,
    SinkChoice,
    SyncBytes,
    SyncTime,
)

LABELS: dict[str, str] = {
    "record_bytes": "Record lengths",
    "senders": "Senders",
    "medium": "Sink",
    "format": "Format",
    "batch_records": "Records per batch",
    "batch_ms": "Longest batch",
    "acknowledge": "Acknowledgement",
    "in_flight_batches": "Batches in flight",
    "sync_ms": "Sync interval",
    "sync_bytes": "Sync after data",
    "rate_records_per_s": "Records per second and sender",
    "warm_up_ms": "Warm-up",
    "window_ms": "Window",
    "socket_buffer_bytes": "Socket buffers",
    "congestion_control": "Congestion control",
    "family": "IP version",
    "port": "Port",
    "last_port": "Last port",
    "sink_address": "Address of the sink",
    "sync_timeout_ms": "Sync limit",
    "repeats": "Repeats",
    "sample_ms": "Sampling interval",
    "order": "Order",
}
"""The parameters that are conditions of a result, in the order of display."""


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
    record_bytes: RecordLengths = Field(default=[10, 1024, 4096])
    sink: SinkChoice = "as_chosen"
    format: Format = "raw"
    batch_records: BatchRecords = 10_000
    batch_ms: BatchTime = 10_000
    acknowledge: Acknowledgement = "written"
    in_flight_batches: BatchesInFlight = 16
    sync_ms: SyncTime = 0
    sync_bytes: SyncBytes = 0
    rate_records_per_s: RecordRate = 0
    warm_up_ms: RampTime = 20_000
    window_ms: TransferTime = 100_000
    socket_buffer_bytes: BufferSize = 0
    congestion_control: Congestion | None = None
    family: Family = "any"
    port: Port = 0
    last_port: Port = 0
    sink_address: Address | None = None
    sync_timeout_ms: Timeout = 600_000
    repeats: RepeatCount = 3
    sample_ms: SampleInterval = 1000
    order: Order = "shuffled"

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
        if self.last_port and not 0 < self.port <= self.last_port:
            raise refusal(
                "last_port",
                self.last_port,
                f"is {self.last_port}, but the first port is {self.port}",
                "Use 0, or a port that is not below `port`.",
            )
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

    senders: int
    medium: Sink


class RecordsOverrides(RequestBody):
    """Values that replace those of every test of the profile."""

    record_bytes: RecordLengths | None = None
    sink: SinkChoice | None = None
    format: Format | None = None
    batch_records: BatchRecords | None = None
    batch_ms: BatchTime | None = None
    acknowledge: Acknowledgement | None = None
    in_flight_batches: BatchesInFlight | None = None
    sync_ms: SyncTime | None = None
    sync_bytes: SyncBytes | None = None
    rate_records_per_s: RecordRate | None = None
    warm_up_ms: RampTime | None = None
    window_ms: TransferTime | None = None
    socket_buffer_bytes: BufferSize | None = None
    congestion_control: Congestion | None = None
    family: Family | None = None
    port: Port | None = None
    last_port: Port | None = None
    sink_address: Address | None = None
    sync_timeout_ms: Timeout | None = None
    repeats: RepeatCount | None = None
    sample_ms: SampleInterval | None = None
    order: Order | None = None


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
