"""The plan of a sustained test on one place: trials, bytes, durations and problems.

Where the rate is unknown, bytes are those of the highest rate ever measured there. Samples and
marks widen so that no trial has more than `MOST_ROWS` of each; marks narrow so that it has a
hundred.
"""

import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any

from assay.analysis.words import size as bytes_in_words
from assay.http.field_errors import FieldError
from assay.kinds.expressions import ExpressionError, evaluate
from assay.kinds.planning import (
    ASSUMED_BYTES_PER_S,
    FASTEST_BYTES_PER_S,
    Caution,
    FieldName,
    Place,
    PlannedRun,
    PlannedTrial,
)
from assay.kinds.sustained.cautions import cautions
from assay.kinds.sustained.parameters import (
    LONGEST_BYTES,
    NAME,
    SustainedTest,
    duration_ms,
    offered_bytes_per_s,
)

MOST_ROWS = 200_000
"""Maximum number of samples, and of marks, of a trial."""

FEWEST_MARKS = 100

LARGEST_SAMPLE_MS = 60_000

SAMPLE_SPOOL_BYTES, MARK_SPOOL_BYTES = 700, 110
"""Bytes of a sample's and a mark's line in the spool, rounded up."""

DIRECT_ALIGNMENT = 4096
"""What direct I/O is aligned to where the file system does not tell."""


@dataclass(frozen=True)
class PlannedSustainedCell:
    """One parameter combination; the fields are those of `SustainedParameters`."""

    block: int
    streams: int
    length_bytes: int
    duration_ms: int
    file_bytes: int
    files: int
    rate_bytes_per_s: int
    burst_blocks: int
    offered_bytes_per_s: int | None
    mark_bytes: int
    footprint_bytes: int

    @property
    def key(self) -> str:
        """Identifies the cell in the run."""
        paced = f"@{self.rate_bytes_per_s}" if self.rate_bytes_per_s else ""
        burst = f"x{self.burst_blocks}" if self.burst_blocks else ""
        return f"{self.block}{paced}{burst}"


