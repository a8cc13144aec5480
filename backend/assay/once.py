"""What a process has one of: the engine, the writer, the loop of its connections."""

import threading
from collections.abc import Callable
from functools import cache
from typing import Generic, TypeVar

T = TypeVar("T")


class once(Generic[T]):  # noqa: N801 - a decorator
    """Make something at the first call, and give the same to whoever calls later.

    `functools.cache` alone makes one for each of the threads that come first together.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        """Nothing is made yet."""
        self.__doc__ = make.__doc__
        self._made, self._lock = cache(make), threading.Lock()

    def __call__(self) -> T:
        """What there is one of."""
        with self._lock:
            return self._made()

    def cache_clear(self) -> None:
        """Make another at the next call."""
        with self._lock:
            self._made.cache_clear()
