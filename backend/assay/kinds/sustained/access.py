"""Which combinations of access, operation, engine and queue depth a sustained test can have."""

from collections.abc import Iterator
from typing import NamedTuple

from assay.kinds.sustained.declarations import SustainedFields


class Refused(NamedTuple):
    """A value that a test cannot have: what is wrong with it, and what to use instead."""

    field: str
    value: object
    message: str
    remedy: str


def refused(test: SustainedFields) -> Iterator[Refused]:
    """Yield what does not fit together, the most important first."""
    if test.access == "random":
        yield from _of_random(test)
    elif test.operation == "mixed":
        yield Refused(
            "access",
            test.access,
            f'is "{test.access}", but mixed reads and writes choose their blocks at random',
            'Use "random", or operation "both" for a sequential writer and reader.',
        )
    deepest = max(test.queue_depth)
    if deepest > 1 and test.engine == "threads":
        yield Refused(
            "queue_depth",
            test.queue_depth,
            f"contains {deepest}, but a thread has one operation in flight",
            'Use engine "io_uring", or more streams with a queue depth of 1.',
        )


def _of_random(test: SustainedFields) -> Iterator[Refused]:
    if test.file_mode != "one":
        yield Refused(
            "file_mode",
            test.file_mode,
            f'is "{test.file_mode}", but random access needs one file per stream, of the size of '
            "its working set",
            'Use "one", and the working set as file_size.',
        )
    if len(test.idle_ms) > 1:
        yield Refused(
            "idle_ms",
            test.idle_ms,
            f"has {len(test.idle_ms)} values, but the working set of random access is written "
            "before each trial, after which no cache is rested",
            'Use one idle time, or access "sequential".',
        )
