"""What a place refuses of a sustained test: sizes, paces, caches, and what its engine needs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from assay.base.field_errors import FieldError
from assay.base.words import size as bytes_in_words
from assay.kinds.fields import CacheMode
from assay.kinds.planning import FASTEST_BYTES_PER_S, FieldName, Place
from assay.kinds.sustained.fields import FASTEST_PACE_NS, LONGEST_BYTES
from assay.kinds.sustained.parameters import SustainedParameters, SustainedTest

MOST_SEQUENCE_FILES = 1_000_000
"""Files of a sequence that the probe records; `SEQUENCE_FILES_MOST` of the probe."""


def left_bytes(test: SustainedTest, place: Place) -> int:
    """Return the free bytes that a fill leaves; all of them without one."""
    if test.fill_percent == 0 or place.size_bytes is None:
        return place.free_bytes
    return place.size_bytes // 100 * (100 - test.fill_percent)


def same_caches(
    number: int,
    test: SustainedTest,
    caches: Sequence[CacheMode],
    place: Place,
    name: FieldName,
) -> Iterator[FieldError]:
    """Yield that two of the compared caches are the same at a place."""
    if len(set(caches)) == len(caches):
        return
    used = "the page cache" if caches[0] == "page" else "direct I/O"
    message = f"compares {' and '.join(test.cache)}, which both use {used} on {place.name}"
    others = "" if caches[0] == "page" else ', or compare "page" and "direct"'
    remedy = f'Use only "{caches[0]}"{others}.'
    yield FieldError(name(number, "cache"), message, remedy, test.cache)


def unholdable_gap(number: int, test: SustainedTest, name: FieldName) -> Iterator[FieldError]:
    """Yield that no timer holds the gap; a profile that was stored with it remains readable."""
    if test.pace == "burst" and max(test.gap_ns, test.quantum_ns) < FASTEST_PACE_NS:
        message = f"is {test.gap_ns} ns, but no timer holds a gap under {FASTEST_PACE_NS} ns"
        remedy = f'Use at least {FASTEST_PACE_NS} ns, or pacing "none".'
        yield FieldError(name(number, "gap_ns"), message, remedy, test.gap_ns)


@dataclass(frozen=True)
class Sizes:
    """Resolved sizes in bytes; 0 where the test has none."""

    length: int
    file: int


def too_small(
    number: int, test: SustainedTest, block: int, sizes: Sizes, name: FieldName
) -> Iterator[FieldError]:
    """Yield the sizes that do not hold the largest block."""
    length, file_size = sizes.length, sizes.file
    random = test.access == "random"
    holder = "each stream's working set" if random else f"each file of the {test.file_mode}"
    if file_size and file_size < block:
        message = (
            f"is {bytes_in_words(file_size)}, less than the block of {bytes_in_words(block)} "
            f"that {holder} must hold"
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


def too_many_files(
    number: int,
    test: SustainedTest,
    place: Place,
    cells: Sequence[SustainedParameters],
    name: FieldName,
) -> Iterator[FieldError]:
    """Yield that the files are more than the probe records, or larger than a trial may be."""
    field = name(number, "file_size")
    if test.file_mode == "ring":
        files = test.ring_files * test.streams
        if max(cell.file_bytes for cell in cells) * files > LONGEST_BYTES:
            message = f"makes a ring of {files} files larger than 2^60 bytes"
            yield FieldError(field, message, "Use smaller or fewer files.", test.file_size)
    if test.file_mode != "sequence":
        return
    most = [_most_bytes(cell, place) for cell in cells]
    files = max(moved // cell.file_bytes for moved, cell in zip(most, cells, strict=True))
    if files >= MOST_SEQUENCE_FILES:
        enough = max(most) // MOST_SEQUENCE_FILES + 1
        message = (
            f"makes a sequence of up to {files / 1e6:.3g} million files; the maximum is 1 million"
        )
        yield FieldError(field, message, f"Use files of at least {enough} bytes.", test.file_size)


def too_full(
    number: int,
    test: SustainedTest,
    place: Place,
    cells: Sequence[SustainedParameters],
    name: FieldName,
) -> Iterator[FieldError]:
    """Yield that the fill leaves less than the reserve and the largest trial's files."""
    files = max(cell.footprint_bytes for cell in cells)
    left, needed = left_bytes(test, place), place.reserve_bytes + files
    if left >= needed or left == place.free_bytes or place.size_bytes is None:
        return  # without a fill, the campaign compares files and free space
    most = 100 - ceil(100 * needed / place.size_bytes)
    remedy = f"Use at most {most}, or smaller files." if most > 0 else "Use 0, or smaller files."
    message = (
        f"leaves {bytes_in_words(left)} free on {place.name}, but the reserve of "
        f"{bytes_in_words(place.reserve_bytes)} and the trial's files of {bytes_in_words(files)} "
        f"need {bytes_in_words(needed)}"
    )
    yield FieldError(name(number, "fill_percent"), message, remedy, test.fill_percent)


def _most_bytes(cell: SustainedParameters, place: Place) -> int:
    """Return how many bytes of new files a trial writes at most.

    Without a length or a pace that is as much as the fastest storage writes, or as there is space.
    """
    if cell.length_bytes:
        return cell.length_bytes
    rate = cell.offered_bytes_per_s or place.best_write_bytes_per_s or FASTEST_BYTES_PER_S
    return min(place.free_bytes, round(rate * cell.duration_ms / 1000))


BUFFER_PART = 10
"""Buffers take at most this part of the memory; the probe's limit."""


def refused_engine(
    number: int, test: SustainedTest, place: Place, name: FieldName
) -> Iterator[FieldError]:
    """Yield that the host's kernel does not permit the engine."""
    if test.engine == "io_uring" and place.io_uring_refused is not None:
        message = f"{place.host_name} does not permit io_uring: {place.io_uring_refused}"
        remedy = 'Permit it there and inspect the host, or use "threads".'
        yield FieldError(name(number, "engine"), message, remedy, test.engine)


def too_deep(
    number: int, test: SustainedTest, place: Place, block: int, name: FieldName
) -> Iterator[FieldError]:
    """Yield that the buffers of all operations in flight take too much of the host's memory."""
    depth = max(test.queue_depth)
    buffers = test.streams * depth * block
    if depth > 1 and place.ram is not None and buffers > place.ram // BUFFER_PART:
        message = (
            f"{depth} needs buffers of {bytes_in_words(buffers)} on {place.host_name}, over a "
            f"tenth of its memory ({bytes_in_words(place.ram)})"
        )
        remedy = "Use a smaller queue depth, smaller blocks or fewer streams."
        yield FieldError(name(number, "queue_depth"), message, remedy, test.queue_depth)


def too_small_for(
    number: int, test: SustainedTest, block: int, file_bytes: int, name: FieldName
) -> Iterator[FieldError]:
    """Yield that a working set has fewer blocks than operations in flight."""
    depth = max(test.queue_depth)
    if test.access == "random" and block <= file_bytes < depth * block:
        message = (
            f"is {bytes_in_words(file_bytes)}, fewer blocks of {bytes_in_words(block)} than the "
            f"{depth} operations in flight"
        )
        remedy = "Use a larger working set, smaller blocks or a smaller queue depth."
        yield FieldError(name(number, "file_size"), message, remedy, test.file_size)
