"""What will limit the value of a planned run's result, said before it is launched."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.analysis.served_by import ARRAY_CACHE_FACTOR
from assay.analysis.too_short import LEAST_NS, operations_needed, sufficient_file_size
from assay.analysis.words import size as bytes_in_words
from assay.campaigns.planned import ASSUMED_BYTES_PER_S, Cell, PlannedRun
from assay.profiles.expressions import names_in
from assay.targets.acceptance import UNPROVABLE_KINDS

Code = Literal[
    "direct_not_real",
    "direct_buffered",
    "fits_in_memory",
    "fits_in_array_cache",
    "served_by_unknown",
    "host_not_reached",
    "one_machine",
    "cloned_machine_id",
    "one_device",
    "rate_assumed",
    "too_short",
]


@dataclass(frozen=True)
class Caution:
    """A code for programs, a sentence for people."""

    code: Code
    message: str


def _rate_assumed(run: PlannedRun) -> Iterator[Caution]:
    asked = run.test.file_size
    if run.place.sizing_bytes_per_s(run.test.kind) or isinstance(asked, int):
        return
    if "rate" in names_in(asked):
        yield Caution(
            "rate_assumed",
            f"{run.name} has files sized by an assumed {bytes_in_words(ASSUMED_BYTES_PER_S)}/s: "
            f"no {run.test.kind} was measured there yet. Launch the profile Calibration first.",
        )


def _too_short(run: PlannedRun) -> Iterator[Caution]:
    """Trials that the highest rate measured there makes too short, and what would suffice.

    Of writes the rate with their sync counts: that of memory says nothing about this run.
    """
    rate = run.place.sizing_bytes_per_s(run.test.kind)
    if rate is None:
        return
    limit_bytes = rate * run.test.timeout_ms / 1000
    short = [cell for cell in run.cells if _lacking(cell, cell.bytes, rate)]
    limited = [cell for cell in run.cells if _lacking(cell, limit_bytes, rate)]
    if not short and not limited:
        return
    if limited:
        remedy = "Raise the time limit."
    else:
        sufficient = max(
            sufficient_file_size(rate, block=cell.block, threads=cell.threads, files=cell.files)
            for cell in short
        )
        remedy = f"Files of {bytes_in_words(sufficient)} would suffice."
    lacking = [cell for cell in run.cells if cell in short or cell in limited]
    yield Caution(
        "too_short",
        f"{run.name}: {len(lacking)} of {len(run.cells)} cells would be too short to tell "
        f"at {bytes_in_words(round(rate))}/s, the highest rate measured there: under a second, or "
        f"too few operations. {remedy}",
    )


def _lacking(cell: Cell, moved: float, rate: float) -> bool:
    """Whether a trial that moves `moved` bytes at `rate` bytes per second would be too short."""
    few = moved // cell.block < operations_needed(cell.threads)
    return few or moved / rate * 1e9 < LEAST_NS


def cautions(run: PlannedRun) -> Iterator[Caution]:
    """Everything to bear in mind about `run`."""
    place = run.place
    if run.test.cache == "direct_if_real" and run.cache == "page":
        yield Caution(
            "direct_not_real",
            f"{run.name} goes through the page cache: O_DIRECT is not real there ({place.direct}).",
        )
    if run.cache == "direct" and place.direct == "buffered":
        yield Caution(
            "direct_buffered",
            f"{run.name} asks for O_DIRECT, which is accepted there and then buffered.",
        )
    if run.cache == "page" and place.ram is not None and run.working_set < place.ram:
        yield Caution(
            "fits_in_memory",
            f"{run.name} uses {bytes_in_words(run.working_set)}, which fits in the memory "
            f"that may cache it ({bytes_in_words(place.ram)}).",
        )
    cache = place.array_cache_bytes
    if cache and run.working_set < ARRAY_CACHE_FACTOR * cache:
        yield Caution(
            "fits_in_array_cache",
            f"{run.name} uses {bytes_in_words(run.working_set)}, under twice the array's cache "
            f"({bytes_in_words(cache)}): possibly served by the array's cache.",
        )
    if place.kind in UNPROVABLE_KINDS:
        yield Caution(
            "served_by_unknown",
            f"{place.name} is {place.fs_type}: nothing on the host shows whether data came from "
            "the storage.",
        )
    yield from _rate_assumed(run)
    yield from _too_short(run)
