"""Latency histograms: log-linear, 64 steps an octave, exact below 128 ns.

The probe counts in the same steps (`worker/probe/src/histogram.h`), so histograms of several
attempts merge without loss. A percentile is read at the middle of its step, which is within 0.8 %
of the truth, and is never averaged.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

STEPS = 64 * 33 + 128
"""Number of steps; the last one ends at 2^40 ns, and longer latencies count in it."""

LIMIT = 2**40 - 1

STALL_NS = 250_000_000
"""Shorter operations are none, however quick the others are: throttles pause so long too."""

STALL_FACTOR = 5
"""Times the median: on a slow disk every large block takes long, and none of them is a stall."""


def index(ns: int) -> int:
    """The step that a latency counts in: 64 s + (v >> s), s = max(0, floor(log2 v) - 6)."""
    ns = min(ns, LIMIT)
    shift = max(0, ns.bit_length() - 7)
    return 64 * shift + (ns >> shift)


def lower(step: int) -> int:
    """The least latency, in ns, that counts in a step."""
    return step if step < 128 else (64 + step % 64) << (step // 64 - 1)


def middle(step: int) -> float:
    """The latency, in ns, that stands for a step."""
    return (lower(step) + lower(step + 1) - 1) / 2


@dataclass(frozen=True)
class Latency:
    """Latencies of one attempt or of several merged; extremes and sum are exact."""

    counts: Mapping[int, int]
    least: int | None
    greatest: int
    total: int

    @property
    def count(self) -> int:
        """Operations counted."""
        return sum(self.counts.values())

    @property
    def mean(self) -> float | None:
        """Mean in ns, null without operations."""
        return self.total / self.count if self.count else None

    def percentile(self, q: float) -> float | None:
        """The latency in ns that a share `q` of the operations did not pass; 0 ≤ q ≤ 1."""
        wanted, seen = q * self.count, 0
        for step in sorted(self.counts):
            seen += self.counts[step]
            if seen and seen >= wanted:
                return min(max(middle(step), self.least or 0), self.greatest)
        return None

    @property
    def stall(self) -> int | None:
        """The longest stall in ns: the longest operation, where it is out of all proportion."""
        usual = STALL_FACTOR * (self.percentile(0.5) or 0)
        return self.greatest if self.greatest > max(STALL_NS, usual) else None


def of_steps(
    steps: Iterable[Sequence[int]], least: int | None, greatest: int, total: int
) -> Latency:
    """Latencies from a probe's `[[step, count], …]`."""
    counts: dict[int, int] = {}
    for step, count in steps:
        counts[step] = counts.get(step, 0) + count
    return Latency(counts, least, greatest, total)


def merge(parts: Iterable[Latency]) -> Latency:
    """All latencies together; the order of the parts does not matter."""
    counts: Counter[int] = Counter()
    least: int | None = None
    greatest = total = 0
    for part in parts:
        counts.update(part.counts)
        if part.least is not None:
            least = part.least if least is None else min(least, part.least)
        greatest, total = max(greatest, part.greatest), total + part.total
    return Latency(counts, least, greatest, total)
