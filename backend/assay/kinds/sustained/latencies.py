"""The latencies of operations and of periodic syncs.

The percentiles of several participants are those of the slowest one: merged, a host that waits for
seconds would vanish among the operations of faster ones.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from assay.analysis import histogram
from assay.analysis.histogram import Latency, merge
from assay.kinds.run_record import AttemptRecord


@dataclass(frozen=True)
class LatencyPoint:
    """A latency that a share of the operations did not exceed; the share 1 has the longest.

    Of several participants it is the highest one, and `participant_id` is whose it is.
    """

    share: float
    ns: int
    participant_id: int | None = None


Latencies = Mapping[int, Latency]
"""Latencies by the id of their participant."""

SHARES = (
    *(0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    *(0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999, 0.99995, 0.99999),
)
"""The shares of operations of a latency curve; those finer than one operation are left out."""


def latency_of(
    attempt: AttemptRecord, detail: Mapping[str, Any], unreturned_ns: Sequence[int]
) -> Latency | None:
    """Return the latencies without those of the ramp-up; the extremes are those of the marks.

    Of a trial that was interrupted, they are those of its last segment. The operations that a gap
    delayed are among them, and those that were abandoned, with what they had taken.
    """
    returned = _returned(attempt, detail)
    if not unreturned_ns:
        return returned
    steps = [(histogram.index(ns), 1) for ns in unreturned_ns]
    late = histogram.of_steps(steps, min(unreturned_ns), max(unreturned_ns), sum(unreturned_ns))
    return merge([late] if returned is None else [returned, late])


def _returned(attempt: AttemptRecord, detail: Mapping[str, Any]) -> Latency | None:
    if attempt.latency is None or not detail.get("ramp_ops"):
        return attempt.latency
    marks = attempt.marks
    longest, total = (max(marks.lat_max_ns), sum(marks.lat_sum_ns)) if marks else (0, 0)
    return histogram.of_steps(detail["hist"], None, longest, total)


def due_latency_of(detail: Mapping[str, Any]) -> Latency | None:
    """Return the latencies from the due times that an attempt reports; None without a pace."""
    steps = detail.get("due_hist")
    if not steps:
        return None
    return histogram.of_steps(steps, None, detail.get("due_max_ns") or 0, 0)


def p99_of(latency: Latency | None) -> int | None:
    """Return the 99th percentile in ns; None without operations."""
    found = latency.percentile(0.99) if latency and latency.count else None
    return None if found is None else round(found)


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


FEWEST_OF_P99 = 100


@dataclass(frozen=True)
class Syncs:
    """The periodic syncs of all streams after the ramp-up, in ns; they are in no write's latency.

    `p99_ns` is null with fewer than 100 syncs, and where the probe kept no histogram.
    """

    count: int
    sum_ns: int
    max_ns: int
    p99_ns: int | None


def syncs_of(detail: Mapping[str, Any]) -> Syncs | None:
    """Return the periodic syncs that an attempt reports."""
    found = detail.get("syncs")
    if not found:
        return None
    count, total, longest = (found[name] for name in ("count", "sum_ns", "max_ns"))
    latency = histogram.of_steps(found["hist"], None, longest, total)
    p99 = latency.percentile(0.99) if latency.count >= FEWEST_OF_P99 else None
    return Syncs(count, total, longest, None if p99 is None else round(p99))


def merged_syncs(of_each: Sequence[Syncs | None]) -> Syncs | None:
    """Return the syncs of several participants; their p99 is the largest of each."""
    known = [one for one in of_each if one is not None]
    if not known or len(known) < len(of_each):
        return None
    p99s = [one.p99_ns for one in known if one.p99_ns is not None]
    return Syncs(
        count=sum(one.count for one in known),
        sum_ns=sum(one.sum_ns for one in known),
        max_ns=max(one.max_ns for one in known),
        p99_ns=max(p99s) if len(p99s) == len(known) else None,
    )
