"""The plan of a path test from a source to a sink: cells, bytes, durations and problems.

The sender's plan has the source as its place, the receiver's the sink; both have the same trials.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from assay.http.field_errors import FieldError
from assay.kinds.expressions import ExpressionError, evaluate
from assay.kinds.fields import LARGEST_FILE
from assay.kinds.path import duplex
from assay.kinds.path.cautions import cautions
from assay.kinds.path.fields import READING, TRANSFERS, WRITING
from assay.kinds.path.parameters import PathParameters, PathTest
from assay.kinds.path.planned import PathPlan
from assay.kinds.path.refusals import refused_direct, same_place, too_few_ports, without_disk
from assay.kinds.planning import (
    ASSUMED_BYTES_PER_S,
    Caution,
    FieldName,
    Place,
    free_for_each,
)
from assay.kinds.storage import resolved_cache
from assay.kinds.transfers import SENDER, with_ip_version


@dataclass(frozen=True)
class PlannedPath(PathPlan):
    """One end of a path test, with the warnings of its estimate."""

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
