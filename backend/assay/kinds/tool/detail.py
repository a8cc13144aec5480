"""What the result of a transfer by another program adds: its end, and what arrived."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from assay.kinds.detail import BaseDetail
from assay.kinds.event_types import Count, NonEmptyText, Positive
from assay.kinds.transfer.detail import CardDetail, DetailPart

Output = Annotated[str, Field(max_length=8192)]


class ToolCommand(DetailPart):
    """How a command ended, or that it was still running, and the end of what it printed."""

    exit_code: Count | None
    signal: Count | None
    ns: Count
    cpu_ns: Count
    output: Output
    errors: Output


class ToolArrival(DetailPart):
    """What was found at the sink; counts are of files or of records."""

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


class ToolDetail(BaseDetail):
    """What the result of an end of a transfer by another program adds."""

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
    card: CardDetail | None
    card_rx_bytes: Count | None
    card_tx_bytes: Count | None
