"""Types of the parameters of a sustained test."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from assay.kinds.expressions import duration_ms
from assay.kinds.fields import (
    Cache,
    distinct,
    one_or_several,
    validate_size,
)

NAME = "sustained"

LONGEST_BYTES = 2**60
LONGEST_IDLE_MS = 7 * 24 * 3_600_000
YEAR_MS = 366 * 24 * 3_600_000
MOST_STREAMS = 64
MOST_RING_FILES = 512
MOST_CELLS = 100
MOST_TRIALS = 1000
MOST_RATE = 10**12
HOUR_NS = 3600 * 10**9

FASTEST_PACE_NS = 10_000
"""Shortest time between two paced operations of a stream that a timer of the kernel holds."""

MOST_DEPTH = 256
MOST_SEED = 2**53 - 1
"""The largest number that a browser represents exactly."""

Direction = Literal["write", "read"]
Operation = Literal["write", "read", "mixed"]
TestOperation = Literal["write", "read", "mixed", "both"]
Access = Literal["sequential", "random"]
Engine = Literal["threads", "io_uring"]
Pace = Literal["none", "rate", "burst"]
Priority = Literal["normal", "high", "fifo", "rr"]
IoPriority = Literal["default", "real_time", "high", "low", "idle"]
ReadPace = Literal["same", "none", "rate"]
FileMode = Literal["one", "sequence", "ring"]


def noun(operation: str) -> str:
    """Return what one call of an operation is called; of a mixture, it may be either."""
    return operation if operation in ("read", "write") else "operation"


def _length(value: object) -> int | str:
    """Validate a length: bytes, an expression of bytes, or a duration."""
    lasting = duration_ms(value) if isinstance(value, str) else None
    if lasting is None:
        try:
            return validate_size(value, LONGEST_BYTES)
        except PydanticCustomError as error:
            # what cannot be read may have been meant as either
            remedy = (
                'Use a size such as "min(1 TB, free / 2)", or a duration in ms, s, min, h or d.'
            )
            context = {"reason": error.message(), "remedy": remedy}
            raise PydanticCustomError("length", "{reason}", context) from error
    if not 1000 <= lasting <= YEAR_MS:
        raise PydanticCustomError(
            "duration",
            "must be from one second to one year (366 days)",
            {"remedy": 'Use a duration such as "10 min", "25 h" or "7 d".'},
        )
    return str(value)


Length = Annotated[
    int | str,
    PlainValidator(_length),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": LONGEST_BYTES},
                {"type": "string"},
            ],
            "description": "Bytes of all streams, an expression: `2 * ram`, or a duration: `25 h`",
        }
    ),
]
Streams = Annotated[int, Field(strict=True, ge=1, le=MOST_STREAMS)]
RingFiles = Annotated[int, Field(strict=True, ge=2, le=MOST_RING_FILES)]
Rates = Annotated[
    list[Annotated[int, Field(strict=True, ge=1, le=MOST_RATE)]],
    Field(min_length=1, max_length=20),
    distinct,
]
Bursts = Annotated[
    list[Annotated[int, Field(strict=True, ge=1, le=1_000_000)]],
    Field(min_length=1, max_length=50),
    distinct,
]
Gap = Annotated[int, Field(strict=True, ge=0, le=HOUR_NS)]
Ramp = Annotated[int, Field(strict=True, ge=0, le=YEAR_MS)]
MarkSize = Annotated[int, Field(strict=True, ge=512, le=LONGEST_BYTES)]
SyncSize = Annotated[int, Field(strict=True, ge=0, le=LONGEST_BYTES)]
SyncInterval = Annotated[int, Field(strict=True, ge=0, le=YEAR_MS)]
ReadPercent = Annotated[int, Field(strict=True, ge=1, le=99)]
Seed = Annotated[int, Field(strict=True, ge=0, le=MOST_SEED)]
QueueDepths = Annotated[
    list[Annotated[int, Field(strict=True, ge=1, le=MOST_DEPTH)]],
    Field(min_length=1, max_length=20),
    distinct,
]
Caches = Annotated[list[Cache], Field(min_length=1, max_length=2), distinct, one_or_several]
Priorities = Annotated[list[Priority], Field(min_length=1, max_length=4), distinct, one_or_several]
IoPriorities = Annotated[
    list[IoPriority], Field(min_length=1, max_length=5), distinct, one_or_several
]
FillPercent = Annotated[int, Field(strict=True, ge=0, le=99)]
Passes = Annotated[int, Field(strict=True, ge=0, le=100)]
Idle = Annotated[int, Field(strict=True, ge=0, le=LONGEST_IDLE_MS)]
Idles = Annotated[list[Idle], Field(min_length=1, max_length=20), distinct]
Purge = Literal["none", "declared"]
ReadRate = Annotated[int, Field(strict=True, ge=1, le=MOST_RATE)]
ReadBack = Literal["none", "same_host", "other_host"]
PeakLimit = Annotated[int, Field(strict=True, ge=1000, le=HOUR_NS)]


def is_random(parameters: Mapping[str, Any]) -> bool:
    """Return whether a run's operations choose their blocks at random."""
    return parameters.get("access") == "random"
