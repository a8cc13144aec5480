"""What the engine of a sustained test needs of a host: the kernel's permission, and memory."""

from collections.abc import Iterator

from assay.analysis.words import size as bytes_in_words
from assay.http.field_errors import FieldError
from assay.kinds.planning import FieldName, Place
from assay.kinds.sustained.parameters import SustainedTest

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
