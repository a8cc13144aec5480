"""Noise, and the readings of a trial, for the tests of several rules."""

import random
from typing import Any

from testing.spools import NOBODY_ELSE

GB = 10**9

ALONE: dict[str, Any] = {
    "own_read_bytes": 0,
    "own_write_bytes": GB,
    "dev_read_bytes": 0,
    "dev_write_bytes": GB,
    "quiet_ns": 200_000_000,
    "quiet_read_bytes": 0,
    "quiet_write_bytes": 0,
    "others_read_bytes": 0,
    "others_write_bytes": 0,
    **NOBODY_ELSE,
    "sees_all": False,
    "busiest": None,
}
"""Readings of a write of 1 GB alone on its device, whose probe sees no other process."""


def noise(chance: random.Random, count: int, cv: float, lag_one: float) -> list[float]:
    """Return factors around 1 with this deviation and correlation of neighbors."""
    now, factors = chance.gauss(0, 1), list[float]()
    for _ in range(count):
        factors.append(max(0.1, 1 + cv * now))
        now = lag_one * now + (1 - lag_one**2) ** 0.5 * chance.gauss(0, 1)
    return factors
