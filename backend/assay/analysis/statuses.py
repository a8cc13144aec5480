"""The meaning of an attempt's status for the figures."""

from collections.abc import Iterable, Sequence

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


_CONSEQUENCES = {"peer_silent": 1, "connect_failed": 1, "peer_ended": 2}
"""Reasons that an end of a transfer also reports if the other end failed, the less telling the
higher."""


def rank_of_reason(reason: str) -> int:
    """Return 0 for the reason of a failure that is a cause, more for a possible consequence."""
    return _CONSEQUENCES.get(reason, 0)


def reason_of_trial(reasons: Iterable[str | None]) -> str | None:
    """Return why a trial failed, from the reasons of its participants; None without any.

    A consequence of another participant's failure is the reason only if no other reported a cause.
    """
    return min((one for one in reasons if one), key=rank_of_reason, default=None)
