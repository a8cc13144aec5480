"""Latency histograms: log-linear, 64 steps per octave, exact below 128 ns.

The probe counts in the same steps (`worker/probe/src/histogram.h`), so histograms of several
attempts merge without loss. A percentile is the middle of its step, which is accurate to 0.8 %, and
is never averaged.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

STEPS = 64 * 33 + 128
"""Number of steps; the last one ends at 2^40 ns, and longer latencies count in it."""

LIMIT = 2**40 - 1

STALL_NS = 250_000_000
"""Shorter operations are never stalls: throttles also pause for this long."""

STALL_FACTOR = 5
"""Minimum ratio to the median: on a slow disk every large block takes long."""


def index(ns: int) -> int:
    """Return the step of a latency: 64 s + (v >> s), s = max(0, floor(log2 v) - 6)."""
    ns = min(ns, LIMIT)
    shift = max(0, ns.bit_length() - 7)
    return 64 * shift + (ns >> shift)


def lower(step: int) -> int:
    """Return the lower bound of a step, in ns."""
    return step if step < 128 else (64 + step % 64) << (step // 64 - 1)


def middle(step: int) -> float:
    """Return the latency, in ns, that represents a step."""
    return (lower(step) + lower(step + 1) - 1) / 2


@dataclass(frozen=True)
class Latency:
    """Latencies of one or several attempts; extremes and sum are exact."""

    counts: Mapping[int, int]
    least_ns: int | None
    greatest_ns: int
    total_ns: int

    @property
    def count(self) -> int:
        """Number of operations."""
        return sum(self.counts.values())

    @property
    def mean_ns(self) -> float | None:
        """Mean in ns; null without operations."""
        return self.total_ns / self.count if self.count else None

    def percentile(self, q: float) -> float | None:
        """Return the latency in ns that a share `q` of the operations did not exceed; 0 ≤ q ≤ 1."""
        wanted, seen = q * self.count, 0
        for step in sorted(self.counts):
            seen += self.counts[step]
            if seen and seen >= wanted:
                return min(max(middle(step), self.least_ns or 0), self.greatest_ns)
        return None

    @property
    def stall_ns(self) -> int | None:
        """Return the longest stall in ns: the longest operation, if it is an outlier."""
        usual = STALL_FACTOR * (self.percentile(0.5) or 0)
        return self.greatest_ns if self.greatest_ns > max(STALL_NS, usual) else None


def of_steps(
    steps: Iterable[Sequence[int]], least: int | None, greatest: int, total: int
) -> Latency:
    """Return latencies from a probe's `[[step, count], …]`."""
    counts: dict[int, int] = {}
    for step, count in steps:
        counts[step] = counts.get(step, 0) + count
    return Latency(counts, least, greatest, total)


def merge(parts: Iterable[Latency]) -> Latency:
    """Return all latencies together; the order of the parts does not matter."""
    counts: Counter[int] = Counter()
    least: int | None = None
    greatest = total = 0
    for part in parts:
        counts.update(part.counts)
        if part.least_ns is not None:
            least = part.least_ns if least is None else min(least, part.least_ns)
        greatest, total = max(greatest, part.greatest_ns), total + part.total_ns
    return Latency(counts, least, greatest, total)
