"""The plan of a matrix on one place: cells, bytes, durations and problems.

Durations are bounds, not predictions: the maximum is the sum of all time limits, the minimum uses
the highest rate ever measured on the target, or `FASTEST_BYTES_PER_S`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.analysis.too_short import LEAST_NS, operations_needed, sufficient_file_size
from assay.base.field_errors import FieldError
from assay.base.words import size as bytes_in_words
from assay.kinds.expressions import names_in
from assay.kinds.fields import LARGEST_FILE, CacheMode
from assay.kinds.matrix.parameters import NAME, MatrixParameters, MatrixTest, Operation
from assay.kinds.planning import (
    ASSUMED_BYTES_PER_S,
    FASTEST_BYTES_PER_S,
    MEASURE_FIRST,
    Caution,
    FieldName,
    Place,
)
from assay.kinds.storage import (
    PlannedStorage,
    cautions_of_direct,
    cautions_of_source,
    refused_direct,
    resolved_cache,
    size_at,
)


def known_bytes_per_s(place: Place, operation: Operation) -> float | None:
    """Return the highest application rate ever measured there; None if there is none."""
    return place.best_write_bytes_per_s if operation == "write" else place.best_read_bytes_per_s


def sizing_bytes_per_s(place: Place, operation: Operation) -> float | None:
    """Return `rate` for a file size: including the sync, so that it is not the memory's rate."""
    return place.best_durable_bytes_per_s if operation == "write" else place.best_read_bytes_per_s


@dataclass(frozen=True)
class PlannedMatrix(PlannedStorage):
    """One matrix on one place; `cache` is page or direct."""

    test: MatrixTest
    planned_cells: tuple[MatrixParameters, ...]
    cache: CacheMode

    @property
    def file_size_asked(self) -> int | str:
        """Size of each file in the test."""
        return self.test.file_size

    @property
    def parameters(self) -> dict[str, Any]:
        """The test with resolved file size and cache mode, and both as requested."""
        return {
            **self.test.model_dump(mode="json"),
            "file_size": self.file_size,
            "file_size_asked": self.test.file_size,
            "cache": self.cache,
            "cache_asked": self.test.cache,
        }

    def cautions(self) -> Iterator[Caution]:
        """Yield all limitations of the run's results."""
        yield from cautions(self)

    def _fastest_bytes_per_s(self, operation: Operation) -> float:
        """Return the upper bound of the rate."""
        return known_bytes_per_s(self.place, operation) or FASTEST_BYTES_PER_S

    @property
    def working_set(self) -> int:
        """Bytes of the largest trial."""
        return max(cell.bytes for cell in self.planned_cells)

    @property
    def prepared_bytes(self) -> int:
        """Bytes written before the trials: the file set that all trials share, if any.

        Files that are read or overwritten must exist; files that are read after overwriting are
        written twice.
        """
        reads, overwrites = self.test.operation == "read", self.test.layout == "overwrite"
        return (reads + overwrites) * self.peak_bytes

    @property
    def bytes_written(self) -> int:
        """Bytes written in total, including prepared files."""
        if self.test.operation == "read":
            return self.prepared_bytes
        return self.prepared_bytes + self.test.repeats * sum(
            cell.bytes for cell in self.planned_cells
        )

    @property
    def peak_bytes(self) -> int:
        """Maximum size of the run's files at any time: the set, or the files of one trial."""
        return self.working_set

    @property
    def preparing_s(self) -> float:
        """Minimum duration of preparation; it has no limit."""
        return self.prepared_bytes / self._fastest_bytes_per_s("write")

    @property
    def shortest_s(self) -> float:
        """Preparation and all trials at the highest rate."""
        rate = self._fastest_bytes_per_s(self.test.operation)
        each = (min(cell.bytes / rate, self.test.timeout_ms / 1000) for cell in self.planned_cells)
        return self.preparing_s + self.test.repeats * sum(each)

    @property
    def longest_s(self) -> float:
        """As `shortest_s`, if every trial reaches its time limit."""
        return self.preparing_s + self.trials * self.test.timeout_ms / 1000


