"""Guesses at passwords are slowed: after a few failures, a name or address has to wait.

Counted in memory, in each API process: a restart forgives, which an attacker can not cause.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

from assay.errors import Problem

FREE_FAILURES = 5
FIRST_WAIT_S = 2.0
LONGEST_WAIT_S = 300.0
FORGOTTEN_AFTER_S = 900.0
REMEMBERED = 10_000


class TooManyLogins(Problem):
    """Too many failures; wait."""

    status, code, title = 429, "too_many_logins", "Too many failed logins"

    def __init__(self, seconds: float) -> None:
        """Say for how long."""
        whole = max(1, round(seconds))
        super().__init__(f"Try again in {whole} s.", headers={"Retry-After": str(whole)})


class Throttle:
    """Failures by key (a user's name, an address); each wait is twice the one before."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """`clock` gives seconds."""
        self._clock = clock
        self._lock = threading.Lock()
        self._failures: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def check(self, *keys: str) -> None:
        """Raise TooManyLogins while one of the keys has to wait."""
        with self._lock:
            left = max(self._left(key) for key in keys)
        if left > 0:
            raise TooManyLogins(left)

    def failed(self, *keys: str) -> None:
        """Count a failure for each key."""
        with self._lock:
            for key in keys:
                count, last = self._failures.pop(key, (0, 0.0))
                if self._clock() - last > FORGOTTEN_AFTER_S:
                    count = 0
                self._failures[key] = (count + 1, self._clock())
            while len(self._failures) > REMEMBERED:
                self._failures.popitem(last=False)

    def succeeded(self, *keys: str) -> None:
        """Forget the failures of each key."""
        with self._lock:
            for key in keys:
                self._failures.pop(key, None)

    def _left(self, key: str) -> float:
        count, last = self._failures.get(key, (0, 0.0))
        if count < FREE_FAILURES:
            return 0.0
        wait = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(count - FREE_FAILURES, 20))
        return last + wait - self._clock()
