"""The parameters of a sustained test: its test, and those of a trial."""

from typing import Literal, Self

from pydantic import ConfigDict, model_validator

from assay.kinds.examples import example
from assay.kinds.fields import (
    Blocks,
    CacheMode,
    refusal,
)
from assay.kinds.kind import BaseParameters
from assay.kinds.planning import Extent
from assay.kinds.sustained.contradictions import contradictions
from assay.kinds.sustained.declarations import SustainedFields
from assay.kinds.sustained.fields import (
    Caches,
    IoPriority,
    Length,
    Priority,
)


class SustainedTest(SustainedFields):
    """A long write or read, paced or not.

    Lists of blocks, queue depths, rates or bursts make a sweep; lists of caches and priorities make
    a comparison, with the first of each.

    *Mixed* reads and writes blocks of one working set: `read_percent` of its operations read.
    *Both* writes one ring of files and reads another at the same time, for the same duration; the
    parameters apply to each direction. `read_pace` paces its reads like its writes, or not, or by
    `read_rate_bytes_per_s`. The files of a read are written before each trial. `length` is of all
    streams; a duration reads a ring. `file_size` is that of each file of a sequence or a ring. A
    stream calls fdatasync every `sync_bytes`, or after the first write that ends `sync_ms` after
    its last sync. The threads have the CPU `priority` (`high`: nice −10; `fifo`, `rr`: real time)
    and the `io_priority`. Marks are set every `mark_bytes`. The highest rate of a sweep whose
    longest operation stays below `peak_limit_ns` is its sweet spot.

    With `access` *random*, the operations of a stream visit the blocks of its file in an order that
    follows from the `seed`: each block once, then again in another order. The file, of `file_size`,
    is the working set; it is written before each trial.
    With the engine *io_uring*, each stream has `queue_depth` operations in flight.

    Before each trial the file system is filled until `100 - fill_percent` percent of it are free,
    the working set is written `precondition_passes` times, and the storage rests for
    `idle_ms`. Several idle times show its recovery after a cliff: their trials follow each other in
    the given order, whatever `order` says.
    With `purge` an operator declares that the device was purged, which Assay cannot do.
    With `read_back` the files of a write are read and verified after its final sync.
    """

    model_config = ConfigDict(json_schema_extra=example("sustained", "test"))

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for one in contradictions(self):
            raise refusal(*one)
        return self


class ResolvedSustained(SustainedTest):
    """A sustained test as a run measures it: resolved values, and the requested as `*_asked`."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=example("sustained", "parameters"))

    length_asked: Length
    block_asked: Blocks
    cache_asked: Caches


class SustainedParameters(BaseParameters):
    """The parameters of one trial.

    `queue_depth` is that of each stream.
    `length_bytes` or `duration_ms` is 0, as are the pace's fields that it does not have; sizes are
    whole blocks. `offered_bytes_per_s` is null without pacing. `footprint_bytes` is the size of its
    files, as far as it is known. `cache`, `priority` and `io_priority` are null unless the test
    compares several.
    """

    kind: Literal["sustained"]
    block: int
    streams: int
    length_bytes: int
    duration_ms: int
    file_bytes: int
    files: int
    rate_bytes_per_s: int
    burst_blocks: int
    offered_bytes_per_s: int | None
    mark_bytes: int
    footprint_bytes: int
    idle_ms: int = 0
    queue_depth: int = 1
    cache: CacheMode | None = None
    priority: Priority | None = None
    io_priority: IoPriority | None = None

    @property
    def key(self) -> str:
        """Identifies the cell in the run."""
        paced = f"@{self.rate_bytes_per_s}" if self.rate_bytes_per_s else ""
        burst = f"x{self.burst_blocks}" if self.burst_blocks else ""
        idle = f"+{self.idle_ms}ms" if self.idle_ms else ""
        depth = f"q{self.queue_depth}" if self.queue_depth > 1 else ""
        modes = "".join(f"~{one}" for one in (self.cache, self.priority, self.io_priority) if one)
        return f"{self.block}{depth}{paced}{burst}{idle}{modes}"

    @property
    def extent(self) -> Extent:
        """What the duration of the trial depends on."""
        pace = (self.rate_bytes_per_s, self.burst_blocks, self.idle_ms)
        return Extent(
            self.length_bytes,
            self.duration_ms / 1000,
            self.block,
            self.streams * self.queue_depth,
            (*pace, self.cache, self.priority, self.io_priority),
        )


def offered_bytes_per_s(
    test: SustainedTest, block: int, rate: int, burst_blocks: int
) -> int | None:
    """Return the rate at which data arrives; None without pacing.

    Of bursts it is an upper bound, because a burst's own duration adds to the gap.
    """
    if test.pace == "rate":
        return rate
    if test.pace == "none":
        return None
    gap = test.gap_ns
    if test.quantum_ns:
        gap = -(-gap // test.quantum_ns) * test.quantum_ns
    return test.streams * burst_blocks * block * 10**9 // gap