def plan(
    number: int, test: MatrixTest, place: Place, name: FieldName
) -> tuple[PlannedMatrix | None, list[FieldError]]:
    """Plan the campaign's test `number` on a place, or return None with the problems."""
    size_field = name(number, "file_size")
    rate = sizing_bytes_per_s(place, test.operation)
    size, problems = size_at(
        test.file_size, place, rate, size_field, most=LARGEST_FILE, like="min(1 GB, free / 10)"
    )
    if problems:
        return None, problems
    cells = [
        _cell(block, threads, test.files, size) for block in test.block for threads in test.threads
    ]
    largest = max(cell.bytes for cell in cells)
    if largest > LARGEST_FILE:
        message = (
            f"overflows: the files of a trial would have {largest} bytes in total; "
            "the maximum is 2^62"
        )
        return None, [FieldError(size_field, message, "Use smaller or fewer files.", size)]
    run = PlannedMatrix(place, number, size, test, tuple(cells), resolved_cache(test.cache, place))
    return run, _direct_problems(run, name)


def _cell(block: int, threads: int, files: int, size: int) -> MatrixParameters:
    """Return the cell, with its file size rounded up to whole blocks as by the probe."""
    return MatrixParameters(
        kind=NAME,
        block=block,
        threads=threads,
        files=min(files, threads),
        file_size=-(-size // block) * block,
    )


def _direct_problems(run: PlannedMatrix, name: FieldName) -> list[FieldError]:
    place, test = run.place, run.test
    if run.cache != "direct":
        return []
    if refused := list(refused_direct(run.number, test.cache, place, name)):
        return refused
    if place.alignment is None:
        return []
    uneven = [block for block in test.block if block % place.alignment]
    if not uneven:
        return []
    message = (
        f"with O_DIRECT on {place.name}, blocks must be multiples of {place.alignment} bytes; "
        f"{', '.join(map(str, uneven))} {'is' if len(uneven) == 1 else 'are'} not"
    )
    remedy = f'Use multiples of {place.alignment}, or cache "page".'
    return [FieldError(name(run.number, "block"), message, remedy, list(test.block))]


CAUTIONS = frozenset(
    {
        "direct_not_real",
        "direct_buffered",
        "fits_in_memory",
        "fits_in_array_cache",
        "served_by_unknown",
        "rate_assumed",
        "too_short",
    }
)
"""The codes of a matrix's estimate warnings."""


def _rate_assumed(run: PlannedMatrix) -> Iterator[Caution]:
    asked = run.test.file_size
    if sizing_bytes_per_s(run.place, run.test.operation) or isinstance(asked, int):
        return
    if "rate" in names_in(asked):
        yield run.caution(
            "rate_assumed",
            f" has files sized by an assumed {bytes_in_words(ASSUMED_BYTES_PER_S)}/s: "
            f"no {run.test.operation} was measured there yet. {MEASURE_FIRST}.",
        )


def _too_short(run: PlannedMatrix) -> Iterator[Caution]:
    """Yield a warning if the highest rate measured there makes trials too short.

    For writes it is the rate including the sync, which is not the memory's rate.
    """
    rate = sizing_bytes_per_s(run.place, run.test.operation)
    if rate is None:
        return
    limit_bytes = rate * run.test.timeout_ms / 1000
    short = [cell for cell in run.planned_cells if _lacking(cell, cell.bytes, rate)]
    limited = [cell for cell in run.planned_cells if _lacking(cell, limit_bytes, rate)]
    if not short and not limited:
        return
    remedy: dict[str, int] = {}
    if limited:
        advice = "Raise the time limit."
    else:
        sufficient = max(
            sufficient_file_size(rate, block=cell.block, threads=cell.threads, files=cell.files)
            for cell in short
        )
        advice = f"Files of {bytes_in_words(sufficient)} would suffice."
        remedy["file_size"] = sufficient
    lacking = [cell for cell in run.planned_cells if cell in short or cell in limited]
    yield run.caution(
        "too_short",
        f": {len(lacking)} of {len(run.planned_cells)} cells would be too short "
        f"at {bytes_in_words(round(rate))}/s, the highest rate measured there: under a second, or "
        f"too few operations. {advice}",
        remedy,
    )


def _lacking(cell: MatrixParameters, moved: float, rate: float) -> bool:
    """Return whether a trial that moves `moved` bytes at `rate` bytes/s would be too short."""
    few = moved // cell.block < operations_needed(cell.threads)
    return few or moved / rate * 1e9 < LEAST_NS


def cautions(run: PlannedMatrix) -> Iterator[Caution]:
    """Yield all limitations of the results of `run`."""
    place = run.place
    yield from cautions_of_direct(run, run.test.cache, run.cache)
    if run.cache == "page" and place.ram is not None and run.working_set < place.ram:
        yield run.caution(
            "fits_in_memory",
            f" uses {bytes_in_words(run.working_set)}, which fits in the "
            f"cacheable memory ({bytes_in_words(place.ram)}).",
        )
    yield from cautions_of_source(run, "uses")
    yield from _rate_assumed(run)
    yield from _too_short(run)
