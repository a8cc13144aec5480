"""Limit of the number of malloc arenas.

glibc creates up to eight arenas per core, so that threads do not wait for each other. Python's
threads wait for each other anyway (GIL), and arenas do not share free memory: the memory of a
worker with hundreds of threads grew for minutes although its objects did not.
"""

import ctypes

ARENA_MAX = -8
"""Parameter of `mallopt`: `M_ARENA_MAX` in malloc.h."""

HEAPS = 2


def share_heaps() -> None:
    """Make threads that start later share arenas; does nothing without glibc."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(ARENA_MAX, HEAPS)
