"""What follows a result: its files are read back, or their records counted again.

That may take hours, so the probe reports the result first: its death meanwhile costs nothing that
was measured. That result says that nothing was verified yet, which then holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from assay.kinds.detail import ReadBackFields
from assay.kinds.event_types import Count, Event, NonEmptyText, Positive


class ReadBackEvent(Event, ReadBackFields):
    """What was verified of the files of an attempt with a result; it replaces what that said."""

    ev: Literal["readback"]
    trial: Count
    attempt: Positive

    @property
    def fields(self) -> dict[str, Any]:
        """What it verified, as in a result."""
        return self.model_dump(mode="json", include=set(ReadBackFields.model_fields))


class RecountRow(BaseModel):
    """The records of one sender in the file; `expected` and `lost` are null if nobody knows.

    `end` is one more than the highest number found, `missing` are below it, `gaps` the first ranges
    of them.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    sender: Annotated[int, Field(ge=0, le=31)]
    intact: Count
    duplicates: Count
    end: Count
    missing: Count
    gaps: Annotated[
        list[Annotated[list[Count], Field(min_length=2, max_length=2)]], Field(max_length=16)
    ]
    expected: Count | None
    lost: Count | None


class RecountEvent(Event):
    """The records of a receiver's file, counted again.

    After the result of its trial, or (`left`) before a later attempt, in the file of the attempt
    whose probe died.
    """

    ev: Literal["recount"]
    trial: Count
    attempt: Positive
    left: bool
    whole: bool
    error: NonEmptyText | None
    bytes: Count
    ns: Count
    wrong: Count
    torn: Count
    blank_bytes: Count
    senders: Annotated[list[RecountRow], Field(min_length=1, max_length=32)]

    @property
    def fields(self) -> dict[str, object]:
        """What was found."""
        return self.model_dump(
            include={"whole", "error", "bytes", "ns", "wrong", "torn", "blank_bytes", "senders"}
        )


@dataclass(frozen=True)
class StoredResult:
    """The stored `result` event of the attempt with this id."""

    id: int
    result: Mapping[str, Any]


def awaits_read_back(result: Mapping[str, Any]) -> bool:
    """Return whether the files of an attempt were to be read back, but nothing of it is known."""
    detail: Mapping[str, Any] = result.get("detail") or {}
    due: Mapping[str, Any] | None = detail.get("read_back")
    return due is not None and not due["whole"] and not due["bytes"] and not due["error"]


RECOUNT = "recount"
"""Key in a stored result: what counting the records in its file again has found, else absent."""


def recounted(result: Mapping[str, Any], recount: RecountEvent) -> dict[str, Any]:
    """Return a result with what counting the records in its file again has found."""
    return {**result, RECOUNT: recount.fields}


def verified(result: Mapping[str, Any], read_back: ReadBackEvent) -> dict[str, Any]:
    """Return a result with what was verified of its files, besides its own reads if it had any."""
    detail = {**result["detail"], "read_back": read_back.fields}
    errors = result["verify_errors"] + read_back.errors
    return {**result, "detail": detail, "verify_errors": errors}
