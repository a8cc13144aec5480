"""What the result of a transfer adds: the streams, the stages of the pipeline, and the card."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from assay.analysis.streams import STREAM_COLUMNS
from assay.recording.event_types import Count, Histogram, NonEmptyText, Positive

_CALLED_ALWAYS = (0, 5, 6, 7, 9, 10, 14)
"""Columns of a stream that are never null, by position."""

StreamRow = Annotated[
    list[Count | None], Field(min_length=len(STREAM_COLUMNS), max_length=len(STREAM_COLUMNS))
]
Streams = Annotated[list[StreamRow], Field(max_length=128)]


class Stage(BaseModel):
    """A stage of the pipeline: its time in calls, and on full or empty rings, of all threads.

    A sender of records waits for acknowledgements, not on a full ring.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    name: Literal["read", "fill", "send", "receive", "check", "write"]
    threads: Positive
    bytes: Count
    call_ns: Count
    full_ns: Count
    empty_ns: Count


Stages = Annotated[list[Stage], Field(max_length=3)]


class NetworkCard(BaseModel):
    """The card with the streams' local address, and what passed it during the trial.

    Older probes do not report the bytes.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    name: NonEmptyText
    mtu_bytes: Count | None
    speed_mbps: Count | None
    numa_node: Count | None
    rx_bytes: Count | None = None
    tx_bytes: Count | None = None


class Connections(BaseModel):
    """The accepted connections, and those of strangers that were rejected, by reason."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    accepted: Count
    rejected_address: Count
    rejected_token: Count
    rejected_malformed: Count
    rejected_deadline: Count
    rejected_surplus: Count


CpuList = Annotated[str, StringConstraints(pattern=r"^([0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)?$")]
"""CPUs in the kernel's notation; empty if there are none."""


class IrqEntry(BaseModel):
    """An interrupt of a card, and the CPUs that handle it."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    irq: Count
    cpus: CpuList | None


class CardSetupEntry(BaseModel):
    """How a card and its queues are set up at one moment."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    driver: NonEmptyText | None
    local_cpus: CpuList | None
    rx_queues: Count | None
    tx_queues: Count | None
    rps_cpus: CpuList | None
    xps_cpus: CpuList | None
    irqs: Annotated[list[IrqEntry], Field(max_length=256)] | None


class PlacementEntry(BaseModel):
    """Where an end ran; `interrupts` has rows of an interrupt, a CPU and a count."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    cpus: NonEmptyText | None
    cpus_allowed: CpuList | None
    cpus_used: CpuList | None
    numa_nodes_used: list[Count] | None
    disk_numa_nodes: list[Count] | None
    start: CardSetupEntry | None
    end: CardSetupEntry | None
    interrupts: list[Annotated[list[Count], Field(min_length=3, max_length=3)]] | None


class CallTimes(BaseModel):
    """How long calls of one kind took, with a histogram in the contract's steps."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    count: Count
    sum_ns: Count
    max_ns: Count
    hist: Histogram


class SmallFiles(BaseModel):
    """The calls that open (at a sink, create) and close the small files of an end, and the sync.

    `sync_ns` is the time of the sync of all of them at a sink, which comes after that of the large
    files.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    open: CallTimes
    close: CallTimes
    sync_ns: Count


class EndDetail(BaseModel):
    """What the result of an end of any transfer has of its connections."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    role: Literal["sender", "receiver"]
    listens: bool
    local_address: NonEmptyText | None
    peer_address: NonEmptyText | None
    port: Count | None
    congestion: NonEmptyText | None
    mss_bytes: Count | None
    send_buffer_bytes: Count | None
    receive_buffer_bytes: Count | None
    card: NetworkCard | None
    rtt_idle_ns: Count | None
    tcp_info_bytes: Count | None
    streams: Streams
    stages: Stages
    cpu_ns: Count
    connections: Connections

    @model_validator(mode="after")
    def _rows_have_what_every_kernel_reports(self) -> Self:
        if incomplete(self.streams):
            raise ValueError("a stream lacks a figure that is never null")
        return self


class PathDetail(EndDetail):
    """What the result of an end of a transfer adds; see the contract's README.

    Older probes do not report the placement.
    """

    leg: Literal["read", "write", "transfer"]
    source: Literal["memory", "disk"]
    sink: Literal["memory", "disk"]
    ring_buffers: Count
    ring_bytes: Count
    ramp_bytes: Count
    ramp_ns: Count
    blocks: Count
    crc_errors: Count
    digest: NonEmptyText | None
    peer_digest: NonEmptyText | None
    placement: PlacementEntry | None = None
    small_files: SmallFiles | None = None


def incomplete(streams: Streams) -> bool:
    """Return whether a stream lacks a figure that every kernel reports."""
    return any(row[column] is None for row in streams for column in _CALLED_ALWAYS)
