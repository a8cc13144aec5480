"""Types of the parameters of a path test."""

from collections import Counter
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from assay.kinds.fields import HOUR_MS, LARGEST_BLOCK, distinct

NAME = "path"

MOST_STREAMS = 128
MOST_CELLS = 200
MOST_TRIALS = 5_000
MOST_DIGITS_RATE = 10**12
MOST_SMALL_FILES = 1_000_000

Leg = Literal["read", "memory", "write", "disk", "disk_to_memory", "memory_to_disk"]
LEGS: dict[Leg, str] = {
    "read": "Source disk to memory",
    "memory": "Memory to memory",
    "write": "Memory to sink disk",
    "disk": "Disk to disk",
    "disk_to_memory": "Disk to memory",
    "memory_to_disk": "Memory to disk",
}
"""The parts of a path in the order of display; *read* and *write* do not use the network."""

READING = frozenset[Leg]({"read", "disk", "disk_to_memory"})
WRITING = frozenset[Leg]({"write", "disk", "memory_to_disk"})
TRANSFERS = frozenset[Leg]({"memory", "disk", "disk_to_memory", "memory_to_disk"})

Integrity = Literal["none", "crc32c"]
Family = Literal["any", "ipv4", "ipv6"]
Listener = Literal["receiver", "sender"]


def _each_once(legs: list[Leg]) -> list[Leg]:
    repeated = [leg for leg, count in Counter(legs).items() if count > 1]
    if repeated:
        raise PydanticCustomError(
            "repeated",
            "contains {value} more than once",
            {"value": repeated[0], "remedy": "List each leg once and use `repeats`."},
        )
    return legs


Legs = Annotated[list[Leg], Field(min_length=1, max_length=len(LEGS)), AfterValidator(_each_once)]
StreamCounts = Annotated[
    list[Annotated[int, Field(strict=True, ge=1, le=MOST_STREAMS)]],
    Field(min_length=1, max_length=20),
    distinct,
]
SmallFileCount = Annotated[int, Field(strict=True, ge=0, le=MOST_SMALL_FILES)]
SmallFileSize = Annotated[int, Field(strict=True, ge=1, le=LARGEST_BLOCK)]
BufferSize = Annotated[int, Field(strict=True, ge=0, le=2**30)]
Congestion = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_-]{1,15}$")]
Pacing = Annotated[int, Field(strict=True, ge=0, le=MOST_DIGITS_RATE)]
Port = Annotated[int, Field(strict=True, ge=0, le=65_535)]
RampTime = Annotated[int, Field(strict=True, ge=0, le=HOUR_MS)]
TransferTime = Annotated[int, Field(strict=True, ge=100, le=24 * HOUR_MS)]
