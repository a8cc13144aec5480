"""The parameters of a tool test: its test, and those of a trial."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from assay.base import words
from assay.kinds.examples import example
from assay.kinds.fields import (
    HOUR_MS,
    LIMITS_AND_SAMPLING,
    ORDER,
    REPEATS,
    SAMPLING_INTERVAL,
    SYNC_LIMIT,
    TIME_LIMIT,
    FileSize,
    Order,
    RepeatCount,
    SampleInterval,
    Timeout,
    distinct,
    each_once,
    refusal,
)
from assay.kinds.kind import BaseParameters, BaseTest
from assay.kinds.parameters import Group, Parameter
from assay.kinds.planning import Extent
from assay.kinds.programs import Input, ToolDefinition, ToolName
from assay.kinds.transfer.fields import (
    CONNECTION,
    FAMILY,
    PORT,
    SINK_ADDRESS,
    SOURCE_ADDRESS,
    Address,
    Family,
    check_addresses,
)

NAME = "tool"

MOST_CELLS = 200
MOST_TRIALS = 5_000
MOST_FILES = 1_000_000
MOST_RECORDS = 10**9
LONGEST_RECORD = 2**20

SHORTEST_RECORD = 10
"""A record is its number in nine digits, then content, then the end of its line."""


ToolNames = Annotated[list[ToolName], Field(min_length=1, max_length=20), each_once("tool")]
FirstPort = Annotated[int, Field(strict=True, ge=0, le=65_534)]
"""The first of two neighboring ports, or 0 for any free ones: a program may use both."""
FileCounts = Annotated[
    list[Annotated[int, Field(strict=True, ge=1, le=MOST_FILES)]],
    Field(min_length=1, max_length=20),
    distinct,
]
RecordLength = Annotated[int, Field(strict=True, ge=SHORTEST_RECORD, le=LONGEST_RECORD)]
ToolTime = Annotated[int, Field(strict=True, ge=1_000, le=24 * HOUR_MS)]

INPUT = Group("Tools and input")


class ToolTest(BaseTest):
    """The same input, moved from a source to a sink by other programs, measured from outside.

    Each of `tools`, which an administrator has defined, moves `length` bytes: as so many `files` of
    equal size, or as records of `record_bytes` in one file, as the tool takes it. All tools of a
    test take the same. A tool that generates its own data does so for `duration_ms`. The input is
    written, synced and dropped from the page cache before each trial. `port` is the first of two
    that a tool may use; 0 takes free ones.
    """

    model_config = ConfigDict(json_schema_extra=example("tool", "test"))

    kind: Literal["tool"]
    tools: Annotated[
        ToolNames,
        Parameter(
            "Tools",
            "By name; each moves the same input. Administrators define them.",
            "tools",
            INPUT,
            wide=True,
            column="tool",
            common=True,
        ),
    ]
    length: Annotated[
        FileSize,
        Parameter(
            "Length",
            "Data of each trial, such as 10 GB or 2 * ram.",
            "expression",
            INPUT,
            common=True,
        ),
    ]
    files: Annotated[
        FileCounts,
        Parameter(
            "Files",
            "For tools that move files: how many, of equal size; one cell per value and tool.",
            "counts",
            INPUT,
            plan_name="files",
            common=True,
        ),
    ] = Field(default=[100])
    record_bytes: Annotated[
        RecordLength,
        Parameter(
            "Record length",
            f"For tools that move records: {SHORTEST_RECORD} B to {words.block(LONGEST_RECORD)}, "
            "with the end of the line.",
            "size",
            INPUT,
            plan_name="record_bytes",
            common=True,
        ),
    ] = 1024
    duration_ms: Annotated[
        ToolTime,
        Parameter(
            "Duration",
            "For tools that generate their own data.",
            "duration_ms",
            INPUT,
            common=True,
        ),
    ] = 10_000
    repeats: Annotated[RepeatCount, REPEATS.in_group(INPUT)] = 3
    family: Annotated[Family, FAMILY.in_group(CONNECTION)] = "any"
    port: Annotated[
        FirstPort,
        PORT.in_group(
            CONNECTION,
            help="The first of two ports for the tool; 0 for any free ones.",
            plan_name="port",
        ),
    ] = 0
    source_address: Annotated[Address | None, SOURCE_ADDRESS.in_group(CONNECTION)] = None
    sink_address: Annotated[Address | None, SINK_ADDRESS.in_group(CONNECTION)] = None
    timeout_ms: Annotated[Timeout, TIME_LIMIT.in_group(LIMITS_AND_SAMPLING)] = 3_600_000
    sync_timeout_ms: Annotated[Timeout, SYNC_LIMIT.in_group(LIMITS_AND_SAMPLING)] = 600_000
    sample_ms: Annotated[SampleInterval, SAMPLING_INTERVAL.in_group(LIMITS_AND_SAMPLING)] = 1000
    order: Annotated[Order, ORDER.in_group(LIMITS_AND_SAMPLING)] = "shuffled"

    @property
    def cells(self) -> int:
        """Number of parameter combinations."""
        return len(self.tools) * len(self.files)

    @property
    def trials(self) -> int:
        """Number of trials of one source and sink."""
        return self.cells * self.repeats

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.cells > MOST_CELLS or self.trials > MOST_TRIALS:
            raise refusal(
                "repeats",
                self.repeats,
                f"makes {self.cells} cells and {self.trials} trials; the maximum is {MOST_CELLS} "
                f"cells and {MOST_TRIALS} trials",
                "Use fewer tools, file counts or repeats.",
            )
        check_addresses(self, "source_address", "sink_address")
        return self


class ResolvedTool(ToolTest):
    """A tool test as a run measures it: the definitions of its tools as they were at the launch."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=example("tool", "parameters"))

    length: int  # pyright: ignore[reportIncompatibleVariableOverride]
    length_asked: FileSize
    definitions: Annotated[list[ToolDefinition], Parameter("Commands of the tools")]


class ToolParameters(BaseParameters):
    """The parameters of one trial.

    `files` and `file_bytes` are 0 unless the input is files, `records` and `record_bytes` unless it
    is records, `duration_ms` unless the tool generates its own data. `length_bytes` is the input.
    """

    kind: Literal["tool"]
    tool: str
    input: Input
    length_bytes: int
    files: int
    file_bytes: int
    records: Annotated[int, Parameter("Records", column="input_records")]
    record_bytes: int
    duration_ms: int

    @property
    def key(self) -> str:
        """Identifies the cell in the run."""
        return f"{self.tool}-{self.files}" if self.files else self.tool

    @property
    def extent(self) -> Extent:
        """What the duration of the trial depends on."""
        input_of = (self.tool, self.input, self.files, self.record_bytes)
        return Extent(self.length_bytes, self.duration_ms / 1000, variant=input_of)


def definition_of(parameters: Mapping[str, Any], tool: str) -> ToolDefinition:
    """Return a tool's definition from the parameters of a run."""
    found = next(one for one in parameters["definitions"] if one["name"] == tool)
    return ToolDefinition.model_validate(found)
