"""Types of request fields that several packages share."""

import re
from typing import Annotated, Any, cast

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
"""Far more than any body has; listing a million unknown fields would block the API."""


def _storable(text: str) -> str:
    if "\x00" in text:
        raise PydanticCustomError(
            "nul", "must not contain a NUL character", {"remedy": "Remove the NUL character."}
        )
    return text


Storable = AfterValidator(_storable)
"""Rejects text that PostgreSQL cannot store: for values that may have line breaks and more, such as
paths, and for those that are only compared.
"""


def _refuse(bad: str | None, kept: str) -> None:
    if bad is not None:
        raise PydanticCustomError(
            "control_characters",
            "must not contain {kept} control characters",
            {"kept": kept, "remedy": f"Remove the character U+{ord(bad):04X}."},
        )


def _one_line(text: str) -> str:
    _refuse(next((c for c in text if not c.isprintable()), None), "line breaks or other")
    return text


OneLine = AfterValidator(_one_line)
"""Rejects line breaks, tabs, and control and format characters, such as escape sequences and
changes of the writing direction: for names, and for all text that is written on a line.
"""


def _lines(text: str) -> str:
    _refuse(next(iter(_NOT_IN_LINES.findall(text)), None), "other")
    return text


_NOT_IN_LINES = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

Lines = AfterValidator(_lines)
"""Rejects control characters other than line breaks and tabs: for text of several lines."""


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "must not be blank", {"remedy": "Give a name."})
    return text


Reference = Annotated[int, Field(ge=1, le=LARGEST_INTEGER)]
"""The id of another object, in a body."""

Text = Annotated[str, StringConstraints(max_length=2000), Lines]
"""Free text of several lines."""

ShortText = Annotated[str, StringConstraints(max_length=200), OneLine]

Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=100),
    OneLine,
    AfterValidator(_not_blank),
]
"""A name of any characters of one line, including quotes and all scripts."""

Title = Annotated[str, StringConstraints(min_length=1, max_length=200), OneLine]

NameOf = (
    Annotated[
        str,
        StringConstraints(min_length=1, max_length=2500),
        Storable,
        Field(description="By name, instead of by id"),
    ]
    | None
)
"""The name of another object, in a body."""

EntityTag = Annotated[
    str,
    Field(description="Send it as `If-Match` with a change: it then fails if others came first"),
]

ManagingFile = Annotated[
    str | None,
    Field(description="The qualification file that created the object and may remove it"),
]

Id = Annotated[int, Field(ge=1, le=LARGEST_INTEGER, description="The object's id")]
"""An id in a path."""


class RequestBody(BaseModel):
    """A request body; unknown fields are errors."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _has_no_flood_of_fields(cls, body: Any) -> Any:
        count = len(cast("dict[str, Any]", body)) if isinstance(body, dict) else 0
        if count > MOST_FIELDS:
            raise PydanticCustomError(
                "flood",
                "has more than {most} fields",
                {"most": MOST_FIELDS, "remedy": "Send only documented fields."},
            )
        return cast("Any", body)


def not_both(one: str, other: str, *, required: bool = False) -> Any:
    """Return a validator of a model: an object is given by id or by name, not by both.

    With `required`, it must be given.
    """

    def check(body: Any) -> Any:
        given = [name for name in (one, other) if getattr(body, name)]
        if len(given) == 2 or (required and not given):
            raise PydanticCustomError(
                "id_or_name",
                "must be given by either `{one}` or `{other}`",
                {"one": one, "other": other, "remedy": "Give one of them.", "field": other},
            )
        return body

    return model_validator(mode="after")(check)
