"""What will limit the value of a planned run's result, said before it is launched."""

from collections.abc import Iterator
from dataclasses import dataclass

from assay.analysis.honesty import ARRAY_CACHE_FACTOR
from assay.analysis.words import size as bytes_in_words
from assay.campaigns.planned import PlannedRun
from assay.targets.acceptance import UNPROVABLE_KINDS


@dataclass(frozen=True)
class Caution:
    """A code for programs, a sentence for people."""

    code: str
    message: str


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
            f"({bytes_in_words(cache)}): possibly served by the array.",
        )
    if place.kind in UNPROVABLE_KINDS:
        yield Caution(
            "unprovable",
            f"{place.name} is {place.fs_type}: that data came from the storage can not be "
            "proven from the host.",
        )
