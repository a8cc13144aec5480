"""Types of parameters that several test kinds have."""

from collections import Counter
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, PlainValidator, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from assay.kinds.expressions import ExpressionError, names_in

LARGEST_FILE = 2**62
SMALLEST_BLOCK, LARGEST_BLOCK = 512, 64 * 2**20
HOUR_MS = 3_600_000

Cache = Literal["page", "direct", "direct_if_real"]
Order = Literal["shuffled", "given"]


def _distinct(values: list[int]) -> list[int]:
    repeated = [value for value, count in Counter(values).items() if count > 1]
    if repeated:
        raise PydanticCustomError(
            "repeated",
            "contains {value} more than once",
            {
                "value": repeated[0],
                "remedy": "List each value once and use `repeats`.",
            },
        )
    return values


distinct = AfterValidator(_distinct)
"""Refuses a list with a value that it contains twice."""


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


def _address(text: str) -> str:
    try:
        return str(ip_address(text))
    except ValueError as error:
        raise PydanticCustomError(
            "address",
            "{value} is not an IP address",
            {"value": text, "remedy": "Use an address of the host such as 192.0.2.7."},
        ) from error


def ip_version(parameters: Mapping[str, Any]) -> Literal["ipv4", "ipv6"]:
    """Return the IP version of a test's connections: its own, else that of its addresses."""
    if parameters["family"] != "any":
        return parameters["family"]
    given = parameters["source_address"] or parameters["sink_address"] or ""
    return "ipv6" if ":" in given else "ipv4"


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
SampleInterval = Annotated[int, Field(strict=True, ge=100, le=60_000)]
Address = Annotated[str, StringConstraints(min_length=2, max_length=45), AfterValidator(_address)]
