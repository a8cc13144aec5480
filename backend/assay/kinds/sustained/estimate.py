"""The plan of a sustained test on one place: trials, bytes, durations, problems and warnings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil

from assay.base.field_errors import FieldError
from assay.base.words import rate as rate_in_words
from assay.base.words import size as bytes_in_words
from assay.kinds.expressions import duration_ms
from assay.kinds.fields import CacheMode
from assay.kinds.planning import (
    ASSUMED_BYTES_PER_S,
    LENGTH_UNKNOWN,
    Caution,
    FieldName,
    Place,
    length_unknown,
)
from assay.kinds.storage import (
    cautions_of_direct,
    cautions_of_source,
    refused_direct,
    resolved_cache,
    size_at,
)
from assay.kinds.sustained.directions import known_bytes_per_s
from assay.kinds.sustained.fields import LONGEST_BYTES, NAME, Operation
from assay.kinds.sustained.modes import COMPARED
from assay.kinds.sustained.parameters import SustainedParameters, SustainedTest, offered_bytes_per_s
from assay.kinds.sustained.planned import (
    DIRECT_ALIGNMENT,
    MOST_ROWS,
    SustainedPlan,
    has_working_set,
)
from assay.kinds.sustained.refusals import (
    Sizes,
    refused_engine,
    same_caches,
    too_deep,
    too_full,
    too_many_files,
    too_small,
    too_small_for,
    unholdable_gap,
)

FEWEST_MARKS = 100

SLOW_BYTES_PER_S = 20_000_000
"""Random access at this rate still has `FEWEST_MARKS` marks."""


@dataclass(frozen=True)
class PlannedSustained(SustainedPlan):
    """One sustained test on one place, with the warnings of its estimate."""

    def cautions(self) -> Iterator[Caution]:
        """Yield all limitations of the run's results."""
        yield from cautions(self)


def plan(
    number: int, test: SustainedTest, place: Place, name: FieldName
) -> tuple[PlannedSustained | None, list[FieldError]]:
    """Plan the campaign's test `number` on a place, or return None with the problems."""
    sizes, problems = _sizes(number, test, place, name)
    if problems:
        return None, problems
    caches: tuple[CacheMode, ...] = tuple(resolved_cache(one, place) for one in test.cache)
    # cells that compare caches have the same block
    step = (place.alignment or DIRECT_ALIGNMENT) if "direct" in caches else 1
    blocks = tuple(dict.fromkeys(-(-block // step) * step for block in test.block))
    problems = [
        *(one for cache in test.cache for one in refused_direct(number, cache, place, name)),
        *same_caches(number, test, caches, place, name),
        *refused_engine(number, test, place, name),
        *too_deep(number, test, place, max(blocks), name),
        *unholdable_gap(number, test, name),
        *too_small(number, test, max(blocks), sizes, name),
        *too_small_for(number, test, max(blocks), sizes.file, name),
    ]
    if problems:
        return None, problems
    cells = _cells(test, place, sizes, blocks, caches)
    problems = [
        *too_many_files(number, test, place, cells, name),
        *too_full(number, test, place, cells, name),
    ]
    if problems:
        return None, problems
    size = sizes.length or cells[0].footprint_bytes
    run = PlannedSustained(place, number, size, test, cells, caches, blocks, test.operations[0])
    return run, []


def _sizes(
    number: int, test: SustainedTest, place: Place, name: FieldName
) -> tuple[Sizes, list[FieldError]]:
    """Return the sizes that a test needs, each 0 without one, and their problems."""
    length, file_size, problems = 0, 0, list[FieldError]()
    if duration_ms(test.length) is None:
        length, problems = _size(number, "length", test.length, place, name)
    if test.file_mode != "one" or test.access == "random":
        file_size, found = _size(number, "file_size", test.file_size, place, name)
        problems = [*problems, *found]
    return Sizes(length, file_size), problems


def _cells(
    test: SustainedTest,
    place: Place,
    sizes: Sizes,
    blocks: Sequence[int],
    caches: Sequence[CacheMode],
) -> tuple[SustainedParameters, ...]:
    """Return each combination of what the test compares."""
    return tuple(
        _cell(test, place, sizes, block, pace).model_copy(
            update={"idle_ms": idle_ms, "queue_depth": depth, **mode}
        )
        for block in blocks
        for depth in test.queue_depth
        for pace in _paces(test)
        for mode in _modes(test, caches)
        for idle_ms in test.idle_ms
    )


def _modes(test: SustainedTest, caches: Sequence[CacheMode]) -> Iterator[dict[str, str]]:
    """Yield the mode of each cell, as far as the test compares several."""
    values = {"cache": caches, "priority": test.priority, "io_priority": test.io_priority}
    compared = [name for name in COMPARED if len(values[name]) > 1]
    for mode in product(*(values[name] for name in compared)):
        yield dict(zip(compared, mode, strict=True))


def _paces(test: SustainedTest) -> list[tuple[int, int]]:
    """Return each rate or burst of the test; the other one is 0."""
    if test.pace == "rate":
        return [(rate, 0) for rate in test.rate_bytes_per_s]
    return [(0, burst) for burst in test.burst_blocks] if test.pace == "burst" else [(0, 0)]


def _size(
    number: int, field: str, asked: int | str, place: Place, name: FieldName
) -> tuple[int, list[FieldError]]:
    """Return a size in bytes, or 0 with the problem."""
    rate, where = place.best_durable_bytes_per_s, name(number, field)
    return size_at(asked, place, rate, where, most=LONGEST_BYTES, like="min(1 TB, free / 2)")


def _cell(
    test: SustainedTest, place: Place, sizes: Sizes, block: int, pace: tuple[int, int]
) -> SustainedParameters:
    """Return the cell of a block and a rate or burst; the other one is 0."""
    (rate, burst), length = pace, sizes.length
    offered = offered_bytes_per_s(test, block, rate, burst)
    lasting = duration_ms(test.length) or 0
    fastest = offered or known_bytes_per_s(place, test.operations[0]) or ASSUMED_BYTES_PER_S
    moved = -(-length // block) * block if length else round(fastest * lasting / 1000)
    file_bytes = -(-sizes.file // block) * block
    files = test.ring_files if test.file_mode == "ring" else 1
    ring = file_bytes * files * test.streams if has_working_set(test) else moved
    # a ring is written in full before it is read, or as its preconditioning
    whole = not length and ("read" in test.operations or test.precondition_passes > 0)
    whole = whole or test.access == "random"
    random_s = lasting / 1000 if test.access == "random" and not length else None
    return SustainedParameters(
        kind=NAME,
        block=block,
        streams=test.streams,
        length_bytes=length,
        duration_ms=0 if length else lasting,
        file_bytes=file_bytes,
        files=test.ring_files if test.file_mode == "ring" else 0,
        rate_bytes_per_s=rate,
        burst_blocks=burst,
        offered_bytes_per_s=offered,
        mark_bytes=_mark(test.mark_bytes, moved, block, random_s),
        footprint_bytes=ring if whole else min(ring, moved),
    )


def _mark(asked: int, moved: int, block: int, random_s: float | None) -> int:
    """Return the bytes of a mark, in whole blocks.

    Random access of `random_s` seconds is usually far slower than the highest known rate.
    """
    enough = moved if random_s is None else min(moved, round(SLOW_BYTES_PER_S * random_s))
    most = max(1, enough // FEWEST_MARKS // block)
    least = ceil(moved / MOST_ROWS / block)
    return block * max(least, min(most, -(-asked // block)))


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
