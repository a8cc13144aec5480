"""Deadlines on a clock that nobody sets."""

from time import monotonic


class Deadline:
    """A point in time, `seconds` from now."""

    def __init__(self, seconds: float) -> None:
        """Counts from now on."""
        self._end = monotonic() + seconds

    def left(self) -> float:
        """Seconds that are left; never negative."""
        return max(0.0, self._end - monotonic())

    def over(self) -> bool:
        """Whether the time has come."""
        return self.left() == 0
