"""Whether a trial ran long enough for its rates, and the file size that would suffice.

A rate needs a second: below it, throttles, write caches and the kernel's write-back have not shown
what they do, and start-up is a visible part of the time. It also needs enough operations for its
threads to have worked side by side: at the end of a trial, threads that find no block left wait for
the others, which costs at most (threads - 1) ÷ operations of the threads' time.
"""

from math import ceil, floor, log10

LEAST_NS = 10**9
"""The least time, in ns, that a rate needs."""

FEWEST_OPERATIONS = 5
"""The fewest operations of a single thread, so that no one of them decides the rate alone."""

IDLE_SHARE = 0.1
"""The share of its threads' time that a trial may lose at its end."""

MARGIN = 1.5
"""Times the least that a suggested file has, since rates differ from trial to trial."""


def operations_needed(threads: int) -> int:
    """The fewest operations that show what `threads` threads reach together."""
    return max(FEWEST_OPERATIONS, ceil((threads - 1) / IDLE_SHARE))


def sufficient_file_size(
    bytes_per_second: float, *, block: int, threads: int, files: int = 1
) -> int:
    """Bytes of each file with which a trial at this rate is long enough; two digits, rounded up."""
    needed = MARGIN * max(
        bytes_per_second * LEAST_NS / 1e9, float(operations_needed(threads) * block)
    )
    return _rounded_up(needed / files)


def _rounded_up(size: float) -> int:
    step = 10 ** max(0, floor(log10(max(size, 1))) - 1)
    return ceil(size / step) * step