@dataclass(frozen=True)
class PlannedSustained(PlannedRun):
    """One sustained test on one place; `cache` is page or direct, `blocks` are as written.

    `file_size` is the length of a trial, as far as it is known.
    """

    test: SustainedTest
    cache: str
    blocks: tuple[int, ...]
    planned_cells: tuple[PlannedSustainedCell, ...]

    @property
    def kind(self) -> str:
        """Name of the kind."""
        return NAME

    @property
    def title(self) -> str:
        """Title of the test."""
        return self.test.title

    @property
    def role(self) -> str:
        """Role of the participant."""
        return "writer"

    @property
    def alignment(self) -> int:
        """Bytes of which direct I/O writes multiples there."""
        return self.place.alignment or DIRECT_ALIGNMENT

    @property
    def size_field(self) -> str:
        """The parameter that determines how much space is needed."""
        return "length" if self.test.file_mode != "ring" else "file_size"

    @property
    def parameters(self) -> dict[str, Any]:
        """The test with resolved values, and those as requested."""
        return {
            **self.test.model_dump(mode="json"),
            "length": self.test.length if self._lasting else self.planned_cells[0].length_bytes,
            "length_asked": self.test.length,
            "block": list(self.blocks),
            "block_asked": self.test.block,
            "file_size": self.planned_cells[0].file_bytes or self.file_size,
            "cache": self.cache,
            "cache_asked": self.test.cache,
            "sample_ms": self.sample_ms,
        }

    @property
    def sample_ms(self) -> int:
        """The sampling interval, widened for long trials."""
        needed = ceil(self._limit_ms / MOST_ROWS)
        return min(LARGEST_SAMPLE_MS, max(self.test.sample_ms, needed))

    @property
    def _lasting(self) -> int | None:
        return duration_ms(self.test.length)

    @property
    def _limit_ms(self) -> int:
        """Duration at which a trial ends in any case."""
        return self._lasting or self.test.timeout_ms

    @property
    def cells(self) -> int:
        """Number of parameter combinations."""
        return len(self.planned_cells)

    @property
    def trials(self) -> int:
        """Number of trials."""
        return len(self.planned_cells) * self.test.repeats

    def order(self) -> list[PlannedTrial]:
        """Return one pass per repeat, so that drift does not look like a parameter's effect."""
        found: list[PlannedTrial] = []
        for repeat in range(1, self.test.repeats + 1):
            cells = list(self.planned_cells)
            if self.test.order == "shuffled":
                random.shuffle(cells)  # recorded as the trials' positions
            found.extend(PlannedTrial(repeat, cell.key, asdict(cell)) for cell in cells)
        return found

    @property
    def file_size_asked(self) -> int | str:
        """What determines how much space is needed, as requested."""
        return self.test.file_size if self.test.file_mode == "ring" else self.test.length

    @property
    def prepared_bytes(self) -> int:
        """Bytes written before the first trial."""
        return 0

    @property
    def bytes_written(self) -> int:
        """Bytes of all trials."""
        return self.test.repeats * sum(map(self._moved, self.planned_cells))

    def _moved(self, cell: PlannedSustainedCell) -> int:
        if cell.length_bytes:
            return cell.length_bytes
        rate = cell.offered_bytes_per_s or self._best_bytes_per_s
        return round(rate * cell.duration_ms / 1000)

    @property
    def _best_bytes_per_s(self) -> float:
        return self.place.best_write_bytes_per_s or ASSUMED_BYTES_PER_S

    @property
    def peak_bytes(self) -> int:
        """Size of the files of the largest trial."""
        return max(cell.footprint_bytes for cell in self.planned_cells)

    @property
    def shortest_s(self) -> float:
        """All trials at the offered rate, or at the highest ever measured there."""
        fastest = self.place.best_write_bytes_per_s or FASTEST_BYTES_PER_S
        return self.test.repeats * sum(
            cell.duration_ms / 1000
            or cell.length_bytes / min(fastest, cell.offered_bytes_per_s or fastest)
            for cell in self.planned_cells
        )

    @property
    def longest_s(self) -> float:
        """Duration if every trial reaches its time limit."""
        return self.trials * self._limit_ms / 1000

    @property
    def spool_bytes(self) -> int:
        """Approximate size of the largest trial's record on the host."""
        samples = self._limit_ms / self.sample_ms
        if not self._lasting:
            samples = min(samples, self.shortest_s * 1000 / self.sample_ms)
        marks = max(self._moved(cell) / cell.mark_bytes for cell in self.planned_cells)
        return round(samples * SAMPLE_SPOOL_BYTES + marks * MARK_SPOOL_BYTES)

    def cautions(self) -> Iterator[Caution]:
        """Yield all limitations of the run's results."""
        yield from cautions(self)


