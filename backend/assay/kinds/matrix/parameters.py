"""The parameters of a matrix: its test, and those of a trial."""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from assay.kinds.examples import example
from assay.kinds.fields import (
    CACHE,
    ORDER,
    REPEATS,
    SAMPLING_INTERVAL,
    SYNC_LIMIT,
    TIME_LIMIT,
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
from assay.kinds.parameters import Choice, Group, Parameter
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
MATRIX = Group("Matrix")
IO_PATH = Group("I/O path")
LIMITS = Group("Limits, sampling and order", folded=True)


class MatrixTest(BaseTest):
    """One matrix: blocks × threads, repeats, and the parameters that all its trials share."""

    model_config = ConfigDict(json_schema_extra=example("matrix", "test"))

    kind: Literal["matrix"]
    operation: Annotated[
        Operation,
        Parameter(
            "Operation",
            choices=(Choice("write", "Write"), Choice("read", "Read")),
            fixed=True,
            in_plan=True,
        ),
    ]
    block: Annotated[
        Blocks,
        Parameter(
            "Block sizes",
            "I/O size; one row per value.",
            "sizes",
            MATRIX,
            wide=True,
            plan_name="block",
            common=True,
        ),
    ]
    threads: Annotated[
        Threads,
        Parameter(
            "Threads",
            "Concurrent writers or readers; one column per value.",
            "counts",
            MATRIX,
            plan_name="threads",
            common=True,
        ),
    ]
    file_size: Annotated[
        FileSize,
        Parameter(
            "File size",
            "Size of each file, or an expression of ram, free, cpus and rate: 3 * ram exceeds the "
            "page cache.",
            "expression",
            MATRIX,
            in_plan=True,
            common=True,
        ),
    ]
    files: Annotated[
        Files,
        Parameter(
            "Concurrent files",
            "At most one per thread; threads that share a file alternate block by block.",
            "count",
            MATRIX,
            column="concurrent_files",
            plan_name="files",
            common=True,
        ),
    ] = 1
    repeats: Annotated[
        RepeatCount,
        REPEATS.in_group(
            MATRIX,
            help="Passes over the whole matrix. Use five or more to tell differences from noise.",
        ),
    ] = 5
    cache: Annotated[Cache, CACHE.in_group(IO_PATH, plan_name="cache")] = "page"
    open_mode: Annotated[
        OpenMode,
        Parameter(
            "Open mode",
            "Sync behavior of each write.",
            group=IO_PATH,
            choices=(
                Choice("rw", "rw", "no sync"),
                Choice("rwd", "rwd", "sync data (O_DSYNC)"),
                Choice("rws", "rws", "sync data and metadata (O_SYNC)"),
            ),
            in_plan=True,
            plan_name="open",
        ),
    ] = "rw"
    layout: Annotated[
        Layout,
        Parameter(
            "Layout",
            "Grow, preallocate or overwrite.",
            group=IO_PATH,
            choices=(
                Choice("fresh", "Fresh", "grow a new file"),
                Choice("preallocated", "Preallocated"),
                Choice("overwrite", "Overwrite existing data"),
            ),
            in_plan=True,
        ),
    ] = "fresh"
    timeout_ms: Annotated[Timeout, TIME_LIMIT.in_group(LIMITS)] = 60_000
    sync_timeout_ms: Annotated[Timeout, SYNC_LIMIT.in_group(LIMITS)] = 600_000
    sample_ms: Annotated[SampleInterval, SAMPLING_INTERVAL.in_group(LIMITS)] = 1000
    order: Annotated[Order, ORDER.in_group(LIMITS)] = "shuffled"

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
