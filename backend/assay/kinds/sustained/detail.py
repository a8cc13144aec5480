"""What the result of a sustained attempt adds; see the contract's README."""

from collections.abc import Iterator
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from assay.kinds.detail import BaseDetail, ReadBackFields, Sampled
from assay.kinds.event_types import Count, Histogram, Positive


class Timing(BaseModel):
    """How long calls of one kind took."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    count: Count
    sum_ns: Count
    max_ns: Count


class SyncTiming(Timing):
    """How long periodic syncs took."""

    hist: Histogram


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


class ReadBackDone(ReadBackFields):
    """What a result says about it, before the files are read; an event says the rest."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


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


class SustainedDetail(BaseDetail):
    """What the result of a sustained attempt adds.

    `ramp_*` is the part before the measured one; `hist` and `due_hist` are the latencies of the
    measured part, of the calls and from their due times. `due_unfinished` of the latter had not
    returned, and count with the latency that they had reached.
    `unreturned` has the times that abandoned operations had taken, in ns.
    `backlogs` has, for each rate in bytes per second, the largest and the last backlog in bytes and
    the time of the largest; `slowest` has latency, end, offset in its stream's data, and stream.
    """

    block: Positive
    mark_bytes: Positive
    footprint_bytes: Positive
    ramp_ns: Count
    ramp_ops: Count
    ramp_bytes: Count
    asleep_ns: Count
    stood_still_ns: Count
    hist: Histogram
    due_hist: Histogram | None
    due_max_ns: Count | None
    due_unfinished: Count | None
    backlog_max_bytes: Count | None
    backlog_end_bytes: Count | None
    backlogs: Annotated[list[tuple[Positive, Count, Count, Count]], Field(max_length=128)]
    frames: FrameCounts | None
    slowest: Annotated[list[tuple[Count, Count, Count, Count]], Field(max_length=100)]
    unreturned: Annotated[list[Positive], Field(max_length=8192)]
    files: FileTimings
    syncs: SyncTiming
    preparation: PreparationDone
    read_back: ReadBackDone | None
    directions: DirectionsDone | None

    @property
    def reads_back(self) -> bool:
        """Whether the files are read back after the result."""
        return self.read_back is not None

    def contradiction(self, ops: int, moved: int) -> str | None:
        """Return how it contradicts the operations and the bytes of its result."""
        both = self.directions
        if both is None:
            return None
        sums = both.read.ops + both.write.ops, both.read.bytes + both.write.bytes
        if sums == (ops - self.ramp_ops, moved - self.ramp_bytes):
            return None
        return "both directions do not add up to the trial without its ramp-up"

    def discrepancies(self, trial: int, moved: int, sampled: Sampled) -> Iterator[str]:
        """Yield which sums over samples and marks differ from a result with these bytes."""
        if sampled.marked_bytes + self.ramp_bytes != moved:
            yield (
                f"marks of trial {trial} add up to {sampled.marked_bytes} bytes after "
                f"{self.ramp_bytes} of the ramp-up, its result to {moved}"
            )
        if self.directions is None:
            return
        # the samples include the ramp-up, the directions do not
        read = self.directions.read.ops
        if not read <= (sampled.read_ops or 0) <= read + self.ramp_ops:
            yield (
                f"samples of trial {trial} add up to {sampled.read_ops} reads, its result to "
                f"{read} without the ramp-up of {self.ramp_ops} operations"
            )
