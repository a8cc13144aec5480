"""Thread-safe lazy singletons."""

import threading
from collections.abc import Callable
from functools import cache
from typing import Generic, TypeVar

T = TypeVar("T")


class singleton(Generic[T]):  # noqa: N801 - a decorator
    """Create an object at the first call and return the same one from later calls.

    `functools.cache` alone creates one per thread if several threads make the first call at once.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        """Wrap the factory `make` without calling it."""
        self.__doc__ = make.__doc__
        self._made, self._lock = cache(make), threading.Lock()

    def __call__(self) -> T:
        """Return the object; create it at the first call."""
        with self._lock:
            return self._made()

    def cache_clear(self) -> None:
        """Forget the object; the next call creates a new one."""
        with self._lock:
            self._made.cache_clear()
