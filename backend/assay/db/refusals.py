"""What lately kept this process from writing to its database: no room, a disk that fails.

Nothing but a write shows that, above all on a database server, whose disk cannot be looked at.
Health must not write, so it tells what the process met when it last wrote.
"""

import sqlite3
import time
from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

REMEMBERED_S = 600
"""A refusal that no other write has confirmed for so long says nothing any more."""

_SQLITE = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY})
_POSTGRESQL = frozenset({"53100", "58030", "25006"})
"""disk_full, io_error, read_only_sql_transaction"""


class Refusals:
    """The last refusal, until a write succeeds."""

    def __init__(self) -> None:
        """None yet."""
        self._last: tuple[float, str] | None = None

    @contextmanager
    def watched(self) -> Generator[None]:
        """Note how a transaction that writes ends."""
        try:
            yield
        except DBAPIError as error:
            if reason := why_refused(error):
                self._last = time.monotonic(), reason
            raise
        self._last = None

    def lately(self) -> str | None:
        """What was refused how long ago, in words; None when all is well as far as is known."""
        if self._last is None:
            return None
        at, reason = self._last
        ago_s = time.monotonic() - at
        if ago_s > REMEMBERED_S:
            return None
        return f"The last write, {ago_s:.0f} s ago, was refused: {reason}"


def why_refused(error: DBAPIError) -> str | None:
    """The database's own words when it cannot store anything; None for any other error."""
    of_sqlite = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF in _SQLITE
    if of_sqlite or getattr(error.orig, "sqlstate", None) in _POSTGRESQL:
        return str(error.orig).partition("\n")[0][:300]
    return None
