"""The meaning of an attempt's status for the figures."""

from collections.abc import Sequence

COUNTED = ("complete", "timed_out")
"""Statuses that count in a cell."""

SUSPENDED, STARVED = "suspended", "starved"
DISTURBED = (SUSPENDED, STARVED)
"""Statuses of an attempt that did not measure the storage, because it was suspended or starved."""

OPEN = ("waiting", "interrupted", "stopped")
"""Statuses of a trial that was not measured to its end, and may still be."""

_GRAVITY = ("failed", *DISTURBED, "running", "interrupted", "stopped", "waiting", "timed_out")


def of_trial(statuses: Sequence[str]) -> str:
    """Return what became of a trial, by what became of it at each participant.

    It is complete only where it is so everywhere; where some have ended and others wait, it is
    still running.
    """
    found = next((status for status in _GRAVITY if status in statuses), "complete")
    return "running" if found == "waiting" and {*statuses} & {*COUNTED} else found
