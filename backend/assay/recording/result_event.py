"""The event that ends an attempt, with its evidence and the fields of its job."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from assay.recording.event_types import (
    ByteCounter,
    Count,
    ErrorCode,
    Event,
    Histogram,
    NonEmptyText,
    Positive,
)
from assay.recording.path_detail import PathDetail
from assay.recording.records_detail import RecordsDetail
from assay.recording.tool_detail import ToolDetail


class ContentionReadings(BaseModel):
    """Bytes of this process, the device and other processes.

    The neighbors' were moved on the same disks beside it, the appliance's by Assay's own processes
    on the host; older probes did not report them.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    own_read_bytes: Count | None
    own_write_bytes: Count | None
    dev_read_bytes: Count | None
    dev_write_bytes: Count | None
    neighbor_read_bytes: Count | None = None
    neighbor_write_bytes: Count | None = None
    quiet_ns: Count
    quiet_read_bytes: Count
    quiet_write_bytes: Count
    others_read_bytes: Count
    others_write_bytes: Count
    appliance_read_bytes: Count = 0
    appliance_write_bytes: Count = 0
    sees_all: bool
    busiest: NonEmptyText | None


class Disturbance(BaseModel):
    """Readings of disturbances other than the storage; the attempt's status follows from them.

    `late_ns` is the maximum delay of the probe's heartbeat, `cpu_wait_ns` the longest part of it
    that was a wait for a CPU, `paused_ns` the sum of all other delays. `slept_ns` is how far boot
    time ran ahead of monotonic time, `wall_jump_ns` the largest step of the wall clock against it.
    `cpu_lost_ns` is how long the threads waited for CPUs in use, `throttled_ns` is how long
    a quota kept their control group off the CPUs; both are null if the kernel does not report them.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    late_ns: Count
    cpu_wait_ns: Count
    paused_ns: Count
    slept_ns: Count
    wall_jump_ns: Annotated[int, Field(ge=-(2**63 - 1), le=2**63 - 1)]
    cpu_lost_ns: Count | None
    throttled_ns: Count | None


class Timing(BaseModel):
    """How long calls of one kind took."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    count: Count
    sum_ns: Count
    max_ns: Count


class SyncTiming(Timing):
    """How long periodic syncs took; older probes did not report the histogram."""

    hist: Histogram | None = None


class FileTimings(BaseModel):
    """How long creating and closing files took."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    create: Timing
    close: Timing


class FrameCounts(BaseModel):
    """What sources with so many frames of memory would have lost.

    `dropped` has frames of memory, and the frames that all streams would have lost.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    bytes: Positive
    count: Positive
    needed: Positive
    needed_at_end: Positive
    dropped: Annotated[list[tuple[Positive, Count]], Field(max_length=16)]


class PreparationDone(BaseModel):
    """What was done before a sustained trial, which is in none of its other figures.

    `fill_bytes` were added to fill the file system, of `size_bytes`, until `level_bytes` of it were
    not free; both are null without a fill.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    fill_bytes: Count
    fill_ns: Count
    level_bytes: Count | None
    size_bytes: Count | None
    precondition_passes: Count
    precondition_bytes: Count
    precondition_ns: Count
    idle_ns: Count


class _ReadBackFields(BaseModel):
    """What reading the files of a write back after its final sync has verified.

    `errors` are sectors; the first is at `first_offset_bytes` in the data of `first_stream`.
    `elsewhere`: another host read them; older probes did not report it.
    """

    whole: bool
    error: NonEmptyText | None
    elsewhere: bool = False
    bytes: Count
    ns: Count
    resident_checked: Count
    resident_pages: Count
    errors: Count
    first_offset_bytes: Count | None
    first_stream: Count | None


class ReadBackDone(_ReadBackFields):
    """What a result says about it: older probes wrote it after reading back, others before.

    The latter write an event when they have read the files, or ended early.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class ReadBackEvent(Event, _ReadBackFields):
    """What was verified of the files of an attempt with a result; it replaces what that said."""

    ev: Literal["readback"]
    trial: Count
    attempt: Positive

    @property
    def fields(self) -> dict[str, Any]:
        """What it verified, as in a result."""
        return self.model_dump(mode="json", include=set(_ReadBackFields.model_fields))


