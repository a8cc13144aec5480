"""The rate of buffered data from when the kernel began to write it back. Pure.

The kernel lets data collect in memory before it writes any, so the device rests at first, and a
durable rate, over all of the time, is below the device's. It is not wrong: an application that
writes and syncs this much data waits that long.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import fmean

from assay.analysis.excess import DeviceReadings

LEAST_SHARE = 0.1
"""An interval with less than this share of the mean rate is a rest."""

EARLY_SHARE = 0.02
"""What is written before a rest may be metadata, up to this share of all bytes."""


@dataclass(frozen=True)
class WritebackRate:
    """When the device began to write, in ns since the trial's start, and the rate from then on.

    `bytes_per_s` is of the trial's own data, null if the device wrote in its last interval only.
    `duration_ns` is the time up to the end of the final sync.
    """

    begins_ns: int
    duration_ns: int
    bytes_per_s: float | None

    @property
    def share(self) -> float:
        """The part of the time before it began."""
        return self.begins_ns / self.duration_ns


def writeback(seen: DeviceReadings, moved: int, durable_ns: int) -> WritebackRate | None:
    """Return when a trial of `moved` bytes began to be written back; None if it was not.

    The interval in which that happened is left out of the rate, and began to be written as late as
    this rate allows. The device may have moved more or less than the trial, so that its bytes count
    as shares of them.
    """
    written = seen.dev_write_bytes
    total = sum(written)
    if not total or not durable_ns:
        return None
    least = LEAST_SHARE * total / sum(seen.dt_ns)
    first = next(at for at, size in enumerate(accumulate(written)) if size > EARLY_SHARE * total)
    while first and written[first - 1] >= least * seen.dt_ns[first - 1]:
        first -= 1
    after_ns, after = durable_ns - seen.end_ns[first], sum(written[first + 1 :])
    if after_ns <= 0 or not after:
        return WritebackRate(seen.end_ns[first] - seen.dt_ns[first], durable_ns, None)
    took_ns = min(seen.dt_ns[first], round(written[first] * after_ns / after))
    rate = moved * after / total * 1e9 / after_ns
    return WritebackRate(max(0, seen.end_ns[first] - took_ns), durable_ns, rate)


def mean_of(found: Sequence[WritebackRate]) -> WritebackRate | None:
    """Return the mean of several trials; None if there is none with a rate."""
    rated = [one for one in found if one.bytes_per_s is not None]
    if not rated:
        return None
    return WritebackRate(
        round(fmean(one.begins_ns for one in rated)),
        round(fmean(one.duration_ns for one in rated)),
        fmean(one.bytes_per_s or 0.0 for one in rated),
    )
