"""Types of the parameters of a tool test."""

from collections import Counter
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from assay.kinds.fields import HOUR_MS, distinct
from assay.kinds.programs import ToolName

NAME = "tool"

MOST_CELLS = 200
MOST_TRIALS = 5_000
MOST_FILES = 1_000_000
MOST_RECORDS = 10**9
LONGEST_RECORD = 2**20

SHORTEST_RECORD = 10
"""A record is its number in nine digits, then content, then the end of its line."""


def _each_once(tools: list[str]) -> list[str]:
    repeated = [tool for tool, count in Counter(tools).items() if count > 1]
    if repeated:
        raise PydanticCustomError(
            "repeated",
            "contains {value} more than once",
            {"value": repeated[0], "remedy": "List each tool once and use `repeats`."},
        )
    return tools


ToolNames = Annotated[
    list[ToolName], Field(min_length=1, max_length=20), AfterValidator(_each_once)
]
FirstPort = Annotated[int, Field(strict=True, ge=0, le=65_534)]
"""The first of two neighboring ports, or 0 for any free ones: a program may use both."""
FileCounts = Annotated[
    list[Annotated[int, Field(strict=True, ge=1, le=MOST_FILES)]],
    Field(min_length=1, max_length=20),
    distinct,
]
RecordLength = Annotated[int, Field(strict=True, ge=SHORTEST_RECORD, le=LONGEST_RECORD)]
ToolTime = Annotated[int, Field(strict=True, ge=1_000, le=24 * HOUR_MS)]
