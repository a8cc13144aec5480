"""The plan of a path test from a source to a sink: cells, bytes, durations and problems.

The sender's plan has the source as its place, the receiver's the sink; both have the same trials.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from assay.analysis.words import size as bytes_in_words
from assay.http.field_errors import FieldError
from assay.kinds.expressions import ExpressionError, evaluate
from assay.kinds.fields import LARGEST_FILE
from assay.kinds.path.fields import LEGS, READING, TRANSFERS, WRITING, Leg
from assay.kinds.path.parameters import PathParameters, PathTest
from assay.kinds.planning import (
    ASSUMED_BYTES_PER_S,
    FASTEST_BYTES_PER_S,
    Caution,
    FieldName,
    Place,
    PlannedRun,
    PlannedTrial,
)
from assay.kinds.storage import passes, resolved_cache

SENDER, RECEIVER = "sender", "receiver"

CAUTIONS = frozenset(
    {
        "transfer_on_one_host",
        "transfer_on_one_device",
        "direct_not_real",
        "fits_in_memory",
        "served_by_unknown",
        "no_bottleneck",
    }
)
"""The codes of the warnings."""


@dataclass(frozen=True)
class PlannedPath(PlannedRun):
    """One end of a path test; `file_size` is the length of the trials that use a disk, in bytes.

    `source_cache` and `sink_cache` are page or direct.
    """

    test: PathTest
    end: str
    source: Place
    sink: Place
    source_cache: str
    sink_cache: str
    planned_cells: tuple[PathParameters, ...]

    @property
    def kind(self) -> str:
        """Name of the kind."""
        return self.test.kind

    @property
    def title(self) -> str:
        """Title of the test."""
        return self.test.title

    @property
    def participants(self) -> list["PlannedPath"]:
        """The sender and the receiver."""
        return [self, replace(self, end=RECEIVER, place=self.sink)]

    @property
    def role(self) -> str:
        """Whether it is the sender or the receiver."""
        return self.end

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
    def cells(self) -> int:
        """Number of parameter combinations."""
        return len(self.planned_cells)

    @property
    def trials(self) -> int:
        """Number of trials."""
        return self.cells * self.test.repeats

    def order(self) -> list[PlannedTrial]:
        """Return one pass per repeat, so that drift does not look like a leg's effect."""
        return passes(self.planned_cells, self.test.repeats, self.test.order)

    @property
    def file_size_asked(self) -> int | str:
        """Length in the test, which may be an expression."""
        return self.test.length

    @property
    def size_field(self) -> str:
        """The parameter that determines how much space is needed."""
        return "length"

    def _bytes_of(self, legs: frozenset[Leg]) -> int:
        return sum(cell.length_bytes for cell in self.planned_cells if cell.leg in legs)

    @property
    def prepared_bytes(self) -> int:
        """Bytes of the source's files, which are written before each trial that reads them."""
        return self.test.repeats * self._bytes_of(READING) if self.role == SENDER else 0

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
        sizes = [cell.length_bytes for cell in self.planned_cells if cell.leg in legs]
        return max(sizes, default=0)

    @property
    def shortest_s(self) -> float:
        """All trials at the highest rates of both ends, with the preparation of their data."""
        preparing = self.test.repeats * self._bytes_of(READING)
        writing = preparing / (self.source.best_write_bytes_per_s or FASTEST_BYTES_PER_S)
        return writing + self.test.repeats * sum(map(self._trial_s, self.planned_cells))

    def _trial_s(self, cell: PathParameters) -> float:
        if cell.duration_ms:
            return cell.duration_ms / 1000
        rates: list[float] = [FASTEST_BYTES_PER_S]
        if cell.reads_disk:
            rates.append(self.source.best_read_bytes_per_s or FASTEST_BYTES_PER_S)
        if cell.writes_disk:
            rates.append(self.sink.best_write_bytes_per_s or FASTEST_BYTES_PER_S)
        return cell.length_bytes / min(rates)

    @property
    def longest_s(self) -> float:
        """Duration if every trial that uses a disk reaches its time limit."""
        limits = [cell.duration_ms or self.test.timeout_ms for cell in self.planned_cells]
        preparing = self.test.repeats * self._bytes_of(READING)
        writing = preparing / (self.source.best_write_bytes_per_s or FASTEST_BYTES_PER_S)
        return writing + self.test.repeats * sum(limits) / 1000

    def cautions(self) -> Iterator[Caution]:
        """Yield all limitations of the run's results; those of both ends at the sender."""
        if self.role == SENDER:
            yield from _cautions(self)


def plan(
    number: int, test: PathTest, source: Place, sink: Place, name: FieldName
) -> tuple[PlannedPath | None, list[FieldError]]:
    """Plan the campaign's test `number`, or return None with the problems."""
    problems = [
        *_without_disk(number, test, source, sink, name),
        *_same_place(test, source, sink),
        *_refused(number, test, source, sink, name),
    ]
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
        )
        for leg in test.legs
        for block in test.block
        for streams in (test.streams if leg in TRANSFERS else [0])
    )
    caches = resolved_cache(test.source_cache, source), resolved_cache(test.sink_cache, sink)
    return PlannedPath(source, number, length, test, SENDER, source, sink, *caches, cells), []


