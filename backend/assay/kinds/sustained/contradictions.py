"""Which parameters of a sustained test contradict each other."""

from collections.abc import Iterator
from typing import NamedTuple

from assay.base.words import span
from assay.kinds.expressions import duration_ms
from assay.kinds.sustained.declarations import SustainedFields
from assay.kinds.sustained.fields import FASTEST_PACE_NS, MOST_CELLS, MOST_RING_FILES, MOST_TRIALS


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


def _span(ms: int) -> str:
    return span(ms * 10**6)


def contradictions(test: SustainedFields) -> Iterator[Refused]:
    """Yield the parameters that do not fit together, the most important first."""
    lasting = duration_ms(test.length)
    yield from refused(test)
    yield from _of_both(test, lasting)
    yield from _of_reads(test, lasting)
    if lasting is not None and test.ramp_ms >= lasting:
        yield Refused(
            "ramp_ms",
            test.ramp_ms,
            f"is {_span(test.ramp_ms)}, but the trial lasts only {_span(lasting)}",
            "Use a shorter ramp-up or a longer trial.",
        )
    if test.file_mode == "ring" and test.ring_files * test.streams > MOST_RING_FILES:
        yield Refused(
            "ring_files",
            test.ring_files,
            f"makes {test.ring_files * test.streams} files of {test.streams} streams; "
            f"the maximum is {MOST_RING_FILES}",
            "Use fewer, larger files or fewer streams.",
        )
    if test.sync_bytes and test.sync_ms:
        yield Refused(
            "sync_ms",
            test.sync_ms,
            f"is {_span(test.sync_ms)}, but sync_bytes is {test.sync_bytes}; only one of them "
            "can set the periodic sync",
            "Set sync_ms or sync_bytes to 0.",
        )
    if test.pace == "burst" and test.gap_ns == 0:
        yield Refused(
            "gap_ns", 0, "is 0, so that bursts have no gap", 'Use a gap, or pacing "none".'
        )
    yield from _of_recovery(test)
    yield from _of_preconditioning(test, lasting)
    yield from _of_read_back(test)
    yield from _of_rates(test)
    if test.cells > MOST_CELLS or test.trials > MOST_TRIALS:
        yield Refused(
            "repeats",
            test.repeats,
            f"makes {test.cells} cells and {test.trials} trials; the maximum is {MOST_CELLS} "
            f"cells and {MOST_TRIALS} trials",
            "Use fewer blocks, queue depths, rates, bursts, idle times, caches, priorities or "
            "repeats.",
        )


def _of_recovery(test: SustainedFields) -> Iterator[Refused]:
    if len(test.idle_ms) < 2:
        return
    if test.operation != "write":
        yield Refused(
            "idle_ms",
            test.idle_ms,
            f"has {len(test.idle_ms)} values, which show how writes recover; "
            "the files of a read are written before it",
            'Use one idle time, or operation "write".',
        )
    if test.ramp_ms:
        yield Refused(
            "ramp_ms",
            test.ramp_ms,
            f"is {_span(test.ramp_ms)}, but idle_ms has several values: a ramp-up would hide "
            "what the storage takes fast after a rest",
            "Use 0, or one idle time.",
        )


def _of_both(test: SustainedFields, lasting: int | None) -> Iterator[Refused]:
    if test.operation != "both":
        return
    if test.read_back != "none":
        yield Refused(
            "read_back",
            test.read_back,
            f'is "{test.read_back}", but a test that writes and reads at the same time '
            "verifies only what it reads",
            'Use "none", or operation "write".',
        )
    for name in ("fill_percent", "precondition_passes"):
        if value := getattr(test, name):
            yield Refused(
                name,
                value,
                f"is {value}, but the writer and the reader would both prepare the same file "
                "system",
                "Use 0, and prepare it by a write before this test.",
            )
    if lasting is None:
        yield Refused(
            "length",
            test.length,
            f"is {test.length}, but a test that writes and reads at the same time needs a "
            "duration: with a number of bytes, the faster direction would end first",
            'Use a duration such as "10 min", and a ring of files.',
        )


def _of_reads(test: SustainedFields, lasting: int | None) -> Iterator[Refused]:
    if test.operation == "write":
        return
    if lasting is not None and test.file_mode != "ring" and test.access == "sequential":
        yield Refused(
            "file_mode",
            test.file_mode,
            f'is "{test.file_mode}", but the data of a read exists before it, and how much a '
            "duration reads is unknown",
            'Use "ring", which is read again and again, or a length in bytes.',
        )
    if test.operation != "read":
        return
    for name, value in (("sync_bytes", test.sync_bytes), ("sync_ms", test.sync_ms)):
        if value:
            yield Refused(name, value, f"is {value}, but a read has nothing to sync", "Use 0.")


def _of_read_back(test: SustainedFields) -> Iterator[Refused]:
    if test.read_back == "other_host" and test.access == "random":
        yield Refused(
            "read_back",
            test.read_back,
            'is "other_host", but another host cannot know which blocks of a random test were '
            "overwritten last",
            'Use "same_host" or "none".',
        )
    if test.operation == "read" and test.read_back != "none":
        yield Refused(
            "read_back",
            test.read_back,
            f'is "{test.read_back}", but a read verifies its data anyway',
            'Use "none".',
        )


def _of_preconditioning(test: SustainedFields, lasting: int | None) -> Iterator[Refused]:
    """Yield that files are preconditioned that do not exist before the trial."""
    if test.operation == "read":
        why = "a read's files are written once before it"
    elif test.file_mode == "sequence":
        why = "the files of a sequence do not exist before the trial"
    elif test.file_mode == "one" and lasting is not None and test.access == "sequential":
        why = "the size of the file is unknown if a duration ends the trial"
    else:
        return
    if test.precondition_passes:
        yield Refused(
            "precondition_passes",
            test.precondition_passes,
            f"is {test.precondition_passes}, but {why}",
            "Use 0."
            if test.operation == "read"
            else 'Use 0, or files "ring" or one file with a length in bytes.',
        )


def _of_rates(test: SustainedFields) -> Iterator[Refused]:
    if test.pace == "rate":
        yield from _unholdable(test, "rate_bytes_per_s", max(test.rate_bytes_per_s))
    if test.operation == "both" and test.read_pace == "rate":
        yield from _unholdable(test, "read_rate_bytes_per_s", test.read_rate_bytes_per_s)


def _unholdable(test: SustainedFields, field: str, rate: int) -> Iterator[Refused]:
    block = min(test.block)
    most = block * test.streams * 10**9 // FASTEST_PACE_NS
    if rate > most:
        each = block * test.streams * 1e6 / rate
        yield Refused(
            field,
            rate,
            f"is {rate}, which needs an operation of {block} bytes every {each:.2g} µs "
            f"in each stream; pacing holds one every {FASTEST_PACE_NS // 1000} µs",
            f"Use at most {most} bytes/s, larger blocks or more streams.",
        )
