"""What the plans of tests of a target's storage have in common: cache mode and warnings."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from assay.analysis.served_by import ARRAY_CACHE_FACTOR
from assay.base.field_errors import FieldError
from assay.base.words import size as bytes_in_words
from assay.kinds.expressions import ExpressionError, evaluate
from assay.kinds.fields import Cache, CacheMode
from assay.kinds.passes import PlannedCells, RepeatedTest
from assay.kinds.planning import ASSUMED_BYTES_PER_S, Caution, FieldName, Place


class StorageTest(RepeatedTest, Protocol):
    """The fields that every test of a target's storage has."""

    operation: Any


@dataclass(frozen=True)
class PlannedStorage(PlannedCells):
    """One test of the storage at one place."""

    test: StorageTest

    @property
    def role(self) -> str:
        """Whether the participant writes or reads."""
        return "writer" if self.test.operation == "write" else "reader"


def resolved_cache(cache: Cache, place: Place) -> CacheMode:
    """Return `page` or `direct`: what a test with this cache mode uses at a place."""
    if cache == "direct_if_real":
        return "direct" if place.direct == "real" else "page"
    return cache


def size_at(
    asked: int | str, place: Place, bytes_per_s: float | None, where: str, *, most: int, like: str
) -> tuple[int, list[FieldError]]:
    """Return a size in bytes as a test asks for it at a place, or 0 with the problem.

    `bytes_per_s` is what an expression may call `rate`, `most` a power of two, `like` an example.
    """
    rate = round(bytes_per_s or ASSUMED_BYTES_PER_S)
    known = {"ram": place.ram, "cpus": place.cpus, "free": place.free_bytes, "rate": rate}
    try:
        names = {name: value for name, value in known.items() if value is not None}
        size = asked if isinstance(asked, int) else evaluate(asked, names)
    except ExpressionError as error:
        message = f"cannot be computed for {place.name}: {error}"
        return 0, [FieldError(where, message, f'Write it like "{like}".', asked)]
    if not 1 <= size <= most:
        remedy = f"Use at least 1 byte and at most 2^{most.bit_length() - 1} bytes."
        return 0, [FieldError(where, f"gives {size} bytes for {place.name}", remedy, asked)]
    return size, []


def refused_direct(
    number: int, cache: Cache, place: Place, name: FieldName
) -> Iterator[FieldError]:
    """Yield the problem that the file system of a place refuses direct I/O."""
    if resolved_cache(cache, place) == "direct" and place.direct == "refused":
        message = f"the file system of {place.name} ({place.fs_type}) refuses O_DIRECT"
        remedy = 'Use cache "page" or "direct_if_real".'
        yield FieldError(name(number, "cache"), message, remedy, cache)


def cautions_of_direct(run: PlannedStorage, asked: Cache, used: CacheMode) -> Iterator[Caution]:
    """Yield that direct I/O is not used although requested, or does not bypass the page cache."""
    place = run.place
    if asked == "direct_if_real" and used == "page":
        yield run.caution(
            "direct_not_real",
            f" uses the page cache: O_DIRECT is not supported there ({place.direct}).",
        )
    if used == "direct" and place.direct == "buffered":
        yield run.caution(
            "direct_buffered",
            " requests O_DIRECT, which is accepted there but buffered.",
        )


def cautions_of_source(run: PlannedStorage, moves: str) -> Iterator[Caution]:
    """Yield why it may remain unknown whether the storage served the data.

    `moves` is the verb for what the run does with its files.
    """
    place, cache = run.place, run.place.array_cache_bytes
    if cache and run.peak_bytes < ARRAY_CACHE_FACTOR * cache:
        yield run.caution(
            "fits_in_array_cache",
            f" {moves} {bytes_in_words(run.peak_bytes)}, under twice the array's cache "
            f"({bytes_in_words(cache)}): possibly served by the array's cache.",
        )
    if not place.provable:
        yield place.caution(
            "served_by_unknown",
            "",
            f" is {place.fs_type}: nothing on the host shows whether data came from the storage.",
        )
