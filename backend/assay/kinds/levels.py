"""Lasting levels in results."""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.analysis.contention import Contention
from assay.analysis.level_search import find
from assay.analysis.levels import HeldRate, first_fall, held, levels_words, without
from assay.analysis.throughput import Intervals
from assay.base.worded import plain

HeldLevels = list[HeldRate]
"""Two levels or more, in order."""


def fallen(seen: Intervals | None, others: Sequence[Contention] = ()) -> HeldLevels:
    """Return the levels of a rate that fell for a lasting time; none without such a fall.

    Changes that others explain, by their times, are none.
    """
    if seen is None:
        return []
    changed = without(held(find(seen)), lambda at_ns: any(one.coincides(at_ns) for one in others))
    return changed if first_fall(changed) else []


def held_words(levels: Sequence[Mapping[str, Any]]) -> str:
    """Format levels of a result in the API's JSON."""
    return plain(levels_words([HeldRate(**one) for one in levels]))
