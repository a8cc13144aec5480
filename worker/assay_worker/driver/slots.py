"""How many runs a worker follows at once. A message beyond that must not hold a thread: it is
noted, its thread goes, and the slot that is free next takes the run that was noted first.

A note dies with its process, and the scheduler rings again.
"""

import threading
from collections import deque

from assay_worker.driver.follow import stopping
from assay_worker.driver.slice import drive


class Slots:
    """Slots for slices, served in the order of their messages."""

    def __init__(self, number: int) -> None:
        """All are free."""
        self._lock = threading.Lock()
        self._free = number
        self._waiting: deque[int] = deque()

    def drive(self, run_id: int) -> None:
        """Drive a run for one slice, then those that wait; returns at once when no slot is free."""
        with self._lock:
            if run_id not in self._waiting:
                self._waiting.append(run_id)
        while (following := self._take()) is not None:
            try:
                drive(following)
            finally:
                with self._lock:
                    self._free += 1

    def _take(self) -> int | None:
        """The run that has waited longest, and a slot for it."""
        with self._lock:
            if not self._free or not self._waiting or stopping.is_set():
                return None
            self._free -= 1
            return self._waiting.popleft()
