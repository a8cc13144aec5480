"""The warnings of a sustained test's estimate."""

from collections.abc import Iterator

from assay.analysis.words import rate as rate_in_words
from assay.analysis.words import size as bytes_in_words
from assay.kinds.expressions import duration_ms
from assay.kinds.planning import ASSUMED_BYTES_PER_S, LENGTH_UNKNOWN, Caution, length_unknown
from assay.kinds.storage import cautions_of_direct, cautions_of_source
from assay.kinds.sustained.directions import known_bytes_per_s
from assay.kinds.sustained.fields import Operation
from assay.kinds.sustained.parameters import offered_bytes_per_s
from assay.kinds.sustained.planned import SustainedPlan

SPOOL_SHOWN_BYTES = 100_000_000

RING_MEMORY_FACTOR = 2

CAUTIONS = frozenset(
    {
        "already_filled",
        "block_rounded",
        "direct_not_real",
        "direct_buffered",
        "fits_in_memory",
        "fits_in_array_cache",
        "io_priority_ignored",
        LENGTH_UNKNOWN,
        "offered_rate",
        "priority_permission",
        "rate_above_measured",
        "ring_in_memory",
        "served_by_unknown",
        "random_length_unknown",
        "spool_size",
        "working_set_in_memory",
    }
)
"""The codes of a sustained test's estimate warnings."""


def cautions(run: SustainedPlan) -> Iterator[Caution]:
    """Yield all limitations of the run's results."""
    yield from _of_cache(run)
    yield from _of_pacing(run)
    yield from _of_fill(run)
    yield from _of_priority(run)
    if run.spool_bytes >= SPOOL_SHOWN_BYTES:
        yield run.caution(
            "spool_size",
            f": the record of a trial takes about {bytes_in_words(run.spool_bytes)} on the host.",
        )


def _of_cache(run: SustainedPlan) -> Iterator[Caution]:
    """Yield what the page cache, direct I/O and the array's cache do to the results."""
    place, test = run.place, run.test
    rounded = [block for block in test.block if block not in run.blocks]
    if rounded:
        step = run.alignment
        yield run.caution(
            "block_rounded",
            f": direct I/O moves multiples of {step} bytes, so the block of "
            f"{rounded[0]} bytes is rounded up to {-(-rounded[0] // step) * step}.",
        )
    for asked, used in zip(test.cache, run.caches, strict=True):
        yield from cautions_of_direct(run, asked, used)
    footprint, ring = run.peak_bytes - run.fill_bytes, test.file_mode == "ring"
    random = test.access == "random"
    factor = RING_MEMORY_FACTOR if ring or random else 1
    # a sequential read is preceded by dropping the page cache
    writes = run.operation != "read" or random
    if writes and "page" in run.caches and place.ram is not None and footprint < factor * place.ram:
        yield _in_memory(run, footprint, f"the cacheable memory ({bytes_in_words(place.ram)})")
    yield from cautions_of_source(run, _MOVES[run.operation])


_MOVES: dict[Operation, str] = {
    "write": "writes to",
    "read": "reads",
    "mixed": "reads from and writes to",
}


def _in_memory(run: SustainedPlan, footprint: int, memory: str) -> Caution:
    """Return what the page cache does to files of `footprint` bytes that are not larger."""
    size = bytes_in_words(footprint)
    if run.test.access == "random":
        reads = "" if run.operation == "write" else "read again from memory"
        writes = "" if run.operation == "read" else "overwritten before it is written back"
        done = " and ".join(filter(None, (reads, writes)))
        return run.caution(
            "working_set_in_memory",
            f": the working set of {size} is under twice {memory}, so that data may be {done}.",
        )
    if run.test.file_mode == "ring":
        return run.caution(
            "ring_in_memory",
            f": the ring of {size} is under twice {memory}, so that data may be "
            "overwritten before it is written back.",
        )
    return run.caution("fits_in_memory", f" writes {size}, which fits in {memory}.")


