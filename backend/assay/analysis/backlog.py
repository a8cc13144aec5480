"""The memory that bridges a storage's stalls: the backlog of a queue fed at a constant rate.

The probe keeps a running backlog (Lindley's recursion over the recorded service times) for a list
of rates. The largest backlog grows with the rate, so that between two of them it is bounded by
theirs. Peak write time × rate is the usual rule of thumb. It misses stalls that follow each other
before the queue is empty, so it may be too small.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Backlog:
    """The queue at one rate: its largest backlog, when that was, and the backlog at the end."""

    bytes_per_s: int
    most_bytes: int
    end_bytes: int
    most_at_ns: int


@dataclass(frozen=True)
class Buffer:
    """Memory needed at a rate: between two bounds, which are equal if the rate was simulated.

    `most_bytes` is null above the highest simulated rate. `by_peak_bytes` is the longest operation
    × the rate. `at_ns` is when the backlog was largest; null if the rate was not simulated.
    """

    least_bytes: int
    most_bytes: int | None
    by_peak_bytes: int
    at_ns: int | None

    @property
    def exact(self) -> bool:
        """Whether this rate was simulated."""
        return self.least_bytes == self.most_bytes


def backlogs(rows: Sequence[Sequence[int]]) -> list[Backlog]:
    """Return the probe's rows `[rate, max_bytes, end_bytes, max_at_ns]`, sorted by rate."""
    found = [Backlog(rate, most, end, at) for rate, most, end, at in rows]
    return sorted(found, key=lambda one: one.bytes_per_s)


def buffer_at(simulated: Sequence[Backlog], bytes_per_s: float, peak_ns: int) -> Buffer | None:
    """Return the memory needed at a rate; None if no rate was simulated.

    `simulated` is sorted by rate; `peak_ns` is the longest operation.
    """
    if not simulated:
        return None
    by_peak = round(peak_ns * bytes_per_s / 1e9)
    at = bisect_left(simulated, bytes_per_s, key=lambda one: one.bytes_per_s)
    above = simulated[at] if at < len(simulated) else None
    if above and above.bytes_per_s == bytes_per_s:
        return Buffer(above.most_bytes, above.most_bytes, by_peak, above.most_at_ns)
    least = simulated[at - 1].most_bytes if at else 0
    # sums of streams with different stalls may differ by rounding
    most = max(least, above.most_bytes) if above else None
    return Buffer(least, most, by_peak, None)
