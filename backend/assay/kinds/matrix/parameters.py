"""The parameters of a matrix: its test, the overrides of a campaign, and those of a trial."""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from assay.http.field_types import RequestBody
from assay.kinds.examples import example
from assay.kinds.fields import (
    Blocks,
    Cache,
    FileSize,
    Order,
    RepeatCount,
    SampleInterval,
    Timeout,
    distinct,
    refusal,
)
from assay.kinds.kind import BaseParameters, BaseTest
from assay.kinds.planning import Extent

MOST_THREADS = 256
MOST_CELLS = 400
MOST_TRIALS = 20_000

NAME = "matrix"

Operation = Literal["write", "read"]
Layout = Literal["fresh", "preallocated", "overwrite"]
OpenMode = Literal["rw", "rwd", "rws"]


Threads = Annotated[
    list[Annotated[int, Field(strict=True, ge=1, le=MOST_THREADS)]],
    Field(min_length=1, max_length=50),
    distinct,
]
Files = Annotated[int, Field(strict=True, ge=1, le=MOST_THREADS)]
LABELS: dict[str, str] = {
    "operation": "Operation",
    "block": "Block sizes",
    "threads": "Threads",
    "files": "Concurrent files",
    "file_size": "File size",
    "layout": "Layout",
    "cache": "Cache",
    "open_mode": "Open mode",
    "timeout_ms": "Time limit",
    "sync_timeout_ms": "Sync limit",
    "repeats": "Repeats",
    "sample_ms": "Sampling interval",
    "order": "Order",
}
"""The parameters that are conditions of a result, in the order of display."""


class MatrixTest(BaseTest):
    """One matrix: blocks × threads, repeats, and the parameters that all its trials share."""

    model_config = ConfigDict(json_schema_extra=example("matrix", "test"))

    kind: Literal["matrix"]
    operation: Operation
    block: Blocks
    threads: Threads
    files: Files = 1
    file_size: FileSize
    layout: Layout = "fresh"
    cache: Cache = "page"
    open_mode: OpenMode = "rw"
    timeout_ms: Timeout = 60_000
    sync_timeout_ms: Timeout = 600_000
    repeats: RepeatCount = 5
    sample_ms: SampleInterval = 1000
    order: Order = "shuffled"

    @property
    def cells(self) -> int:
        """Number of cells."""
        return len(self.block) * len(self.threads)

    @property
    def trials(self) -> int:
        """Number of trials on one target."""
        return self.cells * self.repeats

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.files > max(self.threads):
            raise refusal(
                "files",
                self.files,
                f"files ({self.files}) is over the largest thread count ({max(self.threads)})",
                f"Use at most {max(self.threads)} files, or more threads.",
            )
        if self.cells > MOST_CELLS or self.trials > MOST_TRIALS:
            raise refusal(
                "block",
                self.block,
                f"makes {self.cells} cells and {self.trials} trials; "
                f"the maximum is {MOST_CELLS} cells and {MOST_TRIALS} trials",
                "Use fewer blocks, threads or repeats.",
            )
        return self


class ResolvedMatrix(MatrixTest):
    """A matrix as a run measures it: with resolved values, and the requested ones as `*_asked`."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=example("matrix", "parameters"))

    file_size_asked: FileSize
    cache_asked: Cache


class MatrixOverrides(RequestBody):
    """Values that replace those of every test of the profile."""

    block: Blocks | None = None
    threads: Threads | None = None
    files: Files | None = None
    file_size: FileSize | None = None
    layout: Layout | None = None
    cache: Cache | None = None
    open_mode: OpenMode | None = None
    timeout_ms: Timeout | None = None
    sync_timeout_ms: Timeout | None = None
    repeats: RepeatCount | None = None
    sample_ms: SampleInterval | None = None
    order: Order | None = None


class MatrixParameters(BaseParameters):
    """The parameters of one trial; `file_size` is rounded up to whole blocks."""

    kind: Literal["matrix"]
    block: int
    threads: int
    files: int
    file_size: int

    @property
    def key(self) -> str:
        """Identifies the cell in the run."""
        return f"{self.block}x{self.threads}"

    @property
    def extent(self) -> Extent:
        """What the duration of the trial depends on."""
        return Extent(self.bytes, 0, self.block, self.threads)

    @property
    def bytes(self) -> int:
        """Bytes that one trial moves."""
        return self.files * self.file_size