def _of_fill(run: SustainedPlan) -> Iterator[Caution]:
    """Yield that the file system is already fuller than the test fills it."""
    size, free = run.place.size_bytes, run.place.free_bytes
    if run.test.fill_percent and size and not run.fill_bytes:
        yield run.caution(
            "already_filled",
            f": {100 * (size - free) / size:.3g} % of the file system are not free "
            f"already, so it is not filled to {run.test.fill_percent} %.",
        )


def _of_pacing(run: SustainedPlan) -> Iterator[Caution]:
    """Yield the offered rate, and what is unknown because no rate is given."""
    test, place = run.test, run.place
    if test.operation == "both" and run.operation == "write":
        yield run.caution("offered_rate", f" {' and '.join(_offers(run))}.")
    offered = [cell.offered_bytes_per_s for cell in run.planned_cells if cell.offered_bytes_per_s]
    if test.pace == "burst" and run.operation == test.operations[0]:
        literal = test.model_copy(update={"quantum_ns": 0})
        exact = [
            offered_bytes_per_s(literal, cell.block, 0, cell.burst_blocks)
            for cell in run.planned_cells
        ]
        rounded = f", {_span(offered)} with the delay quantum" if test.quantum_ns else ""
        yield run.caution(
            "offered_rate",
            f" offers {_span([one for one in exact if one])} at most{rounded}: "
            "the duration of each burst adds to its gap.",
        )
    best = known_bytes_per_s(place, run.operation)
    if best and offered and max(offered) > best:
        yield run.caution(
            "rate_above_measured",
            f" offers up to {rate_in_words(max(offered))}; the highest rate measured "
            f"there is {rate_in_words(best)}.",
        )
    if test.pace == "none" and test.access == "random" and duration_ms(test.length):
        written = run.operation != "read"
        yield run.caution(
            "random_length_unknown",
            " lasts for a time without pacing: how much it moves is unknown. "
            + (
                f"The estimate assumes {rate_in_words(best or ASSUMED_BYTES_PER_S)}; random access "
                "is usually slower."
                if written
                else "Only its working set is written."
            ),
        )
    elif rate := run.sizing_rate:
        yield length_unknown(run, rate, "a ring of files")


_NEEDS = {
    "high": "CAP_SYS_NICE, or RLIMIT_NICE for nice −11",
    "fifo": "CAP_SYS_NICE or an RLIMIT_RTPRIO of 11, and a real-time budget of its control group",
    "rr": "CAP_SYS_NICE or an RLIMIT_RTPRIO of 11, and a real-time budget of its control group",
}


def _of_priority(run: SustainedPlan) -> Iterator[Caution]:
    """Yield what the host must permit, and what has no effect."""
    test = run.test
    needed = list(dict.fromkeys(_NEEDS[one] for one in test.priority if one in _NEEDS))
    needed += ["CAP_SYS_NICE for its I/O priority"] if "real_time" in test.io_priority else []
    if needed:
        yield run.caution(
            "priority_permission",
            f": the probe needs {', and '.join(needed)}. Where that is missing, the run "
            "fails before it writes anything.",
        )
    given = [one for one in test.io_priority if one != "default"]
    if given and run.operation == "write" and "page" in run.caches:
        buffered = " on writes through the page cache" if "direct" in run.caches else ""
        yield run.caution(
            "io_priority_ignored",
            f": the I/O priority {' or '.join(given)} has no effect{buffered}, because "
            "the kernel writes the page cache back with its own.",
        )


def _offers(run: SustainedPlan) -> Iterator[str]:
    """Yield what a test that writes and reads offers in each direction."""
    for part in run.participants:
        verb = "writes" if part.operation == "write" else "reads"
        offered = [one.offered_bytes_per_s for one in part.planned_cells if one.offered_bytes_per_s]
        yield f"{verb} at {_span(offered)}" if offered else f"{verb} as fast as possible"


def _span(rates: list[int]) -> str:
    """Format one rate, or the lowest and the highest."""
    low, high = rate_in_words(min(rates)), rate_in_words(max(rates))
    return low if low == high else f"{low} to {high}"
