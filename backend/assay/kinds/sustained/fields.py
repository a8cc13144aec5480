"""The fields of a sustained test: their types, limits and labels, and which a test uses."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

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


_DURATION = re.compile(r"\s*([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*(ms|s|min|h|d)\s*")
_MS = {"ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}


def duration_ms(length: int | str) -> int | None:
    """Return a length that is a duration, such as `90 min`, in ms; None for bytes."""
    found = _DURATION.fullmatch(length) if isinstance(length, str) else None
    return int(Fraction(found[1]) * _MS[found[2]]) if found else None


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

LABELS: dict[str, str] = {
    "operation": "Operation",
    "access": "Access",
    "read_percent": "Read share (%)",
    "seed": "Seed",
    "length": "Length",
    "ramp_ms": "Ramp-up",
    "block": "Block sizes",
    "streams": "Streams",
    "file_mode": "Files",
    "file_size": "File size",
    "ring_files": "Ring files",
    "cache": "Cache",
    "engine": "Engine",
    "queue_depth": "Queue depths",
    "pace": "Pacing",
    "rate_bytes_per_s": "Rate",
    "burst_blocks": "Blocks per burst",
    "gap_ns": "Gap",
    "quantum_ns": "Delay quantum",
    "read_pace": "Pacing of reads",
    "read_rate_bytes_per_s": "Rate of reads",
    "mark_bytes": "Marks",
    "sync_bytes": "Sync after data",
    "sync_ms": "Sync interval",
    "fill_percent": "Fill level",
    "purge": "Purge",
    "precondition_passes": "Preconditioning passes",
    "idle_ms": "Idle before the trial",
    "prepare_timeout_ms": "Preparation limit",
    "priority": "CPU priority",
    "io_priority": "I/O priority",
    "read_back": "Read-back",
    "peak_limit_ns": "Peak limit",
    "timeout_ms": "Time limit",
    "sync_timeout_ms": "Sync limit",
    "repeats": "Repeats",
    "sample_ms": "Sampling interval",
    "order": "Order",
}
"""The parameters that are conditions of a result, in the order of display."""

_USED_BY: dict[str, tuple[str, frozenset[str]]] = {
    "read_percent": ("operation", frozenset({"mixed"})),
    "seed": ("access", frozenset({"random"})),
    "queue_depth": ("engine", frozenset({"io_uring"})),
    "ring_files": ("file_mode", frozenset({"ring"})),
    "rate_bytes_per_s": ("pace", frozenset({"rate"})),
    "burst_blocks": ("pace", frozenset({"burst"})),
    "gap_ns": ("pace", frozenset({"burst"})),
    "quantum_ns": ("pace", frozenset({"burst"})),
    "sync_bytes": ("operation", frozenset({"write", "mixed", "both"})),
    "sync_ms": ("operation", frozenset({"write", "mixed", "both"})),
    "read_pace": ("operation", frozenset({"both"})),
}
"""The parameters that only some tests use: those whose other parameter has one of the values."""

_OF_OLDER_RUNS = {"access": "sequential", "engine": "threads"}
"""What runs did that were stored before these parameters existed."""


def is_random(parameters: Mapping[str, Any]) -> bool:
    """Return whether a run's operations choose their blocks at random."""
    return parameters.get("access") == "random"


def used_with(name: str) -> tuple[str, str] | None:
    """Return the parameter that decides whether `name` is used, and its values as text."""
    if name == "timeout_ms":
        return "length", "a number of bytes"
    others = {
        "file_size": ("file_mode", frozenset({"ring", "sequence"})),
        "read_rate_bytes_per_s": ("read_pace", frozenset({"rate"})),
    }
    found = (_USED_BY | others).get(name)
    if found is None:
        return None
    decides, values = found
    return decides, " or ".join(f'"{value}"' for value in sorted(values))


def unused(parameters: Mapping[str, Any]) -> frozenset[str]:
    """Return the parameters that a run does not use."""
    known = _OF_OLDER_RUNS | dict(parameters)
    found = {name for name, (decides, values) in _USED_BY.items() if known[decides] not in values}
    if known["file_mode"] == "one" and known["access"] == "sequential":
        found.add("file_size")
    if parameters["operation"] != "write" or parameters["file_mode"] == "sequence":
        found.add("precondition_passes")
    if parameters["operation"] != "both" or parameters["read_pace"] != "rate":
        found.add("read_rate_bytes_per_s")
    if duration_ms(parameters["length"]) is not None:
        found.add("timeout_ms")
    return frozenset(found)
