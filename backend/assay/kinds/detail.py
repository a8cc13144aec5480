"""What the result of an attempt adds to that of every kind; see the contract's README."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from assay.kinds.event_types import Count, NonEmptyText


@dataclass(frozen=True)
class Sampled:
    """The sums over the samples and marks of an attempt."""

    marked_bytes: int
    read_ops: int | None


class BaseDetail(BaseModel):
    """What the result of an attempt adds; each kind has its own."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    @property
    def reads_back(self) -> bool:
        """Whether the files are read back after the result."""
        return False

    @property
    def has_records(self) -> bool:
        """Whether the records of a file are counted again after the result."""
        return False

    def contradiction(self, ops: int, moved: int) -> str | None:
        """Return how it contradicts the operations and the bytes of its result."""
        del ops, moved
        return None

    def discrepancies(self, trial: int, moved: int, sampled: Sampled) -> Iterator[str]:
        """Yield which sums over samples and marks differ from a result with these bytes."""
        del trial, moved, sampled
        yield from ()


class ReadBackFields(BaseModel):
    """What reading the files of a write back after its final sync has verified.

    `errors` are sectors; the first is at `first_offset_bytes` in the data of `first_stream`.
    `elsewhere`: another host read them.
    """

    whole: bool
    error: NonEmptyText | None
    elsewhere: bool
    bytes: Count
    ns: Count
    resident_checked: Count
    resident_pages: Count
    errors: Count
    first_offset_bytes: Count | None
    first_stream: Count | None
