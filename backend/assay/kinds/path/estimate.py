"""The plan of a path test from a source to a sink: cells, bytes, durations, problems, warnings."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product

from assay.base import words
from assay.base.field_errors import FieldError
from assay.base.words import size as bytes_in_words
from assay.kinds.expressions import ExpressionError, evaluate
from assay.kinds.path.fields import (
    LEGS,
    MOST_DISK_THREADS,
    PARTS,
    READING,
    TRANSFERS,
    USING_DISK,
    WRITING,
    Leg,
)
from assay.kinds.path.parameters import PathParameters, PathTest
from assay.kinds.path.planned import PathPlan, disk_threads, inodes
from assay.kinds.path.refusals import (
    differing_caches,
    refused_direct,
    same_place,
    too_few_ports,
    without_disk,
)
from assay.kinds.planning import Caution, FieldName, Place
from assay.kinds.storage import resolved_cache
from assay.kinds.transfer.planned import (
    RECEIVER,
    SENDER,
    known_names,
    length_of,
    on_one_host,
    unprovable,
    with_ip_version,
)

_OF_DEVICES = frozenset({"devices_unknown", "disk_threads_limited"})
"""The codes of the warnings."""


def _of_devices(per_device: int, place: Place) -> Iterator[Caution]:
    """Yield that the devices of a target are unknown, or too many for a thread each."""
    number = disk_threads(per_device, len(place.devices))
    if not place.devices:
        yield Caution(
            "devices_unknown",
            f"{place.host_name} does not show the physical devices below {place.path} "
            f"({place.fs_type}): they count as one, for {words.count(number, 'thread')}. If there "
            "are more, give their number as `threads_per_device`.",
        )
    elif number < per_device * len(place.devices):
        yield place.caution(
            "disk_threads_limited",
            "",
            f" is on {words.count(len(place.devices), 'device')}: "
            f"{per_device} for each would be more than the {MOST_DISK_THREADS} threads that a "
            "target has at most.",
        )


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
    length, problems = 0, [*_problems(number, test, source, sink, name)]
    if isinstance(test.length, int) or not USING_DISK.isdisjoint(test.legs):
        length, found = length_of(number, test.length, _sides(test, [(source, sink)]), name)
        problems += found
    if problems:
        return None, problems
    cells = tuple(_cells(test, length))
    caches = resolved_cache(test.source_cache, source), resolved_cache(test.sink_cache, sink)
    return PlannedPath(source, number, length, test, cells, SENDER, source, sink, *caches), []


def _problems(
    number: int, test: PathTest, source: Place, sink: Place, name: FieldName
) -> Iterator[FieldError]:
    """Yield why a test cannot be measured between these ends, but for its length."""
    directions = [(source, sink), (sink, source)] if test.full_duplex else [(source, sink)]
    for one, other in directions:
        yield from without_disk(number, test, one, other, name)
        yield from refused_direct(number, test, one, other, name)
    yield from same_place(number, test, source, sink, name)
    yield from differing_caches(number, test, source, sink, name)
    if test.full_duplex and test.port:
        listening = [source if test.listener == SENDER else sink]
        yield from too_few_ports(number, test, listening, name)


def _cells(test: PathTest, length: int) -> Iterator[PathParameters]:
    """Yield each leg with each setting; those without a disk end by time."""
    for leg, block in product(test.legs, test.block):
        uses_disk = leg in USING_DISK
        for streams in test.streams if leg in TRANSFERS else [0]:
            yield PathParameters(
                kind="path",
                leg=leg,
                block=block,
                streams=streams,
                length_bytes=length if uses_disk else 0,
                duration_ms=0 if uses_disk else test.duration_ms,
                small_files=test.small_files if uses_disk else 0,
                small_file_bytes=test.small_file_bytes if uses_disk else 0,
            )


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
        known = known_names(*_sides(test, [(one.source, one.sink) for one in planned]))
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


def _sides(test: PathTest, pairs: Sequence[tuple[Place, Place]]) -> tuple[list[Place], list[Place]]:
    """Return the sources and the sinks of these pairs; with full duplex, of both directions."""
    sources, sinks = [one for one, _ in pairs], [other for _, other in pairs]
    return (sources + sinks, sinks + sources) if test.full_duplex else (sources, sinks)


CAUTIONS = frozenset(
    {
        "transfer_on_one_host",
        "transfer_on_one_device",
        "direct_not_real",
        "fits_in_memory",
        "served_by_unknown",
        "no_bottleneck",
        "small_files",
    }
).union(_OF_DEVICES)
"""The codes of the warnings."""


def _of_small_files(run: PathPlan) -> Iterator[Caution]:
    """Yield what small files need, and that direct I/O does not apply to them."""
    test, legs = run.test, run.test.legs
    if not test.small_files:
        return
    ends = ((run.source, READING, run.pairs_at[0]), (run.sink, WRITING, run.pairs_at[1]))
    needed = " and ".join(
        f"{words.grouped(pairs * inodes(test))} inodes at {place.name}"
        for place, used, pairs in ends
        if not place.is_memory and any(leg in used for leg in legs)
    )
    size = bytes_in_words(test.small_file_bytes)
    yield Caution(
        "small_files",
        f"{run.title} moves {words.grouped(test.small_files)} small files of {size} "
        f"({bytes_in_words(test.small_files * test.small_file_bytes)}) in each trial that uses a "
        f"disk, which needs {needed}. Small files use the page cache at both ends.",
    )


def cautions(run: PathPlan) -> Iterator[Caution]:
    """Yield all warnings."""
    yield from _of_small_files(run)
    if not run.turned:
        yield from _of_shared(run)
    for end in (run, replace(run, end=RECEIVER, place=run.sink)):
        if end.uses_disk:
            yield from _of_disk(end)
    missing: list[Leg] = [leg for leg in PARTS if leg not in run.test.legs]
    if "disk" in run.test.legs and missing:
        names = words.listed([LEGS[leg].lower() for leg in missing])
        yield Caution(
            "no_bottleneck",
            f"The test {run.title} does not also measure {names}: what limits the transfer can be "
            "named only where the transfer's own evidence is clear.",
        )


def _of_shared(run: PathPlan) -> Iterator[Caution]:
    """Yield that source and sink share a host, or a device."""
    source, sink, legs = run.source, run.sink, run.test.legs
    if not TRANSFERS.isdisjoint(legs) and source.machine == sink.machine:
        yield on_one_host(source)
    shared = {one for one in source.needs if one.startswith("device:")} & sink.needs.keys()
    if shared and "disk" in legs:
        device = source.needs[min(shared)]
        yield Caution(
            "transfer_on_one_device",
            f"{source.name} and {sink.name} share {device}: each byte is read and written there.",
        )


def _of_disk(end: PathPlan) -> Iterator[Caution]:
    """Yield what may make the rate of an end's disk another one than that of its storage."""
    place, test, reads = end.place, end.test, end.role == SENDER
    asked, cache, pairs, moves = (
        (test.source_cache, end.source_cache, end.pairs_at[0], "reads")
        if reads
        else (test.sink_cache, end.sink_cache, end.pairs_at[1], "writes")
    )
    if asked == "direct_if_real" and cache == "page":
        yield place.caution(
            "direct_not_real",
            f"{end.title} uses the page cache at ",
            f": O_DIRECT is not supported there ({place.direct}).",
        )
    size = pairs * end.file_size
    if cache == "page" and place.ram and size < place.ram:
        yield place.caution(
            "fits_in_memory",
            f"{end.title} {moves} {bytes_in_words(size)} at ",
            f", which fits in the memory of {place.host_name} ({bytes_in_words(place.ram)}).",
        )
    yield from _of_devices(test.threads_per_device, place)
    if not place.provable:
        yield unprovable(place)
