"""Free space that tests must not use."""

from typing import Annotated

from pydantic import Field

from assay.base.host_field_types import Bytes

RESERVE_FRACTION = 20  # 5 %
RESERVE_LEAST_BYTES = 10_000_000_000
SMALL_FRACTION = 10  # of a file system whose tenth is less than that

Reserve = Annotated[
    Bytes | None,
    Field(
        description="Free space that tests never use; by default 5 % of the file system and at "
        "least 10 GB, but a tenth of one below 100 GB"
    ),
]


def reserve_bytes(chosen: int | None, size_bytes: int) -> int:
    """Return the configured reserve, or else the default for a file system of that size."""
    if chosen is not None:
        return chosen
    least = min(RESERVE_LEAST_BYTES, size_bytes // SMALL_FRACTION)
    return max(size_bytes // RESERVE_FRACTION, least)
