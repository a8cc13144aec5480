"""Few heaps for many threads.

glibc gives threads heaps of their own, up to eight for each core, so that they need not wait for
each other. Python's threads do that anyhow, and what one heap has free the others cannot use: a
worker with hundreds of threads grew for minutes though its objects did not.
"""

import ctypes

ARENA_MAX = -8
"""The parameter of `mallopt`: `M_ARENA_MAX` in malloc.h."""

HEAPS = 2


def share_heaps() -> None:
    """Let the threads that begin from now on share heaps; without glibc, nothing happens."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(ARENA_MAX, HEAPS)
