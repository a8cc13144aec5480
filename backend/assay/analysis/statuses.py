"""The meaning of an attempt's status for the figures."""

from collections.abc import Sequence

COUNTED = ("complete", "timed_out")
"""Statuses that count in a cell."""

SUSPENDED, STARVED = "suspended", "starved"
DISTURBED = (SUSPENDED, STARVED)
"""Statuses of an attempt that did not measure the storage, because it was suspended or starved."""

OPEN = ("waiting", "interrupted", "stopped")
"""Statuses of a trial that is not finished."""

_GRAVITY = ("failed", *DISTURBED, "running", "interrupted", "stopped", "waiting", "timed_out")


def of_trial(statuses: Sequence[str]) -> str:
    """Return the status of a trial from its status at each participant.

    It is complete only if it is complete at all participants. If some have ended and others wait,
    it is running.
    """
    found = next((status for status in _GRAVITY if status in statuses), "complete")
    return "running" if found == "waiting" and {*statuses} & {*COUNTED} else found
