"""What the result of an end of a path trial adds; see the contract's README."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from assay.kinds.event_types import Count, Histogram, NonEmptyText
from assay.kinds.transfer.detail import DetailPart, EndDetail

CpuList = Annotated[str, StringConstraints(pattern=r"^([0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)?$")]
"""CPUs in the kernel's notation; empty if there are none."""


class IrqEntry(DetailPart):
    """An interrupt of a card, and the CPUs that handle it."""

    irq: Count
    cpus: CpuList | None


class CardSetupEntry(DetailPart):
    """How a card and its queues are set up at one moment."""

    driver: NonEmptyText | None
    local_cpus: CpuList | None
    rx_queues: Count | None
    tx_queues: Count | None
    rps_cpus: CpuList | None
    xps_cpus: CpuList | None
    irqs: Annotated[list[IrqEntry], Field(max_length=256)] | None


class PlacementEntry(DetailPart):
    """Where an end ran; `interrupts` has rows of an interrupt, a CPU and a count."""

    cpus: NonEmptyText | None
    cpus_allowed: CpuList | None
    cpus_used: CpuList | None
    numa_nodes_used: list[Count] | None
    disk_numa_nodes: list[Count] | None
    start: CardSetupEntry | None
    end: CardSetupEntry | None
    interrupts: list[Annotated[list[Count], Field(min_length=3, max_length=3)]] | None


class CallTimes(DetailPart):
    """How long calls of one kind took, with a histogram in the contract's steps."""

    count: Count
    sum_ns: Count
    max_ns: Count
    hist: Histogram


class SmallFiles(DetailPart):
    """The calls that open (at a sink, create) and close the small files of an end, and the sync.

    `sync_ns` is the time of the sync of all of them at a sink, which comes after that of the large
    files.
    """

    open: CallTimes
    close: CallTimes
    sync_ns: Count


class PathDetail(EndDetail):
    """What the result of an end of a transfer adds; see the contract's README."""

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
    placement: PlacementEntry
    small_files: SmallFiles | None = None
