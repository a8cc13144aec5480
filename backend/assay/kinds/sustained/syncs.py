"""Periodic syncs during a trial."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.analysis import histogram

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
    steps = found.get("hist") or ()
    latency = histogram.of_steps(steps, None, longest, total)
    p99 = latency.percentile(0.99) if latency.count >= FEWEST_OF_P99 else None
    return Syncs(count, total, longest, None if p99 is None else round(p99))


def merged(of_each: Sequence[Syncs | None]) -> Syncs | None:
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
