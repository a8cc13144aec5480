"""The plan of a path test from a source to a sink: cells, bytes, durations and problems.

The sender's plan has the source as its place, the receiver's the sink; both have the same trials.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Self

from assay.http.field_errors import FieldError
from assay.kinds.expressions import ExpressionError, evaluate
from assay.kinds.fields import LARGEST_FILE
from assay.kinds.path import devices, duplex
from assay.kinds.path.cautions import cautions, inodes
from assay.kinds.path.fields import READING, TRANSFERS, WRITING, Leg
from assay.kinds.path.parameters import PathParameters, PathTest
from assay.kinds.path.refusals import refused_direct, same_place, too_few_ports, without_disk
from assay.kinds.planning import (
    ASSUMED_BYTES_PER_S,
    FASTEST_BYTES_PER_S,
    Caution,
    FieldName,
    Place,
    free_for_each,
)
from assay.kinds.storage import resolved_cache
from assay.kinds.transfers import RECEIVER, SENDER, PlannedTransfer, with_ip_version

FASTEST_FILES_PER_S = 200_000
"""Upper bound for the small files that a thread opens or creates per second."""


@dataclass(frozen=True)
class PlannedPath(PlannedTransfer):
    """One end of a path test; `file_size` is the length of the trials that use a disk, in bytes.

    `source_cache` and `sink_cache` are page or direct. `pairs_at` is how many pairs of a joint run
    use the source, and how many the sink. `turned`: it is the second direction of full duplex, from
    the place that was selected as sink to the one that was selected as source.
    """

    test: PathTest
    planned_cells: tuple[PathParameters, ...]
    source_cache: str
    sink_cache: str
    pairs_at: tuple[int, int] = (1, 1)
    turned: bool = False

    @property
    def participants(self) -> Sequence[Self]:
        """The sender and the receiver; with full duplex, then those of the other direction."""
        directions = [self, self.reversed] if self.test.full_duplex else [self]
        return [
            end for one in directions for end in (one, replace(one, end=RECEIVER, place=one.sink))
        ]

    @property
    def reversed(self) -> Self:
        """The same from the sink to the source."""
        return replace(
            self,
            place=self.sink,
            source=self.sink,
            sink=self.source,
            pairs_at=(self.pairs_at[1], self.pairs_at[0]),
            turned=not self.turned,
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """The test with resolved values, and those as requested."""
        return {
            **self.test.model_dump(mode="json"),
            "length": self.file_size,
            "length_asked": self.test.length,
            "source_cache": self.source_cache,
            "source_cache_asked": self.test.source_cache,
            "sink_cache": self.sink_cache,
            "sink_cache_asked": self.test.sink_cache,
        }

    @property
    def file_size_asked(self) -> int | str:
        """Length in the test, which may be an expression."""
        return self.test.length

    @property
    def size_field(self) -> str:
        """The parameter that determines how much space is needed."""
        return "length"

    @property
    def disk_threads(self) -> int | None:
        """Threads that use this end's disk; None if no leg does."""
        used = READING if self.role == SENDER else WRITING
        if self.place.is_memory or not any(leg in used for leg in self.test.legs):
            return None
        return devices.threads(self.test.threads_per_device, len(self.place.devices))

    def _bytes_of(self, legs: frozenset[Leg]) -> int:
        return sum(cell.disk_bytes for cell in self.planned_cells if cell.leg in legs)

    @property
    def prepared_bytes(self) -> int:
        """Bytes of the source's files, which are written before each trial that reads them."""
        return self.test.repeats * self._bytes_of(READING) if self.role == SENDER else 0

    def of_length(self, length: int) -> "PlannedPath":
        """Return it with another length of the trials that use a disk."""
        cells = tuple(
            cell.model_copy(update={"length_bytes": length}) if cell.length_bytes else cell
            for cell in self.planned_cells
        )
        return replace(self, file_size=length, planned_cells=cells)

    @property
    def bytes_written(self) -> int:
        """Bytes written at this end: the source's files, or what arrives at the sink's disk."""
        if self.role == SENDER:
            return self.prepared_bytes
        return self.test.repeats * self._bytes_of(WRITING)

    @property
    def peak_bytes(self) -> int:
        """Size of the files of the largest trial at this end."""
        legs = READING if self.role == SENDER else WRITING
        sizes = [cell.disk_bytes for cell in self.planned_cells if cell.leg in legs]
        return max(sizes, default=0)

    @property
    def peak_inodes(self) -> int:
        """Inodes of the small files and their directories at this end."""
        used = READING if self.role == SENDER else WRITING
        if self.place.is_memory or not any(leg in used for leg in self.test.legs):
            return 0
        return inodes(self.test)

    @property
    def inodes_field(self) -> str:
        """The parameter that determines how many inodes are needed."""
        return "small_files"

    @property
    def shortest_s(self) -> float:
        """All trials at the highest rates of both ends, with the preparation of their data."""
        return self._preparing_s + self.test.repeats * sum(map(self._trial_s, self.planned_cells))

    @property
    def _preparing_s(self) -> float:
        bytes_per_s = self.source.best_write_bytes_per_s or FASTEST_BYTES_PER_S
        files = sum(cell.small_files for cell in self.planned_cells if cell.leg in READING)
        once = self._bytes_of(READING) / bytes_per_s + files / FASTEST_FILES_PER_S
        return self.test.repeats * once

    def _trial_s(self, cell: PathParameters) -> float:
        if cell.duration_ms:
            return cell.duration_ms / 1000
        rates: list[float] = [FASTEST_BYTES_PER_S]
        if cell.reads_disk:
            rates.append(self.source.best_read_bytes_per_s or FASTEST_BYTES_PER_S)
        if cell.writes_disk:
            rates.append(self.sink.best_write_bytes_per_s or FASTEST_BYTES_PER_S)
        return cell.disk_bytes / min(rates) + cell.small_files / FASTEST_FILES_PER_S

    @property
    def longest_s(self) -> float:
        """Duration if every trial that uses a disk reaches its time limit."""
        limits = [cell.duration_ms or self.test.timeout_ms for cell in self.planned_cells]
        return self._preparing_s + self.test.repeats * sum(limits) / 1000

    def cautions(self) -> Iterator[Caution]:
        """Yield all limitations of the run's results; those of both ends at the sender."""
        if self.role == SENDER:
            yield from cautions(self)


