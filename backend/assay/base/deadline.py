"""Deadlines on the monotonic clock."""

from time import monotonic


class Deadline:
    """A point in time, `seconds` from now."""

    def __init__(self, seconds: float) -> None:
        """Start the deadline now."""
        self._end = monotonic() + seconds

    def left(self) -> float:
        """Return the remaining seconds; never negative."""
        return max(0.0, self._end - monotonic())

    def over(self) -> bool:
        """Return whether the deadline has passed."""
        return self.left() == 0
