"""The limit of requests per caller, so that one loop without a pause does not slow all others.

A token bucket for each user and token, in the memory of each API process.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from math import ceil
from time import monotonic

from assay.http.errors import Problem

BURST_S = 5.0
"""A caller that was quiet may send the requests of so many seconds at once."""

REMEMBERED = 10_000


class TooManyRequests(Problem):
    """The caller exceeds its rate of requests."""

    status, code, title = 429, "too_many_requests", "Too many requests"

    def __init__(self, per_second: int, wait_s: float) -> None:
        """Name the limit and the waiting time."""
        whole = max(1, ceil(wait_s))
        super().__init__(
            f"The limit is {per_second} request{'s' * (per_second != 1)} per second for each token "
            "or user.",
            f"Try again in {whole} s; to wait for the end of a campaign, use `?wait=`.",
            headers={"Retry-After": str(whole)},
        )


class Pace:
    """What each caller has left of its burst."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """Use `clock`, which returns seconds."""
        self._clock = clock
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str, per_second: int) -> None:
        """Count a request; raises TooManyRequests if it exceeds `per_second`. 0 is no limit."""
        if per_second == 0:
            return
        most = per_second * BURST_S
        with self._lock:
            present = self._clock()
            left, at = self._left.pop(caller, (most, present))
            left = min(most, left + (present - at) * per_second)
            taken = left >= 1
            self._left[caller] = (left - taken, present)
            while len(self._left) > REMEMBERED:
                self._left.popitem(last=False)
        if not taken:
            raise TooManyRequests(per_second, (1 - left) / per_second)


pace = Pace()
