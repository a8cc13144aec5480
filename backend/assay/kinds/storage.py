"""What the plans of tests of a target's storage have in common: cells, cache mode, warnings."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from assay.analysis.served_by import ARRAY_CACHE_FACTOR
from assay.analysis.words import size as bytes_in_words
from assay.http.field_errors import FieldError
from assay.kinds.fields import Cache, CacheMode, Order
from assay.kinds.kind import BaseParameters
from assay.kinds.planning import Caution, FieldName, Place, PlannedRun, PlannedTrial


class StorageTest(Protocol):
    """The fields that every test of a target's storage has."""

    kind: Any
    title: str
    operation: Any
    repeats: int
    order: Order


@dataclass(frozen=True)
class PlannedStorage(PlannedRun):
    """One test of the storage at one place."""

    test: StorageTest
    planned_cells: tuple[BaseParameters, ...]

    @property
    def kind(self) -> str:
        """Name of the kind."""
        return self.test.kind

    @property
    def title(self) -> str:
        """Title of the test."""
        return self.test.title

    @property
    def role(self) -> str:
        """Whether the participant writes or reads."""
        return "writer" if self.test.operation == "write" else "reader"

    @property
    def cells(self) -> int:
        """Number of parameter combinations."""
        return len(self.planned_cells)

    @property
    def trials(self) -> int:
        """Number of trials."""
        return self.cells * self.test.repeats

    @property
    def trial_order(self) -> Order:
        """The order of the cells in each pass."""
        return self.test.order

    def order(self) -> list[PlannedTrial]:
        """Return the trials in the order of measurement."""
        return passes(self.planned_cells, self.test.repeats, self.trial_order)


def passes(planned: Sequence[BaseParameters], repeats: int, order: Order) -> list[PlannedTrial]:
    """Return one pass per repeat, so that drift does not look like a parameter's effect."""
    found: list[PlannedTrial] = []
    for repeat in range(1, repeats + 1):
        cells = list(planned)
        if order == "shuffled":
            random.shuffle(cells)  # recorded as the trials' positions
        found.extend(
            PlannedTrial(repeat, cell.key, cell.model_dump(exclude={"kind"})) for cell in cells
        )
    return found


def resolved_cache(cache: Cache, place: Place) -> CacheMode:
    """Return `page` or `direct`: what a test with this cache mode uses at a place."""
    if cache == "direct_if_real":
        return "direct" if place.direct == "real" else "page"
    return cache


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
        yield Caution(
            "direct_not_real",
            f"{run.name} uses the page cache: O_DIRECT is not supported there ({place.direct}).",
        )
    if used == "direct" and place.direct == "buffered":
        yield Caution(
            "direct_buffered",
            f"{run.name} requests O_DIRECT, which is accepted there but buffered.",
        )


def cautions_of_source(run: PlannedStorage, moves: str) -> Iterator[Caution]:
    """Yield why it may remain unknown whether the storage served the data.

    `moves` is the verb for what the run does with its files.
    """
    place, cache = run.place, run.place.array_cache_bytes
    if cache and run.peak_bytes < ARRAY_CACHE_FACTOR * cache:
        yield Caution(
            "fits_in_array_cache",
            f"{run.name} {moves} {bytes_in_words(run.peak_bytes)}, under twice the array's cache "
            f"({bytes_in_words(cache)}): possibly served by the array's cache.",
        )
    if not place.provable:
        yield Caution(
            "served_by_unknown",
            f"{place.name} is {place.fs_type}: nothing on the host shows whether data came from "
            "the storage.",
        )
