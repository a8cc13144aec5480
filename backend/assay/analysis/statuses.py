"""The meaning of an attempt's status for the figures."""

COUNTED = ("complete", "timed_out")
"""Statuses that count in a cell."""

SUSPENDED, STARVED = "suspended", "starved"
DISTURBED = (SUSPENDED, STARVED)
"""Statuses of an attempt that was disturbed by a cause other than the storage."""

OPEN = ("waiting", "interrupted", "stopped")
"""Statuses of a trial that is not measured completely and may still be."""
