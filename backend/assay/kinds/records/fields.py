"""Types of the parameters of a records test."""

from typing import Annotated, Literal

from pydantic import Field

from assay.kinds.fields import HOUR_MS, distinct

NAME = "records"

MOST_SENDERS = 32
MOST_CELLS = 20
MOST_TRIALS = 2_000
LONGEST_RECORD = 2**20

Format = Literal["raw", "json"]
FORMATS: dict[Format, str] = {"raw": "raw", "json": "JSON lines"}

Acknowledgement = Literal["none", "received", "written", "synced"]
"""What has happened to a batch before the receiver acknowledges it; *none*: it never does."""

SinkChoice = Literal["as_chosen", "memory"]
Sink = Literal["disk", "memory"]

RecordLengths = Annotated[
    list[Annotated[int, Field(strict=True, ge=1, le=LONGEST_RECORD)]],
    Field(min_length=1, max_length=MOST_CELLS),
    distinct,
]
BatchRecords = Annotated[int, Field(strict=True, ge=1, le=10_000_000)]
BatchesInFlight = Annotated[int, Field(strict=True, ge=1, le=1024)]
BatchTime = Annotated[int, Field(strict=True, ge=1, le=HOUR_MS)]
SyncTime = Annotated[int, Field(strict=True, ge=0, le=HOUR_MS)]
SyncBytes = Annotated[int, Field(strict=True, ge=0, le=2**40)]
RecordRate = Annotated[int, Field(strict=True, ge=0, le=10**9)]