def _without_disk(
    number: int, test: PathTest, source: Place, sink: Place, name: FieldName
) -> Iterator[FieldError]:
    """Yield the legs that use a disk at an end that is memory."""
    for side, place, legs in (("source", source, READING), ("sink", sink, WRITING)):
        unfit = [leg for leg in test.legs if leg in legs]
        if place.is_memory and unfit:
            message = f'has "{unfit[0]}", which uses a disk at the {side}, but that is {place.name}'
            remedy = f"Select a target as {side}, or only legs without its disk."
            yield FieldError(name(number, "legs"), message, remedy, list(test.legs))


def _same_place(test: PathTest, source: Place, sink: Place) -> Iterator[FieldError]:
    """Yield that both ends are the same directory and both are used."""
    if source.is_memory or source.target_id != sink.target_id:
        return
    if any(leg in READING for leg in test.legs) and any(leg in WRITING for leg in test.legs):
        message = f"is the same directory as the source: {sink.name}"
        yield FieldError("sinks.0", message, "Select another target as source or sink.")


def _refused(
    number: int, test: PathTest, source: Place, sink: Place, name: FieldName
) -> Iterator[FieldError]:
    """Yield the ends whose disk is used by direct I/O, which its file system refuses."""
    ends = (
        ("source_cache", test.source_cache, READING, source),
        ("sink_cache", test.sink_cache, WRITING, sink),
    )
    for field, cache, legs, place in ends:
        used = not place.is_memory and any(leg in legs for leg in test.legs)
        if used and cache == "direct" and place.direct == "refused":
            message = f"the file system of {place.name} ({place.fs_type}) refuses O_DIRECT"
            remedy = 'Use cache "page" or "direct_if_real".'
            yield FieldError(name(number, field), message, remedy, cache)


def _length(
    number: int, test: PathTest, source: Place, sink: Place, name: FieldName
) -> tuple[int, list[FieldError]]:
    """Return the bytes of a trial that uses a disk, or the problems of its expression.

    In an expression, `ram` is the larger memory, and the other names are those of the end that has
    less: a length that fits both.
    """
    disks = [one for one in (source, sink) if not one.is_memory]
    if isinstance(test.length, int):
        length = test.length
    elif not any(leg in READING | WRITING for leg in test.legs):
        return 0, []
    else:
        rates = source.best_read_bytes_per_s, sink.best_durable_bytes_per_s
        known = {
            "ram": max((one.ram for one in (source, sink) if one.ram), default=None),
            "free": min((one.free_bytes for one in disks), default=None),
            "cpus": min((one.cpus for one in (source, sink) if one.cpus), default=None),
            "rate": round(min((one for one in rates if one), default=ASSUMED_BYTES_PER_S)),
        }
        try:
            length = evaluate(
                test.length, {name: value for name, value in known.items() if value is not None}
            )
        except ExpressionError as error:
            remedy = 'Write it like "min(10 GB, free / 10)", or check both hosts again.'
            return 0, [FieldError(name(number, "length"), str(error), remedy, test.length)]
    if not 1 <= length <= LARGEST_FILE:
        message = f"is {length} bytes; it must be from 1 byte to 2^62 bytes"
        return 0, [FieldError(name(number, "length"), message, "Use a size in bytes.", test.length)]
    return length, []


def _cautions(run: PlannedPath) -> Iterator[Caution]:
    source, sink, legs = run.source, run.sink, run.test.legs
    moving = any(leg in TRANSFERS for leg in legs)
    if moving and source.host_id == sink.host_id:
        yield Caution(
            "transfer_on_one_host",
            f"Source and sink are both on {source.host_name}: the transfer uses the loopback "
            "interface and no network card, and both ends share the CPUs.",
        )
    shared = {one for one in source.needs if one.startswith("device:")} & sink.needs.keys()
    if shared and {"disk"} & set(legs):
        device = source.needs[min(shared)]
        yield Caution(
            "transfer_on_one_device",
            f"{source.name} and {sink.name} share {device}: each byte is read and written there.",
        )
    ends = (
        (source, run.source_cache, run.test.source_cache, READING, "reads"),
        (sink, run.sink_cache, run.test.sink_cache, WRITING, "writes"),
    )
    for place, cache, asked, used, moves in ends:
        if place.is_memory or not any(leg in used for leg in legs):
            continue
        if asked == "direct_if_real" and cache == "page":
            yield Caution(
                "direct_not_real",
                f"{run.title} uses the page cache at {place.name}: O_DIRECT is not supported there "
                f"({place.direct}).",
            )
        if cache == "page" and place.ram and run.file_size < place.ram:
            yield Caution(
                "fits_in_memory",
                f"{run.title} {moves} {bytes_in_words(run.file_size)} at {place.name}, which fits "
                f"in the memory of {place.host_name} ({bytes_in_words(place.ram)}).",
            )
        if not place.provable:
            yield Caution(
                "served_by_unknown",
                f"{place.name} is {place.fs_type}: nothing on the host shows whether data came "
                "from the storage.",
            )
    parts: tuple[Leg, ...] = ("read", "memory", "write")
    missing: list[Leg] = [leg for leg in parts if leg not in legs]
    if "disk" in legs and missing:
        names = ", ".join(LEGS[leg].lower() for leg in missing)
        yield Caution(
            "no_bottleneck",
            f"{run.title} does not measure {names} by itself: what limits the transfer can be "
            "named only where the transfer's own evidence is clear.",
        )
