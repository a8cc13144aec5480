"""The latencies of each participant, and their percentiles: those of the slowest one.

Merged, a host that waits for seconds would vanish among the operations of faster ones.
"""

from collections.abc import Iterable, Mapping
from math import ceil

from assay.analysis.histogram import Latency, merge
from assay.kinds.sustained.figures import LatencyPoint

Latencies = Mapping[int, Latency]
"""Latencies by the id of their participant."""

SHARES = (
    *(0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    *(0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999, 0.99995, 0.99999),
)
"""The shares of operations of a latency curve; those finer than one operation are left out."""


def together(parts: Iterable[Latencies]) -> Latencies:
    """Return the latencies of several trials or participants, those of each participant merged."""
    found: dict[int, list[Latency]] = {}
    for part in parts:
        for participant_id, one in part.items():
            found.setdefault(participant_id, []).append(one)
    return {participant_id: merge(of) for participant_id, of in found.items()}


def percentile(latencies: Latencies, share: float) -> int | None:
    """Return the highest latency of any participant at a share, in ns; None without operations."""
    found = [one.percentile(share) for one in latencies.values() if one.count]
    return max((round(ns) for ns in found if ns is not None), default=None)


def longest(latencies: Latencies) -> int | None:
    """Return the longest operation of any participant in ns; None without operations."""
    return max((one.greatest_ns for one in latencies.values() if one.count), default=None)


def curve(latencies: Latencies) -> list[LatencyPoint]:
    """Return the highest latency at each share, and the longest of all.

    A share that is finer than one operation of some participant is left out.
    """
    known = {each: one for each, one in latencies.items() if one.count}
    if not known:
        return []
    fewest = min(one.count for one in known.values())

    def point(share: float, ns_of: Mapping[int, float]) -> LatencyPoint:
        slowest = max(ns_of, key=lambda each: ns_of[each])
        return LatencyPoint(share, round(ns_of[slowest]), slowest if len(known) > 1 else None)

    return [
        *(
            point(share, {each: one.percentile(share) or 0 for each, one in known.items()})
            for share in SHARES
            if ceil((1 - share) * fewest) > 1 or share == 0
        ),
        point(1.0, {each: one.greatest_ns for each, one in known.items()}),
    ]
