"""What the API says and hears about profiles and their tests."""

from collections import Counter
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from assay.http.field_types import Name, RequestBody, Storable, Text
from assay.profiles.expressions import ExpressionError, names_in

LARGEST_FILE = 2**62
SMALLEST_BLOCK, LARGEST_BLOCK = 512, 64 * 2**20
MOST_THREADS = 256
MOST_CELLS = 400
MOST_TRIALS = 20_000
HOUR_MS = 3_600_000

Kind = Literal["write", "read"]
Layout = Literal["fresh", "preallocated", "overwrite"]
Cache = Literal["page", "direct", "direct_if_real"]
OpenMode = Literal["rw", "rwd", "rws"]
Order = Literal["shuffled", "given"]


def _distinct(values: list[int]) -> list[int]:
    repeated = [value for value, count in Counter(values).items() if count > 1]
    if repeated:
        raise PydanticCustomError(
            "repeated",
            "names {value} more than once",
            {"value": repeated[0], "remedy": "Name each value once; repeats are a field."},
        )
    return values


def _file_size(value: object) -> int | str:
    """A size in bytes, or an expression that will give one."""
    if isinstance(value, int) and not isinstance(value, bool):
        if not 1 <= value <= LARGEST_FILE:
            raise PydanticCustomError(
                "size",
                "must be from 1 byte to 2^62 bytes",
                {"remedy": "Give a size in bytes, such as 500000000."},
            )
        return value
    if not isinstance(value, str):
        raise PydanticCustomError(
            "size",
            "must be a size in bytes or an expression",
            {"remedy": 'Give 500000000, or "2 * ram".'},
        )
    try:
        names_in(value)
    except ExpressionError as error:
        raise PydanticCustomError(
            "expression",
            "{reason}",
            {"reason": str(error), "remedy": 'Write it like "min(1 GB, free / 10)".'},
        ) from error
    return value


Blocks = Annotated[
    list[Annotated[int, Field(strict=True, ge=SMALLEST_BLOCK, le=LARGEST_BLOCK)]],
    Field(min_length=1, max_length=50),
    AfterValidator(_distinct),
]
Threads = Annotated[
    list[Annotated[int, Field(strict=True, ge=1, le=MOST_THREADS)]],
    Field(min_length=1, max_length=50),
    AfterValidator(_distinct),
]
Files = Annotated[int, Field(strict=True, ge=1, le=MOST_THREADS)]
FileSize = Annotated[
    int | str,
    PlainValidator(_file_size),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": LARGEST_FILE},
                {"type": "string"},
            ],
            "description": "Bytes of each file, or an expression: `2 * ram`",
        }
    ),
]
Timeout = Annotated[int, Field(strict=True, ge=100, le=100 * HOUR_MS)]
Repeats = Annotated[int, Field(strict=True, ge=1, le=100)]
SampleInterval = Annotated[int, Field(strict=True, ge=100, le=60_000)]
WatchDeadline = Annotated[int, Field(strict=True, ge=10_000, le=1000 * HOUR_MS)]
Title = Annotated[str, StringConstraints(min_length=1, max_length=200), Storable]

TEST_EXAMPLE: JsonDict = {
    "kind": "write",
    "title": "Write",
    "block": [65536, 262144],
    "threads": [1, 2],
    "files": 1,
    "file_size": "min(1 GB, free / 10)",
    "layout": "fresh",
    "cache": "direct_if_real",
    "open_mode": "rw",
    "timeout_ms": 60000,
    "sync_timeout_ms": 600000,
    "repeats": 3,
    "sample_ms": 1000,
    "order": "shuffled",
}


class Test(RequestBody):
    """One matrix: blocks × threads, each cell repeated, with what all its trials share."""

    __test__ = False  # not for pytest

    model_config = ConfigDict(json_schema_extra={"examples": [TEST_EXAMPLE]})

    kind: Kind
    title: Title
    block: Blocks
    threads: Threads
    files: Files = 1
    file_size: FileSize
    layout: Layout = "fresh"
    cache: Cache = "page"
    open_mode: OpenMode = "rw"
    timeout_ms: Timeout = 60_000
    sync_timeout_ms: Timeout = 600_000
    repeats: Repeats = 5
    sample_ms: SampleInterval = 1000
    order: Order = "shuffled"

    @property
    def cells(self) -> int:
        """Squares of the matrix."""
        return len(self.block) * len(self.threads)

    @property
    def trials(self) -> int:
        """Measurements on one target."""
        return self.cells * self.repeats

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.files > max(self.threads):
            raise PydanticCustomError(
                "files",
                "files ({files}) is over the largest thread count ({threads})",
                {
                    "field": "files",
                    "value": self.files,
                    "files": self.files,
                    "threads": max(self.threads),
                    "remedy": f"Give {max(self.threads)} files or fewer, or more threads.",
                },
            )
        if self.cells > MOST_CELLS or self.trials > MOST_TRIALS:
            raise PydanticCustomError(
                "cells",
                "makes {cells} cells and {trials} trials; {most} cells and {most_trials} trials "
                "are the most",
                {
                    "field": "block",
                    "value": self.block,
                    "cells": self.cells,
                    "trials": self.trials,
                    "most": MOST_CELLS,
                    "most_trials": MOST_TRIALS,
                    "remedy": "Name fewer blocks or threads, or fewer repeats.",
                },
            )
        return self


class ProfileBody(RequestBody):
    """The tests, in their order, and how long a probe goes on when nobody follows it."""

    tests: Annotated[list[Test], Field(min_length=1, max_length=50)]
    watch_ms: WatchDeadline = 600_000


_BODY: JsonDict = {"tests": [TEST_EXAMPLE], "watch_ms": 600000}


class ProfileIn(RequestBody):
    """A profile, or its next version."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"name": "My matrix", "description": "Two blocks", "body": _BODY}]
        }
    )

    name: Name
    description: Text = ""
    body: ProfileBody


class ProfileCopy(RequestBody):
    """The name of a copy."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "My first look"}]})

    name: Name


class ProfileOut(BaseModel):
    """One version of a profile."""

    model_config = ConfigDict(
        title="Profile",
        from_attributes=True,
        json_schema_extra={
            "examples": [
                {
                    "id": 1,
                    "slug": "first-look",
                    "name": "First look",
                    "version": 1,
                    "builtin": True,
                    "description": "Direct write, then read, within a minute.",
                    "created_at": "2026-11-21T01:00:00Z",
                    "body": _BODY,
                }
            ]
        },
    )

    id: int
    slug: str
    name: str
    version: int
    builtin: bool
    description: str
    created_at: datetime
    body: ProfileBody


def document(body: ProfileBody) -> dict[str, Any]:
    """The body as the database keeps it."""
    return body.model_dump(mode="json")
