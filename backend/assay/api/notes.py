"""API types of notes."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from assay.base.field_types import Lines, RequestBody

LONGEST_TEXT = 64_000
"""Bytes in UTF-8."""

_TEXT = "Second controller replaced on **21 November**; see [CHG-3310](https://example.com/3310)."
_CHANGED_AT = "2026-11-21T09:14:03.512846Z"


def _not_too_long(text: str) -> str:
    size = len(text.encode())
    if size > LONGEST_TEXT:
        raise PydanticCustomError(
            "notes",
            "has {size} bytes, but the maximum is {most}",
            {"size": size, "most": LONGEST_TEXT, "remedy": "Shorten it."},
        )
    return text


class NotesIn(RequestBody):
    """Notes in Markdown; an empty text removes them."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": _TEXT}]})

    text: Annotated[str, Lines, AfterValidator(_not_too_long)] = Field(
        description=f"At most {LONGEST_TEXT} bytes in UTF-8"
    )
    replaces: AwareDatetime | None = Field(
        default=None,
        description="`changed_at` of the notes that this text replaces: rejected if they have "
        "been changed since. Null if there were none; omit it to replace any",
    )


class NotesOut(BaseModel):
    """The notes on an object; empty if there are none."""

    model_config = ConfigDict(
        title="Notes",
        json_schema_extra={
            "examples": [{"text": _TEXT, "changed_at": _CHANGED_AT, "changed_by": "ada"}]
        },
    )

    text: str
    changed_at: datetime | None
    changed_by: str | None
