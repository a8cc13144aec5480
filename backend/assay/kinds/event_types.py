"""The types that events have in common."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from assay.analysis.histogram import STEPS
from assay.analysis.served_by import CounterReason, CounterSource

MAX_SUMMED_VALUE = 2**53 - 1
"""Maximum of a sample's value that roll-ups add: the sum of a thousand still fits in 64 bits."""


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("a NUL character cannot be stored")
    return text


Count = Annotated[int, Field(ge=0, le=2**63 - 1)]
Positive = Annotated[int, Field(ge=1, le=2**63 - 1)]
AnyText = Annotated[str, Field(max_length=4096), AfterValidator(_storable)]
NonEmptyText = Annotated[AnyText, Field(min_length=1)]
ParameterName = Annotated[str, Field(pattern="^[a-z][a-z0-9_]{0,63}$")]
Parameter = Count | Annotated[NonEmptyText, Field(max_length=64)]
Step = Annotated[int, Field(ge=0, lt=STEPS)]
Histogram = Annotated[list[tuple[Step, Positive]], Field(max_length=STEPS)]
"""Steps of latencies, each with its number of operations."""

ErrorCode = Literal[
    "target_changed",
    "not_writable",
    "no_space",
    "io",
    "quota",
    "file_too_large",
    "read_only",
    "stale",
    "misaligned",
    "direct_refused",
    "memory",
    "unwritten_extents",
    "hung",
    "io_uring_refused",
    "spool_full",
    "prepare_timeout",
    "priority_refused",
    "system",
    "port_taken",
    "connect_failed",
    "peer_refused",
    "peer_differs",
    "peer_ended",
    "peer_silent",
    "congestion_refused",
    "affinity_refused",
    "digest_mismatch",
    "source_changed",
    "tool_missing",
    "tool_failed",
    "tool_timed_out",
]

NoticeCode = Literal[
    "preparing",
    "prepared",
    "swept",
    "resumed",
    "sync_bounded",
    "buffers_capped",
    "direct_buffered",
    "interrupted",
    "files_named",
    "not_locked",
    "verification_failed",
    "start_resident",
    "not_settled",
    "suspended",
    "starved",
    "gap",
    "filled",
    "preconditioned",
    "idled",
    "io_priority_ignored",
    "tool_cleanup_failed",
    "tool_remains",
]


class Event(BaseModel):
    """Fields of every line: version, sequence number, nanoseconds since its segment's start."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    v: Literal[2]
    seq: Count
    t: Count


class ByteCounter(BaseModel):
    """The counter of the bytes below the file system, or why there is none.

    `disks` are the disks below.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    source: CounterSource
    names: Annotated[list[NonEmptyText], Field(max_length=64)]
    disks: Annotated[list[NonEmptyText], Field(max_length=64)]
    copies: Annotated[int, Field(ge=1, le=4)]
    reason: CounterReason | None
