"""The event that ends an attempt, with its evidence and the fields of its job."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from assay.kinds.event_types import (
    ByteCounter,
    Count,
    ErrorCode,
    Event,
    Histogram,
    NonEmptyText,
    Positive,
)
from assay.kinds.registry import Detail


class ContentionReadings(BaseModel):
    """Bytes of this process, the device and other processes.

    The neighbors' were moved on the same disks beside it, the appliance's by Assay's own processes
    on the host.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    own_read_bytes: Count | None
    own_write_bytes: Count | None
    dev_read_bytes: Count | None
    dev_write_bytes: Count | None
    neighbor_read_bytes: Count | None
    neighbor_write_bytes: Count | None
    quiet_ns: Count
    quiet_read_bytes: Count
    quiet_write_bytes: Count
    others_read_bytes: Count
    others_write_bytes: Count
    appliance_read_bytes: Count
    appliance_write_bytes: Count
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
    detail: Detail | None

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
        if self.detail and (contradiction := self.detail.contradiction(self.ops, self.bytes)):
            raise ValueError(contradiction)
        return self
