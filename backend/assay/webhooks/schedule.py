"""When a message is sent again. Pure."""

import random
from datetime import timedelta

PAUSES = (
    timedelta(seconds=5),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
)
"""The pause after each failed attempt but the last: eight attempts in about 18 hours."""

MOST_TRIES = len(PAUSES) + 1

JITTER = 0.2
"""A pause is longer or shorter by up to this part, so that retries of many messages spread."""

LONGEST_PAUSE = PAUSES[-1] * (1 + JITTER)

DISABLED_AFTER = timedelta(days=3)
"""A webhook is disabled when a message is given up and nothing was delivered for this long."""


def pause(tries_left: int, least: timedelta | None = None) -> timedelta:
    """Return the pause before the next attempt of a message that has `tries_left` of them.

    It is `least` if the receiver asked for a longer one, but never more than `LONGEST_PAUSE`.
    """
    jitter = random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 (not a secret)
    planned = PAUSES[MOST_TRIES - tries_left - 1] * jitter
    return planned if least is None else min(max(planned, least), LONGEST_PAUSE)
