"""The plan of a sustained test on one place: trials, bytes, durations and problems.

Where the rate is unknown, bytes are those of the highest rate ever measured there. Marks narrow so
that a trial has a hundred.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil

from assay.http.field_errors import FieldError
from assay.kinds.expressions import ExpressionError, duration_ms, evaluate
from assay.kinds.fields import CacheMode
from assay.kinds.planning import (
    ASSUMED_BYTES_PER_S,
    Caution,
    FieldName,
    Place,
)
from assay.kinds.storage import refused_direct, resolved_cache
from assay.kinds.sustained.cautions import cautions
from assay.kinds.sustained.directions import known_bytes_per_s
from assay.kinds.sustained.engine import refused_engine, too_deep, too_small_for
from assay.kinds.sustained.fields import LONGEST_BYTES, NAME
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
    same_caches,
    too_full,
    too_many_files,
    too_small,
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
    length, file_size, problems = 0, 0, list[FieldError]()
    if duration_ms(test.length) is None:
        length, found = _size(number, "length", test.length, place, name)
        problems += found
    if test.file_mode != "one" or test.access == "random":
        file_size, found = _size(number, "file_size", test.file_size, place, name)
        problems += found
    if problems:
        return None, problems
    sizes = Sizes(length, file_size)
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
        *too_small_for(number, test, max(blocks), file_size, name),
    ]
    if problems:
        return None, problems
    cells = tuple(
        _cell(test, place, sizes, block, pace).model_copy(
            update={"idle_ms": idle_ms, "queue_depth": depth, **mode}
        )
        for block in blocks
        for depth in test.queue_depth
        for pace in _paces(test)
        for mode in _modes(test, caches)
        for idle_ms in test.idle_ms
    )
    problems = [
        *too_many_files(number, test, place, cells, name),
        *too_full(number, test, place, cells, name),
    ]
    if problems:
        return None, problems
    size = length or cells[0].footprint_bytes
    run = PlannedSustained(place, number, size, test, cells, caches, blocks, test.operations[0])
    return run, []


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
    where = name(number, field)
    rate = round(place.best_durable_bytes_per_s or ASSUMED_BYTES_PER_S)
    known = {"ram": place.ram, "cpus": place.cpus, "free": place.free_bytes, "rate": rate}
    try:
        names = {n: v for n, v in known.items() if v is not None}
        size = asked if isinstance(asked, int) else evaluate(asked, names)
    except ExpressionError as error:
        remedy = 'Write it like "min(1 TB, free / 2)".'
        message = f"cannot be computed for {place.name}: {error}"
        return 0, [FieldError(where, message, remedy, asked)]
    if not 1 <= size <= LONGEST_BYTES:
        remedy = "Use at least 1 byte and at most 2^60 bytes."
        return 0, [FieldError(where, f"gives {size} bytes for {place.name}", remedy, asked)]
    return size, []


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
