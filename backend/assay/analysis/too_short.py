"""Whether a trial ran long enough for its rates, and the file size that would suffice.

A rate needs one second: in less time, throttles, write caches and the kernel's write-back do not
show their effect, and start-up is a visible part. It also needs enough operations for its threads
to run in parallel: at the end of a trial, threads that find no block left wait for the others,
which costs at most (threads - 1) ÷ operations of the threads' time.
"""

from math import ceil, floor, log10

LEAST_NS = 10**9
"""Minimum duration, in ns, for a rate."""

FEWEST_OPERATIONS = 5
"""Minimum operations of a single thread, so that no single one determines the rate."""

IDLE_SHARE = 0.1
"""Maximum share of its threads' time that a trial may lose at its end."""

MARGIN = 1.5
"""Factor of a suggested file size over the minimum, since rates differ between trials."""


def operations_needed(threads: int) -> int:
    """Return the minimum number of operations for the rate of `threads` threads."""
    return max(FEWEST_OPERATIONS, ceil((threads - 1) / IDLE_SHARE))


def sufficient_file_size(
    bytes_per_second: float, *, block: int, threads: int, files: int = 1
) -> int:
    """Return the file size in bytes that is sufficient at this rate; two digits, rounded up."""
    needed = MARGIN * max(
        bytes_per_second * LEAST_NS / 1e9, float(operations_needed(threads) * block)
    )
    return rounded_up(needed / files)


def rounded_up(size: float) -> int:
    """Return a size as two digits, rounded up, as it is suggested."""
    step = 10 ** max(0, floor(log10(max(size, 1))) - 1)
    return ceil(size / step) * step
