"""Lasting levels for tests: rates that follow each other."""

from itertools import accumulate, pairwise

from assay.analysis import flags
from assay.analysis.flags import Flag
from assay.analysis.levels import HeldRate, Level, held

SECOND = 10**9


def held_levels(*levels: tuple[float, float]) -> list[HeldRate]:
    """Return levels of these rates in bytes per second, each for so many seconds."""
    ends = list(accumulate((round(seconds * SECOND) for _, seconds in levels), initial=0))
    return held(
        [
            Level(begin, end, round(rate * (end - begin) / SECOND), None)
            for (rate, _), (begin, end) in zip(levels, pairwise(ends), strict=True)
        ]
    )


def cliff_flag(*levels: tuple[float, float], durable: bool = True) -> Flag:
    """Return the flag of a trial with these levels."""
    found = flags.cliff(held_levels(*levels), durable=durable)
    assert found is not None
    return found
