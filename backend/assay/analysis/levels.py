"""The lasting levels of a trial's rate, as results have them.

The mean over several levels is a rate that was never reached, so each level is reported. They are
found in `level_search`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from assay.base.worded import Part, Words, joined, say

LEAST_NS = 10**9
"""Minimum duration of a level, in ns."""

LEAST_CHANGE = 0.1
"""Minimum difference of neighboring levels, as a share of the higher one."""


@dataclass(frozen=True)
class Level:
    """A lasting rate. `device_bytes` is what the device moved, null if no counter measures it.

    Times count from the trial's start.
    """

    from_ns: int
    to_ns: int
    bytes: int
    device_bytes: int | None

    @property
    def duration_ns(self) -> int:
        """Time from the level's begin to its end."""
        return self.to_ns - self.from_ns

    @property
    def bytes_per_s(self) -> float:
        """Bytes divided by duration."""
        return self.bytes * 1e9 / self.duration_ns


@dataclass(frozen=True)
class HeldRate:
    """A lasting level of a rate, as results have it, in bytes per second.

    `duration_ns` and `bytes` are what was measured of it. `from_ns` and `from_bytes` are where it
    began since the trial's start, `to_ns` and `to_bytes` where it ended, gaps included.
    """

    bytes_per_s: float
    duration_ns: int
    bytes: int
    from_ns: int
    to_ns: int
    from_bytes: int
    to_bytes: int


Held = Sequence[HeldRate]
"""The levels of a trial in order: each begins where the one before it ended."""


def held(found: Sequence[Level]) -> list[HeldRate]:
    """Return several levels as results have them; none if the rate never changed for good."""
    ends = [0, *accumulate(level.bytes for level in found)]
    return [
        HeldRate(
            bytes_per_s=level.bytes_per_s,
            duration_ns=level.duration_ns,
            bytes=level.bytes,
            from_ns=level.from_ns,
            to_ns=level.to_ns,
            from_bytes=begin,
            to_bytes=end,
        )
        for level, (begin, end) in zip(found, pairwise(ends), strict=True)
        if len(found) > 1
    ]


def without(levels: Held, foreign: Callable[[int], bool]) -> list[HeldRate]:
    """Return levels without the changes that others explain; none if one level is left.

    `foreign` says whether others were active at a time, in ns. They explain changes beside their
    activity if the rate was the same before and after it, or rose when it ended. A rate that stays
    low afterwards is the storage's.
    """
    runs: list[list[HeldRate]] = []
    for level in levels:
        if runs and foreign(level.from_ns):
            runs[-1].append(level)
        else:
            runs.append([level])
    kept = [
        level for run in runs for level in ([_joined(run)] if _explained(run, foreign) else run)
    ]
    return kept if len(kept) > 1 else []


def _explained(run: Held, foreign: Callable[[int], bool]) -> bool:
    alone = [level for level in run if not foreign((level.from_ns + level.to_ns) // 2)]
    if len(alone) == 1:
        return alone[0] is run[-1]
    rates = [level.bytes_per_s for level in alone]
    return bool(rates) and min(rates) >= (1 - LEAST_CHANGE) * max(rates)


def _joined(run: Held) -> HeldRate:
    first, last = run[0], run[-1]
    duration_ns, size = sum(one.duration_ns for one in run), sum(one.bytes for one in run)
    rate = size * 1e9 / duration_ns
    known = {"bytes_per_s": rate, "duration_ns": duration_ns, "bytes": size}
    return replace(first, **known, to_ns=last.to_ns, to_bytes=last.to_bytes)


def lowest(levels: Held) -> float:
    """Return the lowest lasting rate."""
    return min(level.bytes_per_s for level in levels)


def first_fall(levels: Held) -> HeldRate | None:
    """Return the level to which the rate first fell; None if it only rose."""
    falls = (after for before, after in pairwise(levels) if after.bytes_per_s < before.bytes_per_s)
    return next(falls, None)


def since_fall(levels: Held) -> Held:
    """Return the levels from the one to which the rate first fell; none if it only rose."""
    fell = first_fall(levels)
    return levels[list(levels).index(fell) :] if fell else ()


def levels_words(levels: Held) -> Words:
    """Return levels in words: `300 MB/s for 3.50 s (1.05 GB), then 31.5 MB/s`."""
    *before, last = levels
    said: list[Part | Words] = [
        say(
            "{} for {} ({})",
            {"bytes_per_s": level.bytes_per_s},
            {"duration_ns": level.duration_ns},
            {"bytes": level.bytes},
        )
        for level in before
    ]
    return joined(", then ", [*said, {"bytes_per_s": last.bytes_per_s}])