class DirectionDone(BaseModel):
    """The operations of a mixed trial in one direction, without those of the ramp-up."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    ops: Count
    bytes: Count
    lat_sum_ns: Count
    lat_min_ns: Count | None
    lat_max_ns: Count | None
    hist: Histogram
    due_hist: Histogram | None
    due_max_ns: Count | None

    @model_validator(mode="after")
    def _holds_all_operations(self) -> Self:
        if sum(count for _, count in self.hist) != self.ops:
            raise ValueError("the histogram of a direction does not hold all its operations")
        return self


class DirectionsDone(BaseModel):
    """Both directions of a mixed trial."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    read: DirectionDone
    write: DirectionDone


class SustainedDetail(BaseModel):
    """What the result of a sustained attempt adds.

    `ramp_*` is the part before the measured one; `hist` and `due_hist` are the latencies of the
    measured part, of the calls and from their due times. `due_unfinished` of the latter had not
    returned, and count with the latency that they had reached; older probes did not report it.
    `unreturned` has the times that abandoned operations had taken, in ns; older probes omit it.
    `backlogs` has, for each rate in bytes per second, the largest and the last backlog in bytes and
    the time of the largest; `slowest` has latency, end, offset in its stream's data, and stream.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    block: Positive
    mark_bytes: Positive
    footprint_bytes: Positive
    ramp_ns: Count
    ramp_ops: Count
    ramp_bytes: Count
    asleep_ns: Count
    stood_still_ns: Count | None = None
    hist: Histogram
    due_hist: Histogram | None
    due_max_ns: Count | None
    due_unfinished: Count | None = None
    backlog_max_bytes: Count | None
    backlog_end_bytes: Count | None
    backlogs: Annotated[list[tuple[Positive, Count, Count, Count]], Field(max_length=128)]
    frames: FrameCounts | None = None
    slowest: Annotated[list[tuple[Count, Count, Count, Count]], Field(max_length=100)]
    unreturned: Annotated[list[Positive], Field(max_length=8192)] = Field(default_factory=list[int])
    files: FileTimings
    syncs: SyncTiming
    preparation: PreparationDone | None = None
    read_back: ReadBackDone | None = None
    directions: DirectionsDone | None = None


class ResultEvent(Event):
    """The end of an attempt: what it did, its duration, and the evidence of what served it."""

    ev: Literal["result"]
    trial: Count
    attempt: Positive
    status: Literal["complete", "timed_out", "stopped", "failed", "suspended", "starved"]
    reason: ErrorCode | None
    started_ns: Count | None
    start_delay_ns: Count | None
    ops: Count
    bytes: Count
    app_ns: Count
    durable_ns: Count | None
    sync: Literal["complete", "bounded", "none"]
    first_done_ns: Count
    last_done_ns: Count
    lat_min_ns: Count | None
    lat_max_ns: Count | None
    lat_sum_ns: Count
    hist: Histogram
    counter: ByteCounter
    dev_app_bytes: Count | None
    dev_durable_bytes: Count | None
    resident_checked: Count
    resident_pages: Count
    resident_after_checked: Count
    resident_after_pages: Count
    unwritten: Literal["none", "found", "unsupported"]
    data_ns: Count
    disturbance: Disturbance
    verify_errors: Count
    first_read_bytes: Count | None
    working_set_bytes: Positive
    mem_limit_bytes: Count
    contention: ContentionReadings | None
    detail: SustainedDetail | PathDetail | RecordsDetail | ToolDetail | None

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if (self.status == "failed") != (self.reason is not None):
            raise ValueError("a reason belongs to a failed trial, and only to one")
        if self.status not in ("complete", "timed_out") and self.sync != "none":
            raise ValueError(f"a {self.status} trial has no durable time")
        if (self.sync == "none") != (self.durable_ns is None):
            raise ValueError("a durable time belongs to a sync, and only to one")
        if self.durable_ns is not None and self.durable_ns < self.app_ns:
            raise ValueError("the data was durable before the last operation returned")
        if sum(count for _, count in self.hist) != self.ops:
            raise ValueError("the histogram does not hold all operations")
        if isinstance(self.detail, SustainedDetail) and (both := self.detail.directions):
            sums = both.read.ops + both.write.ops, both.read.bytes + both.write.bytes
            if sums != (self.ops - self.detail.ramp_ops, self.bytes - self.detail.ramp_bytes):
                raise ValueError("both directions do not add up to the trial without its ramp-up")
        return self
