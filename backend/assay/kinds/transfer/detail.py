"""What the result of an end of any transfer adds; see the contract's README."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from assay.analysis.streams import STREAM_COLUMNS
from assay.kinds.detail import BaseDetail
from assay.kinds.event_types import Count, NonEmptyText, Positive


class DetailPart(BaseModel):
    """A part of the detail of a result."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


_NEVER_NULL = (0, 5, 6, 7, 9, 10, 14)
"""Columns of a stream that are never null, by position."""

StreamRow = Annotated[
    list[Count | None], Field(min_length=len(STREAM_COLUMNS), max_length=len(STREAM_COLUMNS))
]
Streams = Annotated[list[StreamRow], Field(max_length=128)]


class Stage(DetailPart):
    """A stage of the pipeline: its time in calls, and on full or empty rings, of all threads.

    A sender of records waits for acknowledgements, not on a full ring.
    """

    name: Literal["read", "fill", "send", "receive", "check", "write"]
    threads: Positive
    bytes: Count
    call_ns: Count
    full_ns: Count
    empty_ns: Count


Stages = Annotated[list[Stage], Field(max_length=3)]


class CardDetail(DetailPart):
    """The network card with the address of an end."""

    name: NonEmptyText
    mtu_bytes: Count | None
    speed_mbps: Count | None
    numa_node: Count | None


class StreamsCardDetail(CardDetail):
    """The card with the streams' local address, and what passed it during the trial."""

    rx_bytes: Count | None
    tx_bytes: Count | None


class Connections(DetailPart):
    """The accepted connections, and those of strangers that were rejected, by reason."""

    accepted: Count
    rejected_address: Count
    rejected_token: Count
    rejected_malformed: Count
    rejected_deadline: Count
    rejected_surplus: Count


class EndDetail(BaseDetail):
    """What the result of an end of any transfer has of its connections."""

    role: Literal["sender", "receiver"]
    listens: bool
    local_address: NonEmptyText | None
    peer_address: NonEmptyText | None
    port: Count | None
    congestion: NonEmptyText | None
    mss_bytes: Count | None
    send_buffer_bytes: Count | None
    receive_buffer_bytes: Count | None
    card: StreamsCardDetail | None
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


def incomplete(streams: Streams) -> bool:
    """Return whether a stream lacks a figure that every kernel reports."""
    return any(row[column] is None for row in streams for column in _NEVER_NULL)
