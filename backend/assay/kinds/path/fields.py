"""Types of the parameters of a path test."""

import re
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from assay.kinds.fields import LARGEST_BLOCK, distinct, each_once

NAME = "path"

MOST_STREAMS = 128
MOST_CELLS = 200
MOST_TRIALS = 5_000
MOST_DIGITS_RATE = 10**12
MOST_DISK_THREADS = 32
"""Maximum number of threads with which a probe reads or writes its target."""
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

USING_DISK = READING | WRITING
Part = Literal["read", "memory", "write"]
PARTS: tuple[Part, ...] = get_args(Part)
"""The parts of a transfer from disk to disk by themselves."""

Integrity = Literal["none", "crc32c"]
DeviceThreads = Annotated[int, Field(strict=True, ge=1, le=MOST_DISK_THREADS)]
Listener = Literal["receiver", "sender"]


CARD = "card"
"""The CPUs that are local to an end's network card."""

MOST_CPUS = 1024
_NODE = re.compile(r"node:[0-9]{1,4}")
_CPU_RANGE = re.compile(r"([0-9]{1,4})(?:-([0-9]{1,4}))?")


def _name_cpus(cpus: str) -> str:
    if cpus == CARD or _NODE.fullmatch(cpus):
        return cpus
    for part in cpus.split(","):
        found = _CPU_RANGE.fullmatch(part)
        if found is None or not int(found[1]) <= int(found[2] or found[1]) < MOST_CPUS:
            raise PydanticCustomError(
                "cpus",
                "is no list of CPUs from 0 to {most}: {value}",
                {
                    "most": MOST_CPUS - 1,
                    "value": part or cpus,
                    "remedy": "Write it like 0-3,8, or node:0 for a NUMA node, or card for the "
                    "CPUs local to the network card.",
                },
            )
    return cpus


Cpus = Annotated[str, StringConstraints(min_length=1, max_length=1023), AfterValidator(_name_cpus)]
"""The CPUs of an end's threads: a list as the kernel writes it, a NUMA node, or the card's."""

Legs = Annotated[list[Leg], Field(min_length=1, max_length=len(LEGS)), each_once("leg")]
StreamCounts = Annotated[
    list[Annotated[int, Field(strict=True, ge=1, le=MOST_STREAMS)]],
    Field(min_length=1, max_length=20),
    distinct,
]
SmallFileCount = Annotated[int, Field(strict=True, ge=0, le=MOST_SMALL_FILES)]
BLOCK_STEP = 4096
"""Blocks are multiples of this: buffers go to the network and to disks by O_DIRECT."""
TransferBlocks = Annotated[
    list[Annotated[int, Field(strict=True, ge=BLOCK_STEP, le=LARGEST_BLOCK)]],
    Field(min_length=1, max_length=50),
    distinct,
]
SmallFileSize = Annotated[int, Field(strict=True, ge=1, le=LARGEST_BLOCK)]
Pacing = Annotated[int, Field(strict=True, ge=0, le=MOST_DIGITS_RATE)]
