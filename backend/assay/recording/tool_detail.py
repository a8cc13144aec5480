"""What the result of a transfer by another program adds: its end, and what arrived."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from assay.recording.event_types import Count, NonEmptyText, Positive
from assay.recording.path_detail import NetworkCard

Output = Annotated[str, Field(max_length=8192)]


class ToolCommand(BaseModel):
    """How a command ended, or that it was still running, and the end of what it printed."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    exit_code: Count | None
    signal: Count | None
    ns: Count
    cpu_ns: Count
    output: Output
    errors: Output


class ToolArrival(BaseModel):
    """What was found at the sink; counts are of files or of records."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    intact: Count
    intact_bytes: Count
    missing: Count
    incomplete: Count
    wrong: Count
    duplicate: Count
    unexpected: Count
    unexpected_name: NonEmptyText | None

    @model_validator(mode="after")
    def _names_what_is_unexpected(self) -> Self:
        if (self.unexpected > 0) != (self.unexpected_name is not None):
            raise ValueError("a name belongs to unexpected files, and only to those")
        return self


class ToolDetail(BaseModel):
    """What the result of an end of a transfer by another program adds."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    side: Literal["source", "sink"]
    input_bytes: Count
    command: ToolCommand | None
    arrived_ns: Count | None
    told_ns: Count | None
    sync_ns: Count | None
    arrived: ToolArrival | None
    elsewhere_bytes: Count | None
    cpus: Positive
    idle_busy_ns: Count
    idle_window_ns: Count
    busy_ns: Count
    busy_window_ns: Count
    card: NetworkCard | None
    card_rx_bytes: Count | None
    card_tx_bytes: Count | None