def plan(
    number: int, test: PathTest, source: Place, sink: Place, name: FieldName
) -> tuple[PlannedPath | None, list[FieldError]]:
    """Plan the campaign's test `number`, or return None with the problems."""
    ends = (source, sink) if test.listener == SENDER else (sink, source)
    test = with_ip_version(test, *ends)
    directions = [(source, sink), (sink, source)] if test.full_duplex else [(source, sink)]
    problems = [
        problem
        for one, other in directions
        for problem in (
            *without_disk(number, test, one, other, name),
            *refused_direct(number, test, one, other, name),
        )
    ]
    problems += [
        *same_place(number, test, source, sink, name),
        *duplex.refused(number, test, source, sink, name),
    ]
    if test.full_duplex and test.port:
        listening = [source if test.listener == SENDER else sink]
        problems += too_few_ports(number, test, listening, name)
    length, found = _length(number, test, source, sink, name)
    if problems or found:
        return None, [*problems, *found]
    cells = tuple(
        PathParameters(
            kind="path",
            leg=leg,
            block=block,
            streams=streams,
            length_bytes=length if leg in READING | WRITING else 0,
            duration_ms=0 if leg in READING | WRITING else test.duration_ms,
            small_files=test.small_files if leg in READING | WRITING else 0,
            small_file_bytes=test.small_file_bytes if leg in READING | WRITING else 0,
        )
        for leg in test.legs
        for block in test.block
        for streams in (test.streams if leg in TRANSFERS else [0])
    )
    caches = resolved_cache(test.source_cache, source), resolved_cache(test.sink_cache, sink)
    return PlannedPath(source, number, length, test, cells, SENDER, source, sink, *caches), []


def alike(planned: Sequence[PlannedPath]) -> list[PlannedPath]:
    """Return the pairs of a joint run with one length, if it is an expression.

    It leaves each of the pairs that share a target an equal part of its free space. The cache of an
    end whose disk no leg uses is that of the first pair.
    """
    first = planned[0]
    test, length = first.test, min(one.file_size for one in planned)
    if not any(leg in READING for leg in test.legs):
        planned = [replace(one, source_cache=first.source_cache) for one in planned]
    if not any(leg in WRITING for leg in test.legs):
        planned = [replace(one, sink_cache=first.sink_cache) for one in planned]
    if not isinstance(test.length, str) or not length:
        return [*planned]
    with suppress(ExpressionError):
        known = _known(*_sides(test, [(one.source, one.sink) for one in planned]))
        length = min(length, max(1, evaluate(test.length, known)))
    return [one.of_length(length) for one in planned]


def joined(planned: Sequence[PlannedPath]) -> list[PlannedPath]:
    """Return the ends of all pairs: sender and receiver of the first, of the second, …"""
    sources, sinks = _sides(planned[0].test, [(one.source, one.sink) for one in planned])
    return [
        end
        for one in planned
        for end in replace(
            one, pairs_at=(sources.count(one.source), sinks.count(one.sink))
        ).participants
    ]


def _length(
    number: int, test: PathTest, source: Place, sink: Place, name: FieldName
) -> tuple[int, list[FieldError]]:
    """Return the bytes of a trial that uses a disk, or the problems of its expression."""
    if isinstance(test.length, int):
        length = test.length
    elif not any(leg in READING | WRITING for leg in test.legs):
        return 0, []
    else:
        try:
            length = evaluate(test.length, _known(*_sides(test, [(source, sink)])))
        except ExpressionError as error:
            remedy = 'Write it like "min(10 GB, free / 10)", or check both hosts again.'
            return 0, [FieldError(name(number, "length"), str(error), remedy, test.length)]
    if not 1 <= length <= LARGEST_FILE:
        message = f"is {length} bytes; it must be from 1 byte to 2^62 bytes"
        return 0, [FieldError(name(number, "length"), message, "Use a size in bytes.", test.length)]
    return length, []


def _sides(test: PathTest, pairs: Sequence[tuple[Place, Place]]) -> tuple[list[Place], list[Place]]:
    """Return the sources and the sinks of these pairs; with full duplex, of both directions."""
    sources, sinks = [one for one, _ in pairs], [other for _, other in pairs]
    return (sources + sinks, sinks + sources) if test.full_duplex else (sources, sinks)


def _known(sources: Sequence[Place], sinks: Sequence[Place]) -> dict[str, int]:
    """Return the names in an expression of the length, as far as they are known.

    `ram` is the largest memory, and the others are those of the end that has least: a length that
    fits all. All files that exist on a file system at once have equal parts of its free space.
    """
    ends = [*sources, *sinks]
    rates = [
        *(one.best_read_bytes_per_s for one in sources),
        *(one.best_durable_bytes_per_s for one in sinks),
    ]
    known = {
        "ram": max((one.ram for one in ends if one.ram), default=None),
        "free": free_for_each(ends),
        "cpus": min((one.cpus for one in ends if one.cpus), default=None),
        "rate": round(min((one for one in rates if one), default=ASSUMED_BYTES_PER_S)),
    }
    return {name: value for name, value in known.items() if value is not None}
