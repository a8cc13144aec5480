"""The parameters of a tool test: its test, the overrides of a campaign, and those of a trial."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from assay.http.field_types import RequestBody
from assay.kinds.examples import example
from assay.kinds.fields import (
    Address,
    FileSize,
    Order,
    RepeatCount,
    SampleInterval,
    Timeout,
    check_addresses,
    refusal,
)
from assay.kinds.kind import BaseParameters, BaseTest
from assay.kinds.path.fields import Family
from assay.kinds.planning import Extent
from assay.kinds.programs import Input, ToolDefinition
from assay.kinds.tool.fields import (
    MOST_CELLS,
    MOST_TRIALS,
    FileCounts,
    FirstPort,
    RecordLength,
    ToolNames,
    ToolTime,
)

LABELS: dict[str, str] = {
    "tools": "Tools",
    "definitions": "Commands of the tools",
    "length": "Length",
    "files": "Files",
    "record_bytes": "Record length",
    "duration_ms": "Duration of memory to memory",
    "family": "IP version",
    "port": "Port",
    "source_address": "Address of the source",
    "sink_address": "Address of the sink",
    "timeout_ms": "Time limit",
    "sync_timeout_ms": "Sync limit",
    "repeats": "Repeats",
    "sample_ms": "Sampling interval",
    "order": "Order",
}
"""The parameters that are conditions of a result, in the order of display."""


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
    tools: ToolNames
    length: FileSize
    files: FileCounts = Field(default=[100])
    record_bytes: RecordLength = 1024
    duration_ms: ToolTime = 10_000
    family: Family = "any"
    port: FirstPort = 0
    source_address: Address | None = None
    sink_address: Address | None = None
    timeout_ms: Timeout = 3_600_000
    sync_timeout_ms: Timeout = 600_000
    repeats: RepeatCount = 3
    sample_ms: SampleInterval = 1000
    order: Order = "shuffled"

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
    definitions: list[ToolDefinition]


class ToolOverrides(RequestBody):
    """Values that replace those of every test of the profile."""

    tools: ToolNames | None = None
    length: FileSize | None = None
    files: FileCounts | None = None
    record_bytes: RecordLength | None = None
    duration_ms: ToolTime | None = None
    family: Family | None = None
    port: FirstPort | None = None
    source_address: Address | None = None
    sink_address: Address | None = None
    timeout_ms: Timeout | None = None
    sync_timeout_ms: Timeout | None = None
    repeats: RepeatCount | None = None
    sample_ms: SampleInterval | None = None
    order: Order | None = None


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
    records: int
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