def plan(
    number: int, test: SustainedTest, place: Place, name: FieldName
) -> tuple[PlannedSustained | None, list[FieldError]]:
    """Plan the campaign's test `number` on a place, or return None with the problems."""
    length, file_size, problems = 0, 0, list[FieldError]()
    if duration_ms(test.length) is None:
        length, found = _size(number, "length", test.length, place, name)
        problems += found
    if test.file_mode != "one":
        file_size, found = _size(number, "file_size", test.file_size, place, name)
        problems += found
    if problems:
        return None, problems
    sizes, cache = _Sizes(length, file_size), test.cache
    if cache == "direct_if_real":
        cache = "direct" if place.direct == "real" else "page"
    step = (place.alignment or DIRECT_ALIGNMENT) if cache == "direct" else 1
    blocks = tuple(dict.fromkeys(-(-block // step) * step for block in test.block))
    problems = [
        *_refused_direct(number, test, place, cache, name),
        *_too_small(number, test, max(blocks), sizes, name),
    ]
    if problems:
        return None, problems
    cells = tuple(
        _cell(test, place, sizes, block, pace) for block in blocks for pace in _paces(test)
    )
    size = length or cells[0].footprint_bytes
    run = PlannedSustained(place, number, size, test, cache, blocks, cells)
    return run, []


def _paces(test: SustainedTest) -> list[tuple[int, int]]:
    """Return each rate or burst of the test; the other one is 0."""
    if test.pace == "rate":
        return [(rate, 0) for rate in test.rate_bytes_per_s]
    return [(0, burst) for burst in test.burst_blocks] if test.pace == "burst" else [(0, 0)]


def _size(
    number: int, field: str, asked: int | str, place: Place, name: FieldName
) -> tuple[int, list[FieldError]]:
    """Return a size in bytes, or 0 with the problem."""
    where = name(number, field)
    rate = round(place.best_durable_bytes_per_s or ASSUMED_BYTES_PER_S)
    known = {"ram": place.ram, "cpus": place.cpus, "free": place.free_bytes, "rate": rate}
    try:
        names = {n: v for n, v in known.items() if v is not None}
        size = asked if isinstance(asked, int) else evaluate(asked, names)
    except ExpressionError as error:
        remedy = 'Write it like "min(1 TB, free / 2)".'
        message = f"cannot be computed for {place.name}: {error}"
        return 0, [FieldError(where, message, remedy, asked)]
    if not 1 <= size <= LONGEST_BYTES:
        remedy = "Use at least 1 byte and at most 2^60 bytes."
        return 0, [FieldError(where, f"gives {size} bytes for {place.name}", remedy, asked)]
    return size, []


def _refused_direct(
    number: int, test: SustainedTest, place: Place, cache: str, name: FieldName
) -> Iterator[FieldError]:
    if cache == "direct" and place.direct == "refused":
        message = f"the file system of {place.name} ({place.fs_type}) refuses O_DIRECT"
        remedy = 'Use cache "page" or "direct_if_real".'
        yield FieldError(name(number, "cache"), message, remedy, test.cache)


@dataclass(frozen=True)
class _Sizes:
    """Resolved sizes in bytes; 0 where the test has none."""

    length: int
    file: int


def _too_small(
    number: int, test: SustainedTest, block: int, sizes: _Sizes, name: FieldName
) -> Iterator[FieldError]:
    """Yield the sizes that do not hold the largest block."""
    length, file_size = sizes.length, sizes.file
    if file_size and file_size < block:
        message = (
            f"is {bytes_in_words(file_size)}, less than the block of {bytes_in_words(block)} "
            f"that each file of the {test.file_mode} must hold"
        )
        remedy = "Use larger files or smaller blocks."
        yield FieldError(name(number, "file_size"), message, remedy, test.file_size)
    if length and length < block * test.streams:
        message = (
            f"is {bytes_in_words(length)}, less than a block of {bytes_in_words(block)} for each "
            "stream"
        )
        remedy = "Use a greater length, smaller blocks or fewer streams."
        yield FieldError(name(number, "length"), message, remedy, test.length)


def _cell(
    test: SustainedTest, place: Place, sizes: _Sizes, block: int, pace: tuple[int, int]
) -> PlannedSustainedCell:
    """Return the cell of a block and a rate or burst; the other one is 0."""
    (rate, burst), length = pace, sizes.length
    offered = offered_bytes_per_s(test, block, rate, burst)
    lasting = duration_ms(test.length) or 0
    fastest = offered or place.best_write_bytes_per_s or ASSUMED_BYTES_PER_S
    moved = -(-length // block) * block if length else round(fastest * lasting / 1000)
    file_bytes = -(-sizes.file // block) * block
    ring = file_bytes * test.ring_files * test.streams if test.file_mode == "ring" else moved
    return PlannedSustainedCell(
        block=block,
        streams=test.streams,
        length_bytes=length,
        duration_ms=0 if length else lasting,
        file_bytes=file_bytes,
        files=test.ring_files if test.file_mode == "ring" else 0,
        rate_bytes_per_s=rate,
        burst_blocks=burst,
        offered_bytes_per_s=offered,
        mark_bytes=_mark(test.mark_bytes, moved, block),
        footprint_bytes=min(ring, moved),
    )


def _mark(asked: int, moved: int, block: int) -> int:
    """Return the bytes of a mark, in whole blocks."""
    most = max(1, moved // FEWEST_MARKS // block)
    least = ceil(moved / MOST_ROWS / block)
    return block * max(least, min(most, -(-asked // block)))
