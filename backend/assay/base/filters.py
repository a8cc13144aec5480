"""Filters that lists share: ids, times, and words in names."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Query
from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError
from sqlalchemy import ColumnElement, and_, or_, true
from sqlalchemy.orm import InstrumentedAttribute

from assay.base.errors import Invalid
from assay.base.field_errors import FieldError
from assay.base.field_types import LARGEST_INTEGER, Storable

Column = InstrumentedAttribute[str] | InstrumentedAttribute[str | None] | ColumnElement[str]

LONGEST_TEXT = 100
LONGEST_NAME = 2500
"""As in a body: a host's name and a path."""

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")


def _instant(value: object) -> datetime:
    """Return a time; raises PydanticCustomError. pydantic would read `2026` as seconds."""
    try:
        if not isinstance(value, str) or not _DAY.match(value):
            raise ValueError(value)
        at = datetime.fromisoformat(value)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise PydanticCustomError(
            "instant",
            "must be a date or a time",
            {"remedy": "Write it like 2027-01-31 or 2027-01-31T12:00:00Z."},
        ) from error


Instant = Annotated[datetime, BeforeValidator(_instant)]

HostId = Annotated[
    int | None, Query(ge=1, le=LARGEST_INTEGER, description="Only those of this host")
]
TargetId = Annotated[
    int | None, Query(ge=1, le=LARGEST_INTEGER, description="Only those of this target")
]
ArrayId = Annotated[
    int | None, Query(ge=1, le=LARGEST_INTEGER, description="Only those of this array")
]
HostName = Annotated[
    Annotated[str, Storable] | None,
    Query(max_length=LONGEST_NAME, description="The same by name or slug"),
]
TargetName = Annotated[
    Annotated[str, Storable] | None,
    Query(max_length=LONGEST_NAME, description="The same by name: `lab1/mnt/disk`"),
]
ArrayName = Annotated[
    Annotated[str, Storable] | None,
    Query(max_length=LONGEST_NAME, description="The same by name or slug"),
]
CampaignId = Annotated[
    int | None, Query(ge=1, le=LARGEST_INTEGER, description="Only those of this campaign")
]
Since = Annotated[
    Instant | None,
    Query(alias="from", description="Only those at or after this date or time; UTC by default"),
]
Until = Annotated[
    Instant | None,
    Query(alias="to", description="Only those before this date or time; UTC by default"),
]
Words = Annotated[
    Annotated[str, Storable] | None,
    Query(max_length=LONGEST_TEXT, description="Only those whose name has all of these words"),
]


def between(
    column: InstrumentedAttribute[datetime], since: datetime | None, until: datetime | None
) -> list[ColumnElement[bool]]:
    """Return SQL for times from `since` until before `until`; raises Invalid if there are none."""
    if since is not None and until is not None and until <= since:
        remedy = f"Give a time after {since.isoformat()}."
        raise Invalid([FieldError("to", "must be after `from`", remedy, until.isoformat())])
    found: list[ColumnElement[bool]] = []
    if since is not None:
        found.append(column >= since)
    if until is not None:
        found.append(column < until)
    return found


Mention = Callable[[str], ColumnElement[bool]]
"""SQL for whether a word is in what belongs to a row, such as its labels."""


def has_words(text: str, *columns: Column, beside: Mention | None = None) -> ColumnElement[bool]:
    """Return SQL for whether each word of `text` is in one of the columns, in either case.

    A word may also be in what `beside` looks at.
    """
    return and_(
        true(),
        *(
            or_(
                *(has_word(column, word) for column in columns),
                *([beside(word)] if beside else []),
            )
            for word in text.split()
        ),
    )


def has_word(column: Column, word: str) -> ColumnElement[bool]:
    """Return SQL for whether a column contains `word`, in either case."""
    return column.icontains(word, autoescape=True)
