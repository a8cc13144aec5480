"""Login throttling.

Failures count per pair of account and address, so that nobody can lock an account from another
address, and, with a higher limit, per address. Counts are kept in the memory of each API process: a
restart clears them, but an attacker cannot cause one.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network
from time import monotonic
from typing import NamedTuple

from assay.http.errors import Problem

FAILURES_OF_A_PAIR = 5
FAILURES_OF_AN_ADDRESS = 50
FIRST_WAIT_S = 2.0
LONGEST_WAIT_S = 300.0
FORGOTTEN_AFTER_S = 900.0
REMEMBERED = 10_000
IPV6_SITE_BITS = 64
"""A customer gets a whole network of this size, so its addresses count as one."""


class TooManyLogins(Problem):
    """Too many failures: wait before the next attempt."""

    status, code, title = 429, "too_many_logins", "Too many failed logins"

    def __init__(self, seconds: float) -> None:
        """Name the waiting time."""
        whole = max(1, round(seconds))
        super().__init__(remedy=f"Try again in {whole} s.", headers={"Retry-After": str(whole)})


class ThrottleKey(NamedTuple):
    """What failures are counted for, and how many are allowed without a wait."""

    name: tuple[str, ...]
    free_failures: int


def pair(account: str, address: str) -> ThrottleKey:
    """Return the key of one account at one address."""
    return ThrottleKey((account, _site(address)), FAILURES_OF_A_PAIR)


def whole_address(address: str) -> ThrottleKey:
    """Return the key of an address for all accounts."""
    return ThrottleKey((_site(address),), FAILURES_OF_AN_ADDRESS)


def _site(address: str) -> str:
    try:
        if isinstance(ip_address(address), IPv6Address):
            return str(ip_network(f"{address.partition('%')[0]}/{IPV6_SITE_BITS}", strict=False))
    except ValueError:  # a Unix socket has no IP address
        pass
    return address


class Throttle:
    """Failure counts by key, with exponential backoff."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """Use `clock`, which returns seconds."""
        self._clock = clock
        self._lock = threading.Lock()
        self._failures: OrderedDict[tuple[str, ...], tuple[int, float]] = OrderedDict()

    def check(self, *keys: ThrottleKey) -> None:
        """Raise TooManyLogins while one of the keys has to wait."""
        with self._lock:
            left = max(self._left(key) for key in keys)
        if left > 0:
            raise TooManyLogins(left)

    def failed(self, *keys: ThrottleKey) -> None:
        """Count a failure for each key."""
        with self._lock:
            for key in keys:
                count, last = self._failures.pop(key.name, (0, 0.0))
                if self._clock() - last > FORGOTTEN_AFTER_S:
                    count = 0
                self._failures[key.name] = (count + 1, self._clock())
            while len(self._failures) > REMEMBERED:
                self._failures.popitem(last=False)

    def succeeded(self, key: ThrottleKey) -> None:
        """Reset the key; not for an address, or an attacker could reset it with an account."""
        with self._lock:
            self._failures.pop(key.name, None)

    def _left(self, key: ThrottleKey) -> float:
        count, last = self._failures.get(key.name, (0, 0.0))
        if count < key.free_failures:
            return 0.0
        wait = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(count - key.free_failures, 20))
        return last + wait - self._clock()
