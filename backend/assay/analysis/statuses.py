"""What the status of an attempt means for the figures."""

COUNTED = ("complete", "timed_out")
"""Statuses that enter a cell."""

SUSPENDED, STARVED = "suspended", "starved"
DISTURBED = (SUSPENDED, STARVED)
"""Statuses of an attempt that was held up by something else than the storage."""

OPEN = ("waiting", "interrupted", "stopped")
"""Statuses of a trial that was not measured to its end, and may still be."""
