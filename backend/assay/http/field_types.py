"""Types of request fields that several nouns share."""

from typing import Annotated, Any, cast

from fastapi import Path
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)
from pydantic_core import PydanticCustomError

LARGEST_INTEGER = 2**63 - 1

MOST_FIELDS = 100
"""Far more than any body has: to name a million unknown ones takes the API's time from others."""


def _storable(text: str) -> str:
    if "\x00" in text:
        raise PydanticCustomError(
            "nul", "must not hold a NUL character", {"remedy": "Take the NUL character out."}
        )
    return text


Storable = AfterValidator(_storable)
"""Refuses what PostgreSQL cannot store."""


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "must not be blank", {"remedy": "Give a name."})
    return text


Reference = Annotated[int, Field(ge=1, le=LARGEST_INTEGER)]
"""The id of another object, in a body."""

Text = Annotated[str, StringConstraints(max_length=2000), Storable]
"""Free text; any characters but NUL, which PostgreSQL cannot store."""

ShortText = Annotated[str, StringConstraints(max_length=200), Storable]

Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=100),
    Storable,
    AfterValidator(_not_blank),
]
"""A name: any characters, quotes, newlines and other scripts included."""

Id = Annotated[int, Path(ge=1, le=LARGEST_INTEGER, description="Its id, as lists show it")]
"""An id in a path."""


class RequestBody(BaseModel):
    """A body from outside: a field that is not known is a mistake, and said to be one."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _has_no_flood_of_fields(cls, body: Any) -> Any:
        count = len(cast("dict[str, Any]", body)) if isinstance(body, dict) else 0
        if count > MOST_FIELDS:
            raise PydanticCustomError(
                "flood",
                "has more than {most} fields",
                {"most": MOST_FIELDS, "remedy": "Send those that are documented."},
            )
        return cast("Any", body)
