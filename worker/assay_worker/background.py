"""Background threads that never end unnoticed.

A failed round is logged and reported with the worker's heartbeat, and the thread continues with the
next one. If a thread ends nevertheless, its process exits, and the supervisor restarts it.
"""

import logging
import os
import threading
from collections.abc import Callable

from sqlalchemy.exc import SQLAlchemyError

LONGEST_PROBLEM = 1000
"""Maximum characters in the table of workers."""

log = logging.getLogger(__name__)

_failing: dict[str, str] = {}


def start(name: str, work: Callable[[], None]) -> threading.Thread:
    """Call `work` once in a thread; the process ends with code 70 if it raises."""

    def guarded() -> None:
        try:
            work()
        except BaseException:  # without this thread the process would only appear to work
            log.critical("thread %s failed: exiting", name, exc_info=True)
            os._exit(os.EX_SOFTWARE)

    thread = threading.Thread(target=guarded, name=name, daemon=True)
    thread.start()
    return thread


def repeat(name: str, work: Callable[[], None], pause: Callable[[], object]) -> threading.Thread:
    """Call `work`, then `pause`, repeatedly in a thread until `pause` returns a true value."""

    def rounds() -> None:
        while True:
            attempt(name, work)
            if pause():
                return

    return start(name, rounds)


def attempt(name: str, work: Callable[[], None]) -> None:
    """Call `work` once; log an exception and remember it for `problem` until a call succeeds."""
    try:
        work()
    except Exception as error:
        text = f"{name}: {type(error).__name__}: {error}".partition("\n")[0]
        if isinstance(error, SQLAlchemyError):
            log.warning("%s", text)
        elif _failing.get(name) != text:  # once for each new reason, not for each round
            log.exception("%s failed; retrying", name)
        _failing[name] = text
    else:
        _failing.pop(name, None)


def problem() -> str | None:
    """Return the current failures of this process, or None."""
    return "; ".join(_failing.values())[:LONGEST_PROBLEM] or None
