"""Types of parameters that several test kinds have, and their declarations."""

from collections import Counter
from collections.abc import Hashable
from typing import Annotated, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from assay.base import words
from assay.kinds.expressions import ExpressionError, names_in
from assay.kinds.parameters import Choice, Group, Parameter

Value = TypeVar("Value", bound=Hashable)

LARGEST_FILE = 2**62
SMALLEST_BLOCK, LARGEST_BLOCK = 512, 64 * 2**20
HOUR_MS = 3_600_000
SHORTEST_SAMPLE_MS, LONGEST_SAMPLE_MS = 100, 60_000

Cache = Literal["page", "direct", "direct_if_real"]
CacheMode = Literal["page", "direct"]
"""What a run uses in the end."""

Order = Literal["shuffled", "given"]


def refusal(field: str, value: object, message: str, remedy: str) -> PydanticCustomError:
    """Return the error of a field whose value does not fit those of others."""
    return PydanticCustomError(
        "misfit",
        "{message}",
        {"field": field, "value": value, "message": message, "remedy": remedy},
    )


def each_once(noun: str) -> AfterValidator:
    """Return what refuses a list that contains one of its values twice."""

    def check(values: list[Value]) -> list[Value]:
        repeated = [value for value, count in Counter(values).items() if count > 1]
        if repeated:
            raise PydanticCustomError(
                "repeated",
                "contains {value} more than once",
                {
                    "value": repeated[0],
                    "remedy": f"List each {noun} once and use `repeats`.",
                },
            )
        return values

    return AfterValidator(check)


distinct = each_once("value")


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


one_or_several = BeforeValidator(_listed)
"""Takes a word for a list of one."""


def validate_size(value: object, most: int = LARGEST_FILE) -> int | str:
    """Validate a size in bytes, or an expression; raises PydanticCustomError."""
    if isinstance(value, int) and not isinstance(value, bool):
        if not 1 <= value <= most:
            raise PydanticCustomError(
                "size",
                "must be from 1 byte to 2^{exponent} bytes",
                {
                    "exponent": most.bit_length() - 1,
                    "remedy": "Use a size in bytes, such as 500000000.",
                },
            )
        return value
    if not isinstance(value, str):
        raise PydanticCustomError(
            "size",
            "must be a size in bytes or an expression",
            {"remedy": 'Use a number such as 500000000, or "2 * ram".'},
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
    distinct,
]
FileSize = Annotated[
    int | str,
    PlainValidator(validate_size),
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
RepeatCount = Annotated[int, Field(strict=True, ge=1, le=100)]
SampleInterval = Annotated[int, Field(strict=True, ge=SHORTEST_SAMPLE_MS, le=LONGEST_SAMPLE_MS)]

LIMITS_AND_SAMPLING = Group("Limits and sampling", folded=True)

CACHE = Parameter(
    "Cache",
    "Direct I/O bypasses the page cache. The test fails if the file system does not support it.",
    choices=(
        Choice("page", "Page cache"),
        Choice("direct", "Direct (O_DIRECT)"),
        Choice("direct_if_real", "Direct, else page cache", in_plan=False),
    ),
    common=True,
)
TIME_LIMIT = Parameter(
    "Time limit",
    "Per trial, without the final sync. Data transferred by then counts.",
    "duration_ms",
    in_plan=True,
)
SYNC_LIMIT = Parameter(
    "Sync limit",
    "For the final sync. If exceeded, the durable rate is reported as an upper bound.",
    "duration_ms",
    in_plan=True,
)
REPEATS = Parameter(
    "Repeats",
    "Trials of each cell. Use five or more to tell differences from noise.",
    "count",
    common=True,
)
SAMPLING_INTERVAL = Parameter(
    "Sampling interval",
    f"From {words.span(SHORTEST_SAMPLE_MS * 10**6)} to {words.span(LONGEST_SAMPLE_MS * 10**6)}.",
    "duration_ms",
)
ORDER = Parameter(
    "Order",
    "Shuffling keeps drift from looking like an effect of a parameter. The order is recorded.",
    choices=(Choice("shuffled", "Shuffled"), Choice("given", "As given")),
)
