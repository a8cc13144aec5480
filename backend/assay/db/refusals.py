"""Recent write failures of this process's database: a full or failing disk.

Only a write shows them, especially on a database server, whose disk is not visible from here.
Health must not write, so it reports the result of the process's last write.
"""

import sqlite3
import time
from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

REMEMBERED_S = 600
"""Forget a write failure after this long."""

_SQLITE = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY})
_POSTGRESQL = frozenset({"53100", "58030", "25006"})
"""disk_full, io_error, read_only_sql_transaction"""


class Refusals:
    """The last write failure, until a write succeeds."""

    def __init__(self) -> None:
        """Start without a failure."""
        self._last: tuple[float, str] | None = None

    @contextmanager
    def watched(self) -> Generator[None]:
        """Record whether the writing transaction in the block succeeds."""
        try:
            yield
        except DBAPIError as error:
            if reason := why_refused(error):
                self._last = time.monotonic(), reason
            raise
        self._last = None

    def lately(self) -> str | None:
        """Return the last write failure and its age as text; None if no failure is known."""
        if self._last is None:
            return None
        at, reason = self._last
        ago_s = time.monotonic() - at
        if ago_s > REMEMBERED_S:
            return None
        return f"The last write, {ago_s:.0f} s ago, failed: {reason}"


def why_refused(error: DBAPIError) -> str | None:
    """Return the database's message if it cannot store anything; None for other errors."""
    of_sqlite = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF in _SQLITE
    if of_sqlite or getattr(error.orig, "sqlstate", None) in _POSTGRESQL:
        return str(error.orig).partition("\n")[0][:300]
    return None
