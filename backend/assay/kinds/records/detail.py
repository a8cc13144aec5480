"""What the result of an end of a records trial adds; see the contract's README."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from assay.kinds.event_types import Count, Histogram, NonEmptyText, Positive
from assay.kinds.transfer.detail import DetailPart, EndDetail

Digest = NonEmptyText
SenderNumber = Annotated[int, Field(ge=0, le=31)]


class SenderRow(DetailPart):
    """The records of one sender; what only the receiver knows is null at a sender."""

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


class RecordsSyncTiming(DetailPart):
    """The syncs of the receiver's file before the final one."""

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

    @property
    def has_records(self) -> bool:
        """Whether the records of a file are counted again after the result."""
        return True

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        rows = [one.window_records for one in self.senders]
        if self.role == "receiver" and sum(one or 0 for one in rows) != self.window_records:
            raise ValueError("the senders' records do not add up to those of the window")
        return self
