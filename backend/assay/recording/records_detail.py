"""What the result of an end of a records trial adds, and what counting its file again has found."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from assay.recording.event_types import Count, Event, Histogram, NonEmptyText, Positive
from assay.recording.path_detail import EndDetail

Digest = NonEmptyText
SenderNumber = Annotated[int, Field(ge=0, le=31)]


class SenderRow(BaseModel):
    """The records of one sender; what only the receiver knows is null at a sender."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    sender: SenderNumber
    address: NonEmptyText | None
    sent: Count | None
    acknowledged: Count | None
    intact: Count | None
    wrong: Count | None
    duplicates: Count | None
    missing: Count | None
    late: Count | None
    window_records: Count | None
    digest: Digest | None
    peer_digest: Digest | None


class RecordsSyncTiming(BaseModel):
    """The syncs of the receiver's file before the final one."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    count: Count
    ns: Count
    max_ns: Count
    hist: Histogram


class RecordsDetail(EndDetail):
    """What the result of an end of a records trial adds; see the contract's README."""

    sink: Literal["memory", "disk"]
    format: Literal["raw", "json"]
    record_bytes: Positive
    ramp_records: Count
    window_records: Count
    tail_records: Count
    window_ns: Count
    payload_bytes: Count
    stored_bytes: Count
    batches: Count
    syncs: RecordsSyncTiming
    senders: Annotated[list[SenderRow], Field(min_length=1, max_length=32)]
    ack_hist: Histogram | None
    ack_max_ns: Count | None
    due_hist: Histogram | None
    due_max_ns: Count | None
    due_unfinished: Count | None

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        rows = [one.window_records for one in self.senders]
        if self.role == "receiver" and sum(one or 0 for one in rows) != self.window_records:
            raise ValueError("the senders' records do not add up to those of the window")
        return self


class RecountRow(BaseModel):
    """The records of one sender in the file; `expected` and `lost` are null if nobody knows.

    `end` is one more than the highest number found, `missing` are below it, `gaps` the first ranges
    of them.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    sender: SenderNumber
    intact: Count
    duplicates: Count
    end: Count
    missing: Count
    gaps: Annotated[
        list[Annotated[list[Count], Field(min_length=2, max_length=2)]], Field(max_length=16)
    ]
    expected: Count | None
    lost: Count | None


class RecountEvent(Event):
    """The records of a receiver's file, counted again.

    After the result of its trial, or (`left`) before a later attempt, in the file of the attempt
    whose probe died.
    """

    ev: Literal["recount"]
    trial: Count
    attempt: Positive
    left: bool
    whole: bool
    error: NonEmptyText | None
    bytes: Count
    ns: Count
    wrong: Count
    torn: Count
    blank_bytes: Count
    senders: Annotated[list[RecountRow], Field(min_length=1, max_length=32)]

    @property
    def fields(self) -> dict[str, object]:
        """What was found."""
        return self.model_dump(
            include={"whole", "error", "bytes", "ns", "wrong", "torn", "blank_bytes", "senders"}
        )
